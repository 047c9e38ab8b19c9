r"""How Windows and a Linux inside it, WSL, name each other's folders.

Pure. Windows sees that Linux as ``\\wsl.localhost\<distribution>``; the Linux sees Windows' drives in ``/mnt``.
"""

from __future__ import annotations

import re
from typing import Final

VARIABLE: Final = "WSL_DISTRO_NAME"
"""The environment's variable that names the distribution, inside one."""
USERS: Final = "/mnt/c/Users"

_MOUNTED: Final = re.compile(r"/mnt/([a-z])(/.*)?", re.DOTALL)
_DRIVE: Final = re.compile(r"([A-Za-z]):(/.*)?", re.DOTALL)
_SHARE: Final = re.compile(r"//wsl(?:\.localhost|\$)/([^/]+)(/.*)?", re.DOTALL | re.IGNORECASE)


def outward(path: str, distribution: str) -> str:
    """Return a path of the Linux's as Windows names it."""
    mounted = _MOUNTED.fullmatch(path)
    named = f"{mounted[1]}:{mounted[2] or '/'}" if mounted else f"//wsl.localhost/{distribution}{path}"
    return named.replace("/", "\\")


def inward(path: str, distribution: str) -> str:
    """Return a path of Windows' as the Linux names it; one that it has no name for stays as it is."""
    slashed = path.replace("\\", "/")
    if drive := _DRIVE.fullmatch(slashed):
        return f"/mnt/{drive[1].lower()}{drive[2] or ''}"
    share = _SHARE.fullmatch(slashed)
    return share[2] or "/" if share and share[1].casefold() == distribution.casefold() else path
