"""JSON as editors read it, and what they would refuse."""

import pytest

from agent_memory.editors.jsonc import parse
from agent_memory.editors.splice import add
from agent_memory.editors.table import INTEGRATIONS
from agent_memory.errors import FileError

TASK = INTEGRATIONS[0].entries


def test_comments_trailing_commas_and_a_bom_are_read_past():
    text = '\ufeff// top\n{"a": [1, /* , */ "//", {}, ], "b": {"c": null,}} // end'

    assert parse(text).value == {"a": [1, "//", {}], "b": {"c": None}}


@pytest.mark.parametrize(
    "text",
    ["", "   ", "{", "[1 2]", '{"a" 1}', "{a: 1}", "{} x", '{"a": 01}', '"\n"', "[,]", "[1,,]", "/* open", "nul",
     "[" * 5000, '{"a": 1}}', "{'a': 1}", '["\\q"]'],
)  # fmt: skip
def test_what_is_no_json_is_refused(text):
    with pytest.raises(FileError):
        parse(text)


def test_the_line_of_the_fault_is_named():
    with pytest.raises(FileError, match="line 3"):
        parse('{\n"a": 1,\n!\n}')


@pytest.mark.parametrize("text", ["[]", "1", '{"tasks": {}}', '{"tasks": "x"}'])
def test_a_file_of_another_shape_is_refused(text):
    with pytest.raises(FileError):
        add(text, TASK)


def test_the_layout_of_the_file_is_followed():
    text = '{\r\n\t// mine\r\n\t"version": "2.0.0",\r\n\t"tasks": [\r\n\t\t{"label": "x"}, // first\r\n\t],\r\n}\r\n'
    added = add(text, TASK).text

    assert '\t\t{"label": "x"}, // first\r\n\t\t{\r\n\t\t\t"label": "agent-memory: watch transcripts",\r\n' in added
    assert added.replace("\r\n", "").count("\n") == 0


def test_a_comment_to_the_end_of_the_line_never_swallows_what_follows():
    from agent_memory.editors.splice import Entry, remove

    ours = [Entry(("list",), {"id": "us"}, "id")]

    assert parse(remove('{"list": [ // c\n {"id": "us"}]}', ours, ())).value == {"list": []}
    assert parse(remove('{"list": [ // c\n {"id": "us"}, 7]}', ours, ())).value == {"list": [7]}
