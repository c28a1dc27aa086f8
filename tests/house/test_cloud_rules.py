"""Rules of the cloud's layers that import-linter cannot say, each shown to catch a planted fault.

Endpoints: every module named *endpoints.py calls services; it imports no query, no table, no SQL.
Commits: who opens a session commits it, in the function that opened it and inside its `async with`. What
works on a session that it was given (repositories, handlers in a transaction) never commits.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
import rules

CLOUD = rules.ROOT / "cloud" / "cloud"
ENDPOINTS = sorted(CLOUD.glob("domains/*/*endpoints.py"))
MODULES = sorted(path for path in CLOUD.rglob("*.py") if "versions" not in path.parts)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def queries_of(source: str) -> set[str]:
    """Modules that an endpoint may not import."""
    found = set[str]()
    for node in ast.walk(ast.parse(source)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            is_query = name.split(".")[-1].endswith(("repository", "models"))
            if name.split(".")[0] == "sqlalchemy" or (name.startswith("cloud.") and is_query):
                found.add(name)
    return found


def foreign_commits(source: str) -> list[int]:
    """Lines that commit a session which the same function has not opened."""
    return list(_foreign(ast.parse(source), frozenset()))


def _foreign(node: ast.AST, opened: frozenset[str]) -> Iterator[int]:
    if isinstance(node, FUNCTIONS):
        opened = frozenset()
    if isinstance(node, ast.AsyncWith):
        opened |= {item.optional_vars.id for item in node.items if isinstance(item.optional_vars, ast.Name)}
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "commit":
        session = node.func.value
        if not (isinstance(session, ast.Name) and session.id in opened):
            yield node.lineno
    for child in ast.iter_child_nodes(node):
        yield from _foreign(child, opened)


@pytest.mark.parametrize("path", ENDPOINTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_endpoints_call_services(path: Path) -> None:
    assert queries_of(path.read_text()) == set()


def test_who_opens_a_session_commits_it() -> None:
    found = {str(path.relative_to(CLOUD)): foreign_commits(path.read_text()) for path in MODULES}
    assert {name: lines for name, lines in found.items() if lines and name != "alembic/env.py"} == {}
    committing = {path.name for path in MODULES if ".commit()" in path.read_text()}
    assert [name for name in committing if name.endswith(("endpoints.py", "repository.py"))] == []


def test_the_rules_catch_planted_faults() -> None:
    assert queries_of("from cloud.domains.devices.share_repository import X") == {
        "cloud.domains.devices.share_repository",
    }
    assert "sqlalchemy" in queries_of("import sqlalchemy")
    assert "cloud.domains.inventory.models" in queries_of("from cloud.domains.inventory import models")
    given = "async def add(self, session):\n    await session.commit()"
    assert foreign_commits(given) == [2]
    own = "async def add(self):\n    async with self.database.session() as session:\n        "
    assert foreign_commits(f"{own}await session.commit()") == []
    assert foreign_commits(f"{own}async def inner():\n            await session.commit()") == [4]
    assert foreign_commits("class R:\n    async def add(self):\n        await self._session.commit()") == [3]
