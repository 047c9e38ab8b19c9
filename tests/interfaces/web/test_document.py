"""The OpenAPI document, and every route of it with valid, invalid and hostile input."""

from collections.abc import Iterator

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from agent_memory.interfaces.web.table import ROUTES, document
from tests.web import Site, site
from tests.workspace import Workspace

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
# What takes nothing cannot be given anything wrong.
CASES = [
    (f"{route.method} {route.path}", mode)
    for route in ROUTES
    for mode in GenerationMode
    if route.takes or mode == GenerationMode.POSITIVE
]
LABELS = [f"{route.method} {route.path}" for route in ROUTES]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    root = tmp_path_factory.mktemp("shop")
    (root / ".git").mkdir()
    with site(Workspace(root.resolve(), tmp_path_factory.mktemp("home"))) as one:
        one.add("We keep the orders in SQLite.", tags=["orders"])
        one.add("Rodar a migração antes do deploy.", category="tasks")
        one.post("/api/memory/profile", agentId="default", key="editor", value="vim")
        yield one


@pytest.fixture(scope="module")
def operations(served: Site):
    schema = schemathesis.openapi.from_url(f"{served.url}/api/openapi.json")
    return {f"{one.method.upper()} {one.path}": one for one in map(_right, schema.get_all_operations())}


def _right(result):
    return result.ok()


@pytest.mark.parametrize(("label", "mode"), CASES)
def test_a_route_answers_as_the_document_says_whatever_it_is_sent(served, operations, label, mode):
    @settings(max_examples=3, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(case=operations[label].as_strategy(generation_mode=mode))
    def asked(case):
        case.call_and_validate(checks=CHECKS)

    asked()


def test_the_document_has_every_route_and_nothing_else():
    paths = document()["paths"]

    assert {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods} == set(LABELS)
