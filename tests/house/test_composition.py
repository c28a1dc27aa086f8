"""No attribute of the cloud is set after construction: what an object needs, its constructor gets.

Objects meet in main.py, in each domain.py, in realtime and in constructors: no line there assigns to an
attribute of another object. Anywhere else no object hands itself, its method or a function to another one in
this way. State that an object is made to hold (a row, a record) may change.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
import rules

CLOUD = rules.ROOT / "cloud" / "cloud"
MODULES = sorted(path for path in CLOUD.rglob("*.py") if "alembic" not in path.parts)
COMPOSITION = {
    *(CLOUD / name for name in ("main.py", "periodic.py", "core/services.py", "domains/base.py")),
    *CLOUD.glob("domains/*/domain.py"),
    *CLOUD.glob("realtime/*.py"),
}
CONSTRUCTORS = {"__init__", "__post_init__"}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
OWN = {"self", "cls"}
STATE_OF_THE_APPLICATION = {"app.state.services"}
"""FastAPI's place for what endpoints ask for."""

CALLBACKS_OF_LIBRARIES = {"core/xlsx/valueless.py", "link/paho_connection.py", "openapi.py"}
"""expat, paho and FastAPI take their callbacks as attributes."""


def foreign(source: str, *, everywhere: bool) -> list[int]:
    """Lines that set an attribute of another object. everywhere: not in constructors only."""
    functions = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, FUNCTIONS) and (everywhere or node.name in CONSTRUCTORS)
    ]
    bodies: list[ast.AST] = [*functions, ast.parse(source)] if everywhere else [*functions]
    return sorted({line for body in bodies for line, _ in _assigned(body)})


def handed(source: str) -> list[int]:
    """Lines at which an object hands itself, its method or a function to another one's attribute."""
    lines = set[int]()
    for made in (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ClassDef)):
        methods = {
            item.name for item in made.body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        for line, value in _assigned(made):
            is_own = isinstance(value, ast.Name) and value.id == "self"
            is_method = (
                isinstance(value, ast.Attribute)
                and ast.unparse(value.value) == "self"
                and value.attr in methods
            )
            if is_own or is_method:
                lines.add(line)
    lines |= {line for line, value in _assigned(ast.parse(source)) if isinstance(value, ast.Lambda)}
    return sorted(lines)


def _assigned(tree: ast.AST) -> Iterator[tuple[int, ast.expr | None]]:
    """Line and value of each assignment to an attribute of something else than self."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign | ast.AugAssign):
            targets = [node.target]
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("setattr", "object.__setattr__"):
            if ast.unparse(node.args[0]) not in OWN:
                yield node.lineno, node.args[-1]
            continue
        else:
            continue
        for each in (item for target in targets for item in ast.walk(target)):
            if not (isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store)):
                continue
            if ast.unparse(each.value) not in OWN and ast.unparse(each) not in STATE_OF_THE_APPLICATION:
                yield node.lineno, node.value


@pytest.mark.parametrize("path", sorted(COMPOSITION), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_where_objects_meet_nothing_is_set_afterwards(path: Path) -> None:
    assert foreign(path.read_text(), everywhere=True) == []


def test_constructors_set_their_own_attributes_only() -> None:
    found = {str(path.relative_to(CLOUD)): foreign(path.read_text(), everywhere=False) for path in MODULES}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_no_object_hands_itself_to_another_ones_attribute() -> None:
    found = {str(path.relative_to(CLOUD)): handed(path.read_text()) for path in MODULES}
    assert {name for name, lines in found.items() if lines} == CALLBACKS_OF_LIBRARIES


def test_the_rules_catch_planted_faults() -> None:
    planted = (
        "class FanOut:\n    def __init__(self, hub):\n        self._hub = hub\n        hub.peers = self\n"
    )
    assert foreign(planted, everywhere=False) == foreign(planted, everywhere=True) == handed(planted) == [4]
    late = "class A:\n    def start(self):\n        self._hub.changed = self._notify\n"
    late += "    def _notify(self): ...\n"
    assert (foreign(late, everywhere=True), foreign(late, everywhere=False), handed(late)) == ([3], [], [3])
    build = "def build(build):\n    build.hub.peers = Peers()\n    setattr(build.hub, 'changed', print)"
    assert foreign(build, everywhere=True) == [2, 3]
    assert handed("def install(app):\n    app.openapi = lambda: {}") == [2]
    assert foreign("app.state.services = services\napp.title: str = 'x'", everywhere=True) == [2]
    assert foreign("class A:\n    def __init__(self):\n        self.x = 1", everywhere=True) == []
