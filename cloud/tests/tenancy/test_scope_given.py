"""No endpoint of a domain with gateways forgets whom it serves: every call of a service begins with that."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import cloud.domains

DOMAINS = (
    "devices",
    "telemetry",
    "monitoring",
    "search",
    "overview",
    "completeness",
    "forwarding",
    "commands",
    "deploy",
    "tunnels",
    "templates",
    "projects",
    "products",
    "jobs",
    "sim_cards",
)
FILES = [
    file
    for domain in DOMAINS
    for file in sorted((Path(cloud.domains.__file__).parent / domain).glob("*endpoints.py"))
    if file.name != "live_endpoints.py"  # a socket: the hub asks for what its user may see
]
SERVICES = {"service", "files", "commands", "log"}


def calls(source: str) -> list[ast.Call]:
    """Calls of methods of services, or of what belongs to them (service.presets.add)."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            root = node.func.value
            while isinstance(root, ast.Attribute):
                root = root.value
            if isinstance(root, ast.Name) and root.id in SERVICES:
                found.append(node)
    return found


def forgetful(source: str) -> list[str]:
    """Calls that do not begin with user or user.scope."""
    return [
        ast.unparse(call)
        for call in calls(source)
        if not call.args or ast.unparse(call.args[0]) not in ("user", "user.scope")
    ]


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_endpoints_say_whom_they_serve(file: Path) -> None:
    assert calls(file.read_text())
    assert forgetful(file.read_text()) == []


def test_the_rule_catches_a_planted_call() -> None:
    assert forgetful("async def f():\n    await service.page(1)\n    service.presets.add(user, 1)") == [
        "service.page(1)"
    ]
    assert len(FILES) >= 8


@pytest.mark.parametrize("domain", DOMAINS)
def test_repositories_of_gateways_are_made_with_a_scope(domain: str) -> None:
    for file in (Path(cloud.domains.__file__).parent / domain).glob("*repository.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ClassDef) and node.name.endswith("Repository"):
                if node.name in ("AccessPasswordRepository", "CatalogRepository"):
                    continue  # a service asks first; gateways themselves ask
                (init,) = [
                    each
                    for each in node.body
                    if isinstance(each, ast.FunctionDef) and each.name == "__init__"
                ]
                assert [each.arg for each in init.args.args][:3] == ["self", "session", "scope"], node.name
                assert len(init.args.defaults) <= len(init.args.args) - 3, (
                    f"{node.name}: a scope that nobody gave"
                )
