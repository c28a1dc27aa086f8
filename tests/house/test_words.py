"""Names and docstrings: plain words, one class a name, errors that are stated.

Names are those of files, functions, classes, parameters, attributes and constants.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
import rules

WORDS = frozenset((Path(__file__).parent / "refused_words.txt").read_text().split())
"""Words that say less than the industry's: CONTRIBUTING has those."""

CLOUD = "cloud/cloud"
EXEMPT: dict[str, frozenset[str]] = {
    place: frozenset(exempt.split())
    for place, exempt in {
        f"{CLOUD}/errors.py": "NotFound",
        # fields of the API
        f"{CLOUD}/domains/alarms/schemas.py": "shown",
        f"{CLOUD}/domains/completeness/schemas.py": "found_ms lent_to",
        f"{CLOUD}/domains/deploy/schemas.py": "carried",
        f"{CLOUD}/domains/devices/schemas.py": "lent_ms lent_to",
        f"{CLOUD}/domains/projects/schemas.py": "former",
        f"{CLOUD}/domains/retention/schemas.py": "kept",
        f"{CLOUD}/domains/telemetry/schemas.py": "shown",
        f"{CLOUD}/domains/templates/schemas.py": "kept",
        f"{CLOUD}/domains/tunnels/endpoints.py": "lease",
        f"{CLOUD}/domains/tunnels/schemas.py": "lease",
        # columns of tables, and what is read of them
        f"{CLOUD}/link/collection_gaps.py": "lent_to",
        f"{CLOUD}/link/collection_hours.py": "PORT_LENT",
        f"{CLOUD}/link/collection_models.py": "lent_to",
        f"{CLOUD}/link/collection_store.py": "lent_to",
        f"{CLOUD}/link/gap_store.py": "found_ms",
        f"{CLOUD}/link/ingest_buffer.py": "lane",
        f"{CLOUD}/link/models.py": "filed_ms lane",
        f"{CLOUD}/link/reception_models.py": "asked found_ms told_ms",
        f"{CLOUD}/link/rows.py": "lane",
        # keys of scenario files
        "firmware-sim/firmware_sim/devices/modbus/description.py": "holes",
        "firmware-sim/firmware_sim/devices/modbus/register.py": "ledger",
        "firmware-sim/firmware_sim/plc/mitsubishi_cells.py": "ledger",
    }.items()
}
"""Names that others hold to, by file: the list may only shrink."""

PROGRAMS = ("broker-config/contract/edge_contract", "edge-agent/edge_agent", "cloud/cloud",
            "firmware-sim/firmware_sim", "scripts")  # fmt: skip
PLUGINS = re.compile(r"edge_agent/protocols/\w+/|firmware_sim/devices/\w+/|edge_agent/forwarding/\w+/")
"""Folders that know nothing of each other: a name of their seam (Options, Address) stands in each."""

NOT_STATED = frozenset({"NotImplementedError", "AssertionError", "StopIteration"})
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def sources(program: str) -> list[Path]:
    return [path for path in rules.tracked(f"{program}/*.py") if "versions" not in path.parts]


def words_of(name: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


def names(tree: ast.AST) -> Iterator[str]:
    """Names that a module gives to what others see: not those of local variables."""
    for node in ast.walk(tree):
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.AnnAssign | ast.Assign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in (part for each in targets for part in ast.walk(each)):
                if isinstance(target, ast.Attribute) and isinstance(target.ctx, ast.Store):
                    yield target.attr
                elif isinstance(target, ast.Name) and (
                    isinstance(node, ast.AnnAssign) or target.id.isupper()
                ):
                    yield target.id


def refused_names(stem: str, source: str) -> set[str]:
    return {name for name in (stem, *names(ast.parse(source))) if words_of(name) & WORDS}


def repeated_classes(files: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    """Public classes of one name in two modules. files: path and text of a program's modules."""
    places = defaultdict(set)
    for path, source in files:
        place = "plug-ins" if PLUGINS.search(path) else path
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].add(place)
    return {name: where for name, where in places.items() if len(where) > 1}


def raised(function: ast.AST) -> set[str]:
    """Names of the errors that a function itself raises, functions inside it left out."""
    errors: set[str] = set()
    nodes = list(ast.iter_child_nodes(function))
    while nodes:
        node = nodes.pop()
        if isinstance(node, (*FUNCTIONS, ast.Lambda, ast.ClassDef)):
            continue
        nodes += ast.iter_child_nodes(node)
        if isinstance(node, ast.Raise) and node.exc is not None:
            error = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            name = error.attr if isinstance(error, ast.Attribute) else getattr(error, "id", "")
            if name[:1].isupper():
                errors.add(name)
    return errors - NOT_STATED


def unstated(source: str) -> list[str]:
    """Public functions that raise an error which their docstring does not name."""
    return [
        f"{node.name} (line {node.lineno}): {', '.join(sorted(missing))}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, FUNCTIONS) and not node.name.startswith("_")
        if (missing := {error for error in raised(node) if error not in (ast.get_docstring(node) or "")})
    ]


@pytest.mark.parametrize("program", PROGRAMS)
def test_names_are_plain(program: str) -> None:
    refused = {}
    for path in sources(program):
        place = path.relative_to(rules.ROOT).as_posix()
        if bad := refused_names(path.stem, path.read_text()) - EXEMPT.get(place, frozenset()):
            refused[place] = sorted(bad)
    assert refused == {}


def test_exempt_names_are_there() -> None:
    for place, exempt in EXEMPT.items():
        assert exempt == refused_names("", (rules.ROOT / place).read_text()), place


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_class_has_its_name_alone(program: str) -> None:
    files = [(path.relative_to(rules.ROOT).as_posix(), path.read_text()) for path in sources(program)]
    assert repeated_classes(files) == {}


@pytest.mark.parametrize("program", [program for program in PROGRAMS if program != "scripts"])
def test_errors_are_stated(program: str) -> None:
    missing = {path.name: bad for path in sources(program) if (bad := unstated(path.read_text()))}
    assert missing == {}


def test_planted_faults_are_caught() -> None:
    source = "class LoanBook:\n  kept: int\n  def tell(self, most_s: float) -> None:\n    self.whole = 1\n"
    assert refused_names("shelf", source) == {"shelf", "LoanBook", "kept", "tell", "most_s", "whole"}
    assert refused_names("store", "found = 1\n\n\ndef locked(max_s: float) -> None: ...\n") == set()
    both = [("a/b.py", "class Row: ..."), ("a/c.py", "class Row: ...\nclass _Row: ...\nclass Other: ...")]
    assert repeated_classes(both) == {"Row": {"a/b.py", "a/c.py"}}
    plugins = [(f"edge_agent/protocols/{name}/config.py", "class Options: ...") for name in ("fx", "mc")]
    assert repeated_classes(plugins) == {}
    function = 'def read():\n    """{}"""\n    raise errors.Refused("no")\n'
    assert unstated(function.format("Reads.")) == ["read (line 1): Refused"]
    assert unstated(function.format("Reads. Raises Refused when ...")) == []
