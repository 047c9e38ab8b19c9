"""What a repository is built with, as far as its manifests say: languages, their versions, the main libraries.

Pure. A manifest that cannot be read still names its language; nothing is looked up and nothing guessed.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from agent_memory.model.text import one_line

MAX_LIBRARIES: Final = 8

# The language or tool, its version, and the libraries that a manifest names.
Found = tuple[str, object, Iterable[object]]

_NAME: Final = re.compile(r"@?[A-Za-z0-9][\w.@/-]{0,60}")
_VERSION: Final = re.compile(r"(?:Node )?[\d.x<>=~^!,*| +v-]{1,40}")
_GO_MODULE: Final = re.compile(r"^(?:require )?\s*([\w.-]+\.[\w./-]+) v\S+(?!.*// indirect)$", re.MULTILINE)
_SUPPORT: Final = re.compile(r"^(?:@types/|eslint|prettier|typescript)")


def stack_of(manifests: Mapping[str, str]) -> list[str]:
    """Return a line for each manifest that is there, from its name and text, in the order of ``MANIFESTS``."""
    return [_line(name, read(manifests[name])) for name, read in MANIFESTS.items() if name in manifests]


def _line(manifest: str, found: Found) -> str:
    language, version, libraries = found
    said = one_line(version) if isinstance(version, str) else ""
    names = (match[0] for name in libraries if isinstance(name, str) and (match := _NAME.match(name)))
    listed = ", ".join(list(dict.fromkeys(names))[:MAX_LIBRARIES])
    return f"{language}{f' {said}' if _VERSION.fullmatch(said) else ''}{f': {listed}' if listed else ''} ({manifest})"


def _python(text: str) -> Found:
    tree = _tree(tomllib.loads, text)
    poetry = _under(tree, "tool", "poetry", "dependencies")
    listed = _under(tree, "project").get("dependencies")
    libraries = listed if isinstance(listed, list) else [name for name in poetry if name != "python"]
    return "Python", _under(tree, "project").get("requires-python") or poetry.get("python"), libraries


def _javascript(text: str) -> Found:
    tree = _tree(json.loads, text)
    named = [*_under(tree, "dependencies"), *_under(tree, "devDependencies")]
    language = "TypeScript" if "typescript" in named else "JavaScript"
    node = _under(tree, "engines").get("node")
    libraries = [name for name in named if not _SUPPORT.match(name)]
    return language, f"Node {node}" if isinstance(node, str) else None, libraries


def _rust(text: str) -> Found:
    tree = _tree(tomllib.loads, text)
    edition = _under(tree, "package").get("edition")
    shared = _under(tree, "workspace", "dependencies")
    return "Rust", edition, [*_under(tree, "dependencies"), *shared]


def _go(text: str) -> Found:
    version = re.search(r"^go (\S+)", text, re.MULTILINE)
    return "Go", version and version[1], _GO_MODULE.findall(text)


def _only(language: str) -> Callable[[str], Found]:
    return lambda text: (language, None, ())


MANIFESTS: Final[Mapping[str, Callable[[str], Found]]] = {
    "pyproject.toml": _python,
    "requirements.txt": _only("Python"),
    "package.json": _javascript,
    "Cargo.toml": _rust,
    "go.mod": _go,
    "composer.json": _only("PHP"),
    "Gemfile": _only("Ruby"),
    "pom.xml": _only("Java, Maven"),
    "build.gradle": _only("Gradle"),
    "build.gradle.kts": _only("Gradle"),
    "mix.exs": _only("Elixir"),
    "pubspec.yaml": _only("Dart"),
    "CMakeLists.txt": _only("C or C++, CMake"),
    "Dockerfile": _only("Docker"),
}


def _under(tree: object, *keys: str) -> dict[str, Any]:
    for key in keys:
        tree = tree.get(key) if isinstance(tree, dict) else None
    return tree if isinstance(tree, dict) else {}


def _tree(parse: Callable[[str], object], text: str) -> object:
    try:
        return parse(text)
    except (ValueError, RecursionError):
        return None
