"""Every room in a list is furnished: README, sample, tests; every screen has titles and a permission."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import rules

from cloud.domains.all import DOMAINS
from edge_agent.protocols import PROTOCOLS

AGENT = rules.ROOT / "edge-agent"
CLOUD = rules.ROOT / "cloud"
FEATURES = rules.ROOT / "web" / "src" / "features"
PROTOCOL_ROOMS = sorted(p.parent for p in (AGENT / "edge_agent" / "protocols").glob("*/driver.py"))
SCREENS = sorted(FEATURES.glob("*/screens.ts*"))
README_LINES = range(5, 60)


def missing(room: Path, names: set[str]) -> set[str]:
    return {name for name in names if not (room / name).exists()}


@pytest.mark.parametrize("room", PROTOCOL_ROOMS, ids=lambda room: room.name)
def test_protocol_room(room: Path) -> None:
    assert missing(room, {"README.md", "sample.toml", "config.py", "planner.py", "driver.py"}) == set()
    assert list((AGENT / "tests" / "protocols" / room.name).glob("test_*.py")), "no tests"


def test_every_protocol_room_is_listed() -> None:
    modules = [getattr(room, "__name__", type(room).__module__) for room in PROTOCOLS.values()]
    rooms = {module.split(".")[2] for module in modules}
    assert rooms == {room.name for room in PROTOCOL_ROOMS}


def test_every_domain_is_listed_and_furnished() -> None:
    domains = CLOUD / "cloud" / "domains"
    assert {domain.name for domain in DOMAINS} == {path.parent.name for path in domains.glob("*/README.md")}
    for domain in DOMAINS:
        wanted = {"endpoints.py", "service.py"} if domain.routers else {"domain.py"}
        assert missing(domains / domain.name, wanted) == set(), domain.name


@pytest.mark.parametrize("screens", SCREENS, ids=lambda path: path.parent.name)
def test_every_screen_has_titles_and_a_permission(screens: Path) -> None:
    text = screens.read_text()
    paths = re.findall(r"\bpath: *'([^']+)'", text)
    keys = re.findall(r"\btitleKey: *'([^']+)'", text)
    assert paths, "no screen"
    assert len(keys) == len(paths)
    assert len(re.findall(r"\bpermission:|\blayout: *'public'", text)) >= len(paths)
    for language in ("zh", "en"):
        titles = json.loads((screens.parent / "locales" / f"{language}.json").read_text())
        for key in keys:
            assert look_up(titles, key.split(":")[-1]), f"{language}: {key}"


def look_up(titles: object, key: str) -> object:
    """A dotted key in nested or flat translations."""
    if isinstance(titles, dict) and key in titles:
        return titles[key]
    for part in key.split("."):
        titles = titles.get(part) if isinstance(titles, dict) else None
    return titles


def test_every_readme_is_a_page() -> None:
    for path in rules.tracked("*README.md"):
        lines = len(path.read_text().splitlines())
        assert lines >= README_LINES.start, path
