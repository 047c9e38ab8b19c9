from __future__ import annotations

from agent_memory.app import sessions
from agent_memory.app.brief import brief
from agent_memory.app.sleep import sleep
from agent_memory.app.vault import add


def test_the_counter_of_the_settings_counts(workspace):
    with workspace.app() as app:
        for number in range(60):
            add(app, "default", "tasks", f"migração número {number}: ção ção ção", [])
    with workspace.app(context__counter="conservative") as app:
        careful = brief(app, "default", "")
    with workspace.app() as app:
        usual = brief(app, "default", "")

    assert careful.tokens <= careful.max_tokens
    assert len(careful.text) < len(usual.text)


def test_secrets_of_a_recovered_session_are_taken_out(workspace):
    secret = "Zk3vQ9xT2bLw7RfYp0aHsd5"
    with workspace.app() as app:
        text = brief(app, "default", "", recovering=[("user", f"API_KEY={secret}")]).text

    assert secret not in text
    assert "> user: API_KEY=" in text


def test_without_a_command_what_is_kept_is_told_before_what_is_newer(workspace):
    with workspace.app() as app:
        add(app, "default", "decisions", "Usar httpx para HTTP.", ["keep"])
        for number in range(8):
            workspace.clock.advance(days=1)
            add(app, "default", "decisions", f"We keep shelf {number} tidy.", [])
        lines = brief(app, "default", "").text.splitlines()

    told = [line.split(") ")[1] for line in lines if line.startswith("- (")]
    assert told == ["Usar httpx para HTTP.", "We keep shelf 7 tidy.", "We keep shelf 6 tidy."]


def test_a_session_that_broke_off_is_recovered_and_one_that_was_handed_over_is_not(workspace):
    said = [
        {"role": "user", "text": "Let's book the ovens by the hour, please."},
        {"role": "agent", "text": "They are."},
    ]
    chat = sessions.chat("default", said)
    with workspace.app() as app:
        sessions.checkpoint(app, chat)
        assert "> agent: They are." in brief(app, "default", "").text
        assert "They are" not in brief(app, "default", "", "turn").text
        assert "They are" not in brief(app, "default", "", recovering=[]).text
        workspace.clock.advance(days=7)
        assert "They are" not in brief(app, "default", "").text
        sleep(app, chat)
        assert "> agent: They are." not in brief(app, "default", "").text
