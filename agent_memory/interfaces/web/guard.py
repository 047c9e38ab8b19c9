"""Who may ask: decided on a request's head alone, before anything of it is read or done.

A page of another site, whatever name it has given our address, is refused; so is what came through a proxy, where it
would change more than memories.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final, NamedTuple

from starlette.datastructures import Headers
from starlette.requests import Request, cookie_parser

COOKIE: Final = "agent_memory_token"
PROXIED: Final = ("forwarded", "via", "x-real-ip", "cf-connecting-ip", "true-client-ip", "x-client-ip")
HTTP_PORT: Final = 80  # which browsers do not name
PROXIED_PREFIX: Final = "x-forwarded"
SAFE: Final[Mapping[str, str]] = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
    " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""What every answer says of itself to a browser."""


class Refusal(NamedTuple):
    """Why a request goes no further."""

    status: int
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Rules:
    """Where we listen, whether from elsewhere too, and the token that everybody needs, if there is one."""

    port: int
    remote: bool = False
    token: str = ""

    def refusal(self, asked: Request, *, upkeep: bool) -> Refusal | None:
        """Return why a request is refused, which ``upkeep`` is from elsewhere; None if it is not."""
        hosts = [host.lower() for host in asked.headers.getlist("host")]
        is_here = len(hosts) == 1 and hosts[0] in self.names
        if len(hosts) != 1 or not (is_here or self.remote):
            return Refusal(403, "This name is not ours.", f"Ask http://127.0.0.1:{self.port}.")
        if self._is_foreign(asked, hosts[0]):
            return Refusal(403, "Another site may not ask.", "Open the page at its own address.")
        if upkeep and not (is_here and _is_loopback(asked) and not _is_proxied(asked.headers)):
            return Refusal(403, "This is for this computer alone.", "Ask on the computer itself, without a proxy.")
        if self.token and not self._has_token(asked.headers):
            return Refusal(401, "The token is missing or wrong.", "Open the address that the viewer has told.")
        return None

    @property
    def names(self) -> frozenset[str]:
        """What we are called on this computer."""
        port = f":{self.port}" if self.port != HTTP_PORT else ""
        return frozenset(f"{name}{port}" for name in ("127.0.0.1", "localhost", "[::1]"))

    def knows(self, token: str) -> bool:
        """Tell whether this is the token."""
        return bool(self.token) and hmac.compare_digest(token.encode("utf-8", "replace"), self.token.encode())

    def _has_token(self, headers: Headers) -> bool:
        kind, _, given = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            return self.knows(given.strip())
        return self.knows(cookie_parser(headers.get("cookie", "")).get(COOKIE, ""))

    def _is_foreign(self, asked: Request, host: str) -> bool:
        """Tell whether a browser says that another site is behind this; a link to the page itself may be followed."""
        ours = {f"http://{host}", *({f"https://{host}"} if self.remote else ())}  # there may be TLS in front of us
        if any(origin.lower() not in ours for origin in asked.headers.getlist("origin")):
            return True
        sites = asked.headers.getlist("sec-fetch-site")
        is_page = asked.method == "GET" and not asked.scope["path"].startswith("/api")
        followed = is_page and asked.headers.get("sec-fetch-mode") == "navigate"
        return any(site not in ("same-origin", "none") for site in sites) and not followed


def _is_proxied(headers: Headers) -> bool:
    names = [name.replace("_", "-") for name in headers]
    return any(name in PROXIED or name.startswith(PROXIED_PREFIX) for name in names)


def _is_loopback(asked: Request) -> bool:
    try:
        return asked.client is not None and ip_address(asked.client.host).is_loopback
    except ValueError:
        return False
