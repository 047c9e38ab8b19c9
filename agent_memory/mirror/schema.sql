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

-- An entry is known by the place where it stands: ids may be missing or doubled in pages that people edit.
create table memories (
    id integer primary key,
    page integer not null references pages (id),
    position integer not null,
    entry text not null,
    at text not null,
    tags text not null,
    body text not null,
    keys text not null,
    active integer not null,
    unique (page, position)
) strict;

create index memories_by_entry on memories (entry);

create virtual table memories_fts using fts5 (
    body, tags, keys, content = 'memories', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2'
);

create trigger memories_added after insert on memories begin
    insert into memories_fts (rowid, body, tags, keys) values (new.id, new.body, new.tags, new.keys);
end;

create trigger memories_removed after delete on memories begin
    insert into memories_fts (memories_fts, rowid, body, tags, keys)
    values ('delete', old.id, old.body, old.tags, old.keys);
end;

-- Of two copies of one entry, left by a move that was cut short, the page's outweighs the archive's.
create view standing as
select m.id, p.agent, p.category, p.archived, m.position, m.entry, m.at, m.tags, m.body, m.active
from memories m join pages p on p.id = m.page
where not (p.archived and exists (
    select 1 from memories twin join pages home on home.id = twin.page
    where twin.entry = m.entry and not home.archived and home.agent = p.agent and home.category = p.category
));
