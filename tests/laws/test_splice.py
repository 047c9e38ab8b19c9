"""What we put into other people's JSON goes out again without a trace, and nothing of theirs moves."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_memory.app import setup
from agent_memory.editors.jsonc import parse
from agent_memory.editors.splice import add, remove, standing
from agent_memory.editors.table import INTEGRATIONS
from agent_memory.errors import FileError
from tests.workspace import Workspace

ROWS = [row for row in INTEGRATIONS if row.entries]
BLANKS = st.sampled_from(["", "", " ", "\n", "\n  ", "\n\t", "\n\n    ", ' // it\'s, "so" ]\n', " /* a } , // b */ "])
LINE_ENDS = ["\n", "\r\n", "\r"]
SCALARS = st.sampled_from(["1", "-2.5e3", "true", "null", '"x"', '"// no , comment"', '"\\"]}"', '"ação"'])
KEYS = st.sampled_from("a inputs version tasks Tasks hooks mcpServers servers sessionStart stop".split())
TYPES = {"tasks": list, "hooks": dict, "mcpServers": dict, "servers": dict, "sessionStart": list, "stop": list}


@st.composite
def container(draw, kind, depth=0):
    parts = []
    for _ in range(draw(st.integers(0, 2))):
        key = draw(KEYS)
        wanted = TYPES.get(key) if kind is dict else draw(st.sampled_from([None, dict])) if depth < 2 else None
        value = draw(SCALARS) if wanted is None else draw(container(wanted, depth + 1))
        name = f'"{key}"{draw(BLANKS)}:{draw(BLANKS)}' if kind is dict else ""
        parts.append(f"{draw(BLANKS)}{name}{value}{draw(BLANKS)}")
    comma = f",{draw(BLANKS)}" if parts and draw(st.booleans()) else ""
    inside = ",".join(parts) + comma if parts else draw(BLANKS)
    return f"{{{inside}}}" if kind is dict else f"[{inside}]"


@st.composite
def files(draw):
    text = draw(BLANKS) + draw(container(dict)) + draw(BLANKS) + draw(st.sampled_from(["", "// the end"]))
    text = draw(st.sampled_from([text, text, text, draw(st.text(" \t\n", max_size=3))]))
    text = text.replace("\n", draw(st.sampled_from(LINE_ENDS)))
    return draw(st.sampled_from(["", "\ufeff"])) + text


@given(files(), st.sampled_from(ROWS))
def test_putting_in_and_taking_out_is_the_identity(text, row):
    added = add(text, row.entries)

    assert remove(added.text, row.entries, added.made) == text


@settings(max_examples=12)
@given(st.tuples(*(files() for _ in ROWS)))
def test_setting_up_and_taking_back_is_the_identity_on_disk_too_and_twice_is_once(tmp_path_factory, texts):
    root = tmp_path_factory.mktemp("shop").resolve()
    for row, text in zip(ROWS, texts, strict=True):
        (root / row.path).parent.mkdir(exist_ok=True)
        (root / row.path).write_bytes(text.encode())

    def on_disk():
        found = (path for path in root.rglob("*") if ".memory" not in path.parts and path.is_file())
        return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}

    before = on_disk()
    with Workspace(root, root).app() as app:
        setup.init(app, (*setup.rows_for(None, [], []), *setup.rows_for(None, ["automatic-tasks"], [])))
        once = on_disk()
        setup.init(app, (*setup.rows_for(None, [], []), *setup.rows_for(None, ["automatic-tasks"], [])))
        assert on_disk() == once
        setup.uninstall(app)
    assert on_disk() == before


@given(files(), st.sampled_from(ROWS))
def test_twice_is_once_and_all_of_ours_stands_there(text, row):
    once = add(text, row.entries)

    assert add(once.text, row.entries).text == once.text
    assert standing(once.text, row.entries) == tuple(entry.value for entry in row.entries if not entry.default)


@given(files(), st.sampled_from(ROWS))
def test_what_others_have_there_keeps_its_bytes_in_their_order(text, row):
    added = add(text, row.entries).text
    rest = iter(added)

    assert all(char in rest for char in text)


@given(files(), st.sampled_from(ROWS), st.sampled_from(ROWS))
def test_a_persons_edit_after_ours_survives_the_taking_out(text, row, other):
    ours = add(text, row.entries)
    if row.path == other.path:
        return
    theirs = add(ours.text, other.entries).text
    left = remove(theirs, row.entries, ours.made)

    assert standing(left, other.entries) == standing(theirs, other.entries)
    parse(left)


@given(st.sampled_from(ROWS))
def test_a_file_that_we_made_is_plain_json_and_ends_as_it_began(row):
    added = add("", row.entries)

    assert json.loads(added.text)
    assert added.text.endswith("\n}\n")
    assert remove(added.text, row.entries, added.made) == ""
    assert remove(added.text, row.entries, None) == ""


@given(st.sampled_from([row for row in ROWS if not row.entries[-1].known_by]), st.sampled_from(["", "\ufeff"]))
def test_where_null_stands_for_ours_nothing_is_put_and_nothing_is_taken(row, bom):
    *around, name = row.entries[-1].path
    text = bom + "".join(f'{{"{key}": ' for key in (*around, name)) + "null" + "}" * (len(around) + 1)

    with pytest.raises(FileError, match="null"):
        standing(text, row.entries)
