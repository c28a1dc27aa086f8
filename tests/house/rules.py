"""The house's rules as functions over text and paths, so that each can be shown to catch a planted fault."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterable
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


def impurities(source: str) -> set[str]:
    """What a pure module imports although it may not do I/O, wait, log or ask the time."""
    return imported(source) & IMPURE


def pure_files() -> list[Path]:
    """Modules that must be pure."""
    agent, cloud = ROOT / "edge-agent" / "edge_agent", ROOT / "cloud" / "cloud"
    by_name = [
        path
        for folder in (agent, cloud, ROOT / "firmware-sim" / "firmware_sim")
        for path in folder.rglob("*.py")
        if path.name in {"codec.py", "planner.py", "grouping.py", "packing.py", "states.py", "window.py"}
    ]
    contract = (ROOT / "broker-config" / "contract" / "edge_contract").rglob("*.py")
    return [*by_name, agent / "model.py", *(agent / "points").rglob("*.py"), *contract]


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
