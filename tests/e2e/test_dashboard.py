"""A dashboard that saves its chat all the time while it is watched, trimmed and restarted."""

import json
import subprocess
import sys
import time
from datetime import timedelta

import pytest

from agent_memory.app import ingest, maintain
from agent_memory.app.ingest import Options
from agent_memory.system.clock import SystemClock
from tests.workspace import Workspace, essence
from tests.year import messages

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


class Dashboard:
    """Holds its chat in memory and writes the whole of it each time, in place, as programs do."""

    def __init__(self, workspace):
        self.path = workspace.memory / "conversations" / "dev.json"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.held = []

    def say(self, *messages):
        self.held += messages
        self.save()

    def save(self):
        self.path.write_text(json.dumps({"agentId": "dev", "messages": self.held}), encoding="utf-8")

    def restart(self):
        self.held = json.loads(self.path.read_text(encoding="utf-8"))["messages"]


def compact(workspace):
    with workspace.app(SystemClock(), compact__still_s=0.0) as app:
        return maintain.compact(app, dry_run=False)


@pytest.mark.parametrize("count", [120, pytest.param(1200, marks=pytest.mark.slow)])
def test_nothing_is_lost_and_nothing_doubled(workspace, tmp_path, home, count):
    (tmp_path / "undisturbed" / ".git").mkdir(parents=True)
    undisturbed = Workspace(tmp_path / "undisturbed", home)
    Dashboard(undisturbed).say(*messages(3, count))
    options = Options("dev", timedelta(0))
    with undisturbed.app(SystemClock()) as app:
        ingest.process(app, options)

    dashboard, trimmed = Dashboard(workspace), 0
    words = ["watch", "--wait-for-transcripts", "--debounce", "0", "--idle-timeout", "0.5", "--quiet"]
    watcher = subprocess.Popen([sys.executable, "-m", "agent_memory", *words], cwd=workspace.root)
    try:
        for place, message in enumerate(messages(3, count), 1):
            dashboard.say(message)
            time.sleep(0.02)  # a dashboard's pace, not a wait for something
            if place % 12 == 0:
                trimmed += compact(workspace).conversations_trimmed
            if place % 30 == 0:
                dashboard.restart()
            elif place % 7 == 0:
                dashboard.save()
    finally:
        watcher.terminate()
        assert watcher.wait(60) == 0
    with workspace.app(SystemClock()) as app:
        assert not ingest.process(app, options).failed
    found = workspace.memories()

    assert trimmed > 2
    assert len(dashboard.held) < count
    assert essence(found) == essence(undisturbed.memories())
    assert len({memory.key for memory in found}) == len(found)
