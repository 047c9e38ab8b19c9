"""The notation in which the routes say what they take and give."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_memory.errors import InvalidValue
from agent_memory.interfaces.web.notation import checked, fields_of, from_address, shape_of
from agent_memory.interfaces.web.table import ROUTES, SHAPES

TAKES = fields_of('agentId: name, tags?: [tag], show?: active/all = active, tag?: line = "", offset?: count = 0')


def test_a_notation_is_a_schema():
    assert shape_of("{counts: {*: count}, items?: [Item], origin: string|null}") == {
        "type": "object",
        "properties": {
            "counts": {"type": "object", "additionalProperties": shape_of("count")},
            "items": {"type": "array", "items": {"$ref": "#/components/schemas/Item"}, "maxItems": 10_000},
            "origin": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        },
        "required": ["counts", "origin"],
        "additionalProperties": False,
    }


def test_every_shape_that_is_named_is_there():
    texts = [*SHAPES.values(), *(route.gives for route in ROUTES)]
    named = {word for text in texts for word in text.replace("[", " ").replace("{", " ").split() if word[0].isupper()}
    assert {word.rstrip("]},|nul") for word in named} <= SHAPES.keys()


def test_what_is_not_given_has_its_default():
    assert checked(TAKES, {"agentId": "dev", "offset": None}) == {
        "agentId": "dev", "tags": None, "show": "active", "tag": "", "offset": 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("given_", "field"),
    [
        ({}, "agentId"),
        ({"agentId": None}, "agentId"),
        ({"agentId": ""}, "agentId"),
        ({"agentId": "x" * 81}, "agentId"),
        ({"agentId": True}, "agentId"),
        ({"agentId": "a", "unknown": 1}, "unknown"),
        ({"agentId": "a", "tags": "x"}, "tags"),
        ({"agentId": "a", "tags": ["x", 1]}, "tags[1]"),
        ({"agentId": "a", "show": "some"}, "show"),
        ({"agentId": "a", "offset": -1}, "offset"),
        ({"agentId": "a", "offset": True}, "offset"),
        ({"agentId": "a", "offset": 1.0}, "offset"),
    ],
)
def test_what_is_wrong_is_named(given_, field):
    with pytest.raises(InvalidValue) as caught:
        checked(TAKES, given_)
    assert caught.value.facts["field"] == field


@pytest.mark.parametrize(
    "pairs", [[("offset", "x")], [("offset", "１")], [("offset", "")], [("tag", "a"), ("tag", "b")]]
)
def test_an_address_has_each_parameter_once_and_of_its_type(pairs):
    with pytest.raises(InvalidValue):
        from_address(TAKES, pairs)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@given(st.dictionaries(st.sampled_from(["agentId", "tags", "show", "messages", "x"]), JSON))
def test_whatever_is_given_is_taken_or_refused_by_name(value):
    fields = fields_of("agentId: name, tags?: [tag], show?: a/b = a, messages?: [message]")
    try:
        taken, refused = checked(fields, value), ""
    except InvalidValue as error:
        taken, refused = None, error.facts["field"]

    given_ = {name: one for name, one in value.items() if one is not None}
    if taken is None:
        assert refused.split("[")[0].split(".")[0] in {"agentId", *given_, *value}
    else:
        assert taken == {"agentId": "", "tags": None, "show": "a", "messages": None, **given_}
