-- The mirror: one row for each page of the vault and one for each entry in it. Statements end at a blank line.
create table pages (
    id integer primary key,
    agent text not null,
    category text not null,
    archived integer not null,
    size integer not null,
    mtime_ns integer not null,
    digest text not null,
    unique (agent, category, archived)
) strict;

-- An entry is known by its digest: ids may be missing or doubled in pages that people edit.
-- place orders the entries of one conversation; meaning names the vector of its words.
create table memories (
    id integer primary key,
    page integer not null references pages (id),
    position integer not null,
    digest text not null,
    entry text not null,
    at text not null,
    tags text not null,
    author text not null,
    conversation text,
    place text not null,
    language text,
    votes real not null,
    voted text not null,
    links text not null,
    active integer not null,
    open integer not null,
    meaning text not null
) strict;

create index memories_by_entry on memories (entry);

-- Where each entry leads to: its links, and what has taken its place. As in memories.links, a JSON list of pairs; no
-- trigger keeps it, because around one SQLite opens a savepoint, at which FTS5 writes out what it has gathered.
create table links (
    memory integer not null,
    kind text not null,
    target text not null,
    primary key (memory, kind, target)
) strict, without rowid;

create index links_by_target on links (target);

create index memories_by_conversation on memories (page, conversation, place);

create index memories_by_meaning on memories (meaning);

-- What is searched, and the only place where the words stand: an entry's chunks, at its id * 1024 and after.
create virtual table passages using fts5 (body, tags, stems, tokenize = 'unicode61 remove_diacritics 2');

-- A tag is a word that somebody found telling.
insert into passages (passages, rank) values ('rank', 'bm25(1.0, 1.5, 1.0)');

create virtual table vocabulary using fts5vocab (passages, row);

-- Each entry of a conversation with up to two before and two after it there on the same page. The words are read
-- from the table that FTS5 keeps for the columns of passages, because it follows no view that names a virtual table.
create view surroundings as
select
    m.id,
    (select group_concat(c2, ' ') from passages_content where id between m.id * 1024 and m.id * 1024 + 1023)
    || ' ' || coalesce((
        select group_concat(p.c2, ' ') from (
            select n.id from memories n
            where n.page = m.page and n.conversation = m.conversation and n.place < m.place
            order by n.place desc limit 2
        ) b join passages_content p on p.id = b.id * 1024
    ), '') || ' ' || coalesce((
        select group_concat(p.c2, ' ') from (
            select n.id from memories n
            where n.page = m.page and n.conversation = m.conversation and n.place > m.place
            order by n.place limit 2
        ) b join passages_content p on p.id = b.id * 1024
    ), '') as stems
from memories m
where m.conversation is not null;

create virtual table nearby using fts5 (
    stems, content = 'surroundings', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2'
);

-- Made in the background, never derived from anything but the words that their name is the digest of.
create table if not exists vectors (
    meaning text not null,
    encoder text not null,
    vector blob not null,
    primary key (encoder, meaning)
) strict, without rowid;

-- Of two copies of one entry, left by a move that was cut short, the page's outweighs the archive's.
create view standing as
select m.*, p.agent, p.category, p.archived
from memories m join pages p on p.id = m.page
where not (p.archived and exists (
    select 1 from memories twin join pages home on home.id = twin.page
    where twin.entry = m.entry and not home.archived and home.agent = p.agent and home.category = p.category
));
