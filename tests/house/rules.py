"""The house's rules as functions over text and paths, so that each can be shown to catch a planted fault."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

TOP_LEVEL = {
    "edge-agent", "cloud", "web", "firmware-sim", "broker-config", "scripts", "tests", "README.md",
    "README.zh.md", "pyproject.toml", "requirements.txt", "requirements-dev.txt",
    "requirements-bootstrap.txt", "conftest.py",
    ".ci", ".gitignore", ".gitattributes", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE",
}  # fmt: skip

IMPURE = {
    "asyncio", "socket", "serial", "serial_asyncio_fast", "logging", "time", "os", "pathlib", "subprocess",
    "threading", "sqlite3", "aiosqlite", "aiohttp", "paho", "httpx", "sqlalchemy", "fastapi", "pymodbus",
}  # fmt: skip

IMPURE_CALLS = {
    "open", "input", "print", "datetime.now", "datetime.utcnow", "datetime.today", "date.today", "sys.exit",
}  # fmt: skip

PURE = re.compile(r"\bpure\b", re.IGNORECASE)
PURE_NAMES = {"codec.py", "planner.py", "grouping.py", "packing.py", "states.py", "window.py"}

CONTRACT_MAY_IMPORT_OUTSIDE_STANDARD_LIBRARY = {"msgspec", "edge_contract"}

BANNED_NAMES = re.compile(r"(^|_)(utils?|helpers?|common|manager|misc|v2)($|_)")

MOST_LINES = 400

GENERATED = ("web/src/api/generated/", "web/openapi.json", "web/package-lock.json")


def tracked(*patterns: str) -> list[Path]:
    """Files that git tracks or would track, by pattern."""
    words = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns]
    found = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    return [ROOT / line for line in found if line and (ROOT / line).is_file()]


def imported(source: str) -> set[str]:
    """First names of every absolute import of a Python text."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.add(node.module.split(".")[0])
    return names


def modules(source: str) -> set[str]:
    """Dotted names of every absolute import of a Python text, of "from a import b" also a.b."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def impurities(source: str) -> set[str]:
    """What a pure module imports or calls although it may not do I/O, wait, log or ask the time.

    Imports for annotations only (TYPE_CHECKING) do nothing and do not count.
    """
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            node.body = [ast.Pass()]
    return (imported(ast.unparse(tree)) & IMPURE) | (_called(tree) & IMPURE_CALLS)


def _called(tree: ast.AST) -> set[str]:
    """Names of what is called: of functions, and of methods with what stands before them."""
    calls = (ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {".".join(name.split(".")[-2:]) for name in calls}


def says_pure(source: str) -> bool:
    """Whether a module says in its docstring that it is pure."""
    if not PURE.search(source):
        return False
    return PURE.search(ast.get_docstring(ast.parse(source)) or "") is not None


def named_pure(readme: str) -> set[str]:
    """What a README calls pure: `name.py` (pure), `name.py` is pure, and all of a sentence "Pure: ...".

    Gives words: those without backticks need not be modules.
    """
    direct = re.findall(r"`([\w/]+)\.py`(?: is|,)? \(?pure", readme)
    sentences = re.findall(r"\bPure: (.*?)(?:\.\s|\.$|\Z)", readme.replace(".py`", "`"), re.DOTALL)
    return {*direct, *(word for sentence in sentences for word in re.findall(r"\w+", sentence))}


@cache
def pure_files() -> list[Path]:
    """Modules that must be pure: by name, by their own word, by their package's, by its README's."""
    agent, cloud = ROOT / "edge-agent" / "edge_agent", ROOT / "cloud" / "cloud"
    contract = ROOT / "broker-config" / "contract" / "edge_contract"
    found = {agent / "model.py", *(agent / "points").rglob("*.py")}
    for folder in (agent, cloud, contract, ROOT / "firmware-sim" / "firmware_sim"):
        for path in folder.rglob("*.py"):
            if path.name in PURE_NAMES or says_pure(path.read_text()):
                found |= set(path.parent.rglob("*.py")) if _speaks_for_package(path) else {path}
        for readme in folder.rglob("README.md"):
            named = (readme.parent / f"{name}.py" for name in named_pure(readme.read_text()))
            found |= {path for path in named if path.is_file()}
    return sorted(found)


def _speaks_for_package(path: Path) -> bool:
    """Whether a package's docstring says "Pure" in a sentence of its own, for every module in it."""
    doc = ast.get_docstring(ast.parse(path.read_text())) or ""
    return path.name == "__init__.py" and re.search(r"(?:^|\.\s+)Pure[.:]", doc) is not None


def foreign_top_level(names: Iterable[str]) -> set[str]:
    """Entries at the top that the layout does not have."""
    return set(names) - TOP_LEVEL


def banned_names(paths: Iterable[Path]) -> list[str]:
    """Paths with a part that says nothing about what lies in it."""
    return [
        str(path)
        for path in paths
        if any(
            BANNED_NAMES.search(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", Path(part).stem).lower())
            for part in path.parts
        )
    ]


def lock_addresses(text: str) -> list[str]:
    """Registry addresses in a lock or requirement file."""
    return re.findall(r"https?://\S+|--(?:extra-)?index-url\S*", text)


def machine_paths(text: str) -> list[str]:
    """Absolute paths of somebody's machine."""
    return re.findall(r"(?<![\w.$}\-])/(?:root|work|home/\w+|Users/\w+)/\S*", text)
