"""Sentences, their labels, what they stand under, and their exact place."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agent_memory.extraction.sentences import plain, sentences


def texts(text: str, *, speech: bool = False) -> list[str]:
    return [sentence.text for sentence in sentences(text, speech=speech)]


def test_abbreviations_versions_and_file_names_end_no_sentence() -> None:
    assert texts("Use node 20.1, e.g. in app.config.ts. Then p. ex. the rest, cf. above.") == [
        "Use node 20.1, e.g. in app.config.ts.",
        "Then p. ex. the rest, cf. above.",
    ]


def test_a_person_ends_a_sentence_with_the_line() -> None:
    assert texts("skip it\nchrome store first", speech=True) == ["skip it", "chrome store first"]


def test_an_agents_wrapped_line_goes_on() -> None:
    assert texts("The lock is held\nwhile the file grows.") == ["The lock is held while the file grows."]


def test_numbered_answers_on_one_line_are_taken_apart() -> None:
    found = sentences("1) ordem de chegada 2) três vezes 3) não zera", speech=True)

    assert [(one.mark, one.text) for one in found] == [
        ("1", "ordem de chegada"),
        ("2", "três vezes"),
        ("3", "não zera"),
    ]


def test_a_bold_label_is_joined_with_its_words() -> None:
    (one,) = sentences("**Causa raiz:** o relógio adianta.")

    assert one.label == "Causa raiz"
    assert one.text == "Causa raiz: o relógio adianta."


def test_a_label_alone_on_its_line_stands_over_what_follows() -> None:
    (one,) = sentences("**Root cause**\nThe clock is fast.")

    assert (one.text, one.under) == ("The clock is fast.", "Root cause")


def test_a_heading_stands_over_its_section_until_the_next() -> None:
    found = sentences("## To do\n\n- one thing\n\nmore words\n\n## Done\n\n- another thing")

    assert [one.under for one in found] == ["To do", "To do", "Done"]


def test_a_lead_stands_over_its_list_only() -> None:
    found = sentences("Still open:\n- one thing\n- another thing\n\nUnrelated words.")

    assert [one.under for one in found] == ["", "Still open", "Still open", ""]


def test_a_cell_is_labelled_by_its_column() -> None:
    found = sentences("| Problem | Cause |\n|---|---|\n| slow page | the index is missing |")

    assert [one.label for one in found] == ["Problem", "Cause"]


def test_markdown_goes_and_code_stays() -> None:
    assert plain("**Use** the [long *form*](https://x.example) of `a_b`") == "Use the long form of `a_b`"


def test_stars_inside_code_are_no_emphasis() -> None:
    assert plain("**all** of `CI_*` and `__init__`") == "all of `CI_*` and `__init__`"


def test_a_pasted_document_is_left_out_but_for_its_ends() -> None:
    document = "\n\n".join(["look at this", *["We decided to use one queue per room."] * 60, "what do you think"])

    assert texts(document, speech=True) == ["look at this", "what do you think"]


def test_a_log_inside_a_message_is_left_out() -> None:
    assert texts("it fails\n\nERROR pool - use fewer workers\n  at a.b.C(D.java:1)", speech=True) == ["it fails"]


@given(st.text(alphabet=st.sampled_from("ab. :*-#|`>\n1)[]x é"), max_size=200), st.booleans())
def test_spans_quote_exact_words_of_the_text(text: str, speech: bool) -> None:
    for one in sentences(text, speech=speech):
        assert 0 <= one.start <= one.body_start <= one.end <= len(text)
        assert one.text == plain(text[one.start : one.end])
