"""Where the product lives: one thread, which does one thing at a time, so that the screen never waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from typing import TypeVar

from agent_memory.app.container import App

T = TypeVar("T")


class Desk:
    """Does what it is asked in the order of asking. ``opened`` composes the product, at the first question."""

    def __init__(self, opened: Callable[[], AbstractContextManager[App]]) -> None:
        self._opened = opened
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="agent-memory")
        self._stack = ExitStack()
        self._app: App | None = None

    def ask(self, question: Callable[[App], T]) -> asyncio.Future[T]:
        """Take a question, at once; its answer, or what it raises, can be waited for."""
        return asyncio.wrap_future(self._thread.submit(self._answer, question))

    def close(self) -> None:
        """Do what was asked before, and end."""
        self._thread.submit(self._stack.close).result()
        self._thread.shutdown()

    def _answer(self, question: Callable[[App], T]) -> T:
        if self._app is None:
            self._app = self._stack.enter_context(self._opened())
        return question(self._app)
