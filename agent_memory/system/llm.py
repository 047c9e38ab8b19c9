"""The one door to language models: bounded calls to one HTTP endpoint that the user has named.

It follows no redirect, and every call ends by its deadline or when it is cancelled. The key stands in a header and
nowhere else: no error, log or ``repr`` has it. A thread of its own does the waiting, so that a caller may go on.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
import time
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import urlsplit

from agent_memory.errors import ModelAborted, ModelError, ModelRefused, ModelTimeout, ModelUnreachable, SettingsError
from agent_memory.model.asking import Answer, Prompt
from agent_memory.model.text import clean, estimate_tokens

if TYPE_CHECKING:
    import httpx

MAX_BODY_BYTES: Final = 16_000_000
# A server that counts more than this for one call does not count.
MAX_TOKENS: Final = 100_000_000
JOIN_TIMEOUT_S: Final = 2.0
# What a server says that does not know a field of ours.
UNKNOWN_FIELD: Final = frozenset({400, 422})

T = TypeVar("T")
Call = Callable[[], Coroutine[Any, Any, T]]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server and how to speak to it; ``SettingsError`` if the address or the key cannot be one.

    Paths are put behind ``base_url``; one without a path gets ``/v1``. ``slot_id`` is a slot of llama.cpp's kept
    for us, -1 for any.
    """

    base_url: str
    model: str
    server: str = "openai"
    key: str = field(default="", repr=False)
    slot_id: int = -1

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.base_url)
            sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
            sound = sound and not (parts.query or parts.username or parts.password)
        except ValueError:
            sound = False
        if not sound:
            raise SettingsError(
                "The address of the model's server must be http:// or https:// with a host, and no password in it.",
                hint="A key goes into an environment variable that reflection.key_env names.",
            )
        if not (self.key.isascii() and self.key.isprintable()):
            raise SettingsError("The model's key has characters that no key has.", hint="Look at its variable.")

    @property
    def host(self) -> str:
        """The host, as errors may name it."""
        return urlsplit(self.base_url).hostname or ""

    @property
    def is_local(self) -> bool:
        """Whether it is this computer."""
        return self.host in ("localhost", "127.0.0.1", "::1")

    def url(self, path: str) -> str:
        """Return the address of ``path``, which begins with a slash."""
        base = self.base_url.rstrip("/")
        if path.startswith("/api/"):
            return base.removesuffix("/v1") + path
        return base + path if urlsplit(base).path else f"{base}/v1{path}"


class Client:
    """Calls to one endpoint. ``close`` ends those under way; a closed client may be used again."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread()
        self._http: httpx.AsyncClient | None = None
        self._plain = False

    def start(self, prompt: Prompt, *, timeout_s: float) -> Future[Answer]:
        """Ask, and return at once; cancelling the future ends the call. All its errors are ``ModelError``."""
        return self._submit(lambda: self._answer(prompt), timeout_s)

    def post_json(self, path: str, payload: Mapping[str, Any], *, timeout_s: float) -> Any:
        """Send ``payload`` to ``path`` and return the JSON that comes back, or raise ``ModelError``."""
        return wait(self._submit(lambda: self._post(path, payload), timeout_s))

    def close(self) -> None:
        """End every call and the thread; closing twice is fine."""
        with self._lock:
            loop, self._loop = self._loop, None
        if loop is None:
            return
        with contextlib.suppress(TimeoutError):
            asyncio.run_coroutine_threadsafe(self._let_go(), loop).result(JOIN_TIMEOUT_S)
        loop.call_soon_threadsafe(loop.stop)
        self._thread.join(JOIN_TIMEOUT_S)
        if not self._thread.is_alive():
            loop.close()

    def _submit(self, call: Call[T], timeout_s: float) -> Future[T]:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="models", daemon=True)
                self._thread.start()
            return asyncio.run_coroutine_threadsafe(self._in_time(call, timeout_s), self._loop)

    async def _in_time(self, call: Call[T], timeout_s: float) -> T:
        try:
            async with asyncio.timeout(timeout_s):
                return await call()
        except TimeoutError as error:
            raise ModelTimeout(
                f"{self.endpoint.host} did not answer within {timeout_s:g} seconds.",
                hint="Raise the timeout in the settings, or use a quicker model.",
            ) from error

    async def _let_go(self) -> None:
        calls = asyncio.all_tasks() - {asyncio.current_task()}
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        if self._http is not None:
            await self._http.aclose()
            self._http = None

    async def _answer(self, prompt: Prompt) -> Answer:
        started = time.monotonic()
        path, full, plain = _request(self.endpoint, prompt)
        try:
            reply = await self._post(path, plain if self._plain else full)
        except ModelRefused as error:
            if self._plain or error.facts["status"] not in UNKNOWN_FIELD:
                raise
            # Some servers take no schema, and newer models have no temperature and another name for the length.
            self._plain = True
            reply = await self._post(path, plain)
        return replace(_read(self.endpoint, prompt, reply), latency_s=time.monotonic() - started)

    async def _post(self, path: str, payload: Mapping[str, Any]) -> Any:
        import httpx

        host, content = self.endpoint.host, json.dumps(payload).encode("ascii")
        try:
            async with self._open().stream("POST", self.endpoint.url(path), content=content) as response:
                if response.status_code != httpx.codes.OK:
                    raise _refused(host, response.status_code)
                if response.headers.get("Content-Encoding", "identity") != "identity":
                    raise ModelError(f"{host} answered packed, which was not asked for.")  # a bomb, perhaps
                body = bytearray()
                async for chunk in response.aiter_raw():
                    body += chunk
                    if len(body) > MAX_BODY_BYTES:
                        raise ModelError(f"{host} answered without end.")
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            # Their messages may quote headers or addresses; their names do not.
            unsent = isinstance(error, httpx.ConnectError | httpx.InvalidURL | httpx.UnsupportedProtocol)
            raise (ModelUnreachable if unsent else ModelError)(
                f"{host} cannot be asked: {type(error).__name__}.", hint="Is the model's server running?"
            ) from error
        try:
            return json.loads(body)
        except (ValueError, RecursionError) as error:
            raise ModelError(f"{host} answered with something that is no JSON.") from error

    def _open(self) -> httpx.AsyncClient:
        import httpx

        if self._http is None:
            key, plain = self.endpoint.key, self.endpoint.is_local and self.endpoint.base_url.startswith("http:")
            headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
            self._http = httpx.AsyncClient(
                headers={**headers, **({"Authorization": f"Bearer {key}"} if key else {})},
                timeout=None,  # noqa: S113  every call has a deadline as a whole
                follow_redirects=False,
                trust_env=not self.endpoint.is_local,
                verify=not plain,  # reading the certificates takes 100 ms, and nobody would ask for them
            )
        return self._http


def wait(future: Future[T]) -> T:
    """Return what a call came to; a cancelled one is ``ModelAborted``."""
    try:
        return future.result()
    except CancelledError as error:
        raise ModelAborted("The call was given up.") from error


def _refused(host: str, status: int) -> ModelRefused:
    hints = {401: "Look at the key.", 403: "Look at the key.", 404: "Look at the address and the model's name."}
    hint = "An address that redirects is not followed." if 300 <= status < 400 else hints.get(status, "")
    return ModelRefused(f"{host} refused with status {status}.", hint=hint, status=status)


def _request(endpoint: Endpoint, prompt: Prompt) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Return the path, the body for a server that takes a form for the reply, and that for one that does not."""
    messages = [
        {"role": "system", "content": prompt.instructions},
        {"role": "user", "content": clean(prompt.text)},
    ]
    body = {"model": endpoint.model, "messages": messages, "stream": False}
    length = prompt.max_reply_tokens
    if endpoint.server == "ollama":
        body |= {"options": {"temperature": 0, "num_predict": length}}
        return "/api/chat", {**body, "format": prompt.schema} if prompt.schema else body, body
    measured = {**body, "max_tokens": length, "temperature": 0}
    if endpoint.server == "llamacpp":
        measured |= {"id_slot": endpoint.slot_id} if endpoint.slot_id >= 0 else {}
        return "/chat/completions", {**measured, "grammar": prompt.grammar} if prompt.grammar else measured, measured
    named = {"name": "reply", "strict": True, "schema": prompt.schema}
    form = {"response_format": {"type": "json_schema", "json_schema": named}} if prompt.schema else {}
    return "/chat/completions", {**measured, **form}, {**body, "max_completion_tokens": length}


def _read(endpoint: Endpoint, prompt: Prompt, reply: Any) -> Answer:
    """Read a server's answer; a reply that was cut off loses its last line, which may say the opposite when whole."""
    try:
        if endpoint.server == "ollama":
            text, ended = reply["message"]["content"], reply.get("done_reason")
            counts = reply.get("prompt_eval_count"), reply.get("eval_count")
        else:
            choice, usage = reply["choices"][0], reply.get("usage") or {}
            text, ended = choice["message"]["content"] or "", choice.get("finish_reason")
            counts = usage.get("prompt_tokens"), usage.get("completion_tokens")
        whole = text.rpartition("\n")[0]
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise ModelError(f"{endpoint.host} answered with something that is no chat completion.") from error
    guesses = estimate_tokens(prompt.instructions) + estimate_tokens(prompt.text), estimate_tokens(text)
    sound = [type(count) is int and 0 <= count <= MAX_TOKENS for count in counts]
    used = [count if is_sound else guess for count, guess, is_sound in zip(counts, guesses, sound, strict=True)]
    return Answer(clean(whole if ended == "length" else text), used[0], used[1])
