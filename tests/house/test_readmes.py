"""Every package of a list has README, sample and tests; every screen has titles and a permission."""

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
PROTOCOL_PACKAGES = sorted(p.parent for p in (AGENT / "edge_agent" / "protocols").glob("*/driver.py"))
SCREENS = sorted(FEATURES.glob("*/screens.ts*"))
MIN_LINES, MAX_LINES = 5, 45
LONGER = {
    "README.md": 120,
}
"""READMEs that are longer, with their lines: the list may only shrink."""


def missing(package: Path, names: set[str]) -> set[str]:
    return {name for name in names if not (package / name).exists()}


@pytest.mark.parametrize("package", PROTOCOL_PACKAGES, ids=lambda package: package.name)
def test_protocol_package(package: Path) -> None:
    assert missing(package, {"README.md", "sample.toml", "config.py", "planner.py", "driver.py"}) == set()
    assert list((AGENT / "tests" / "protocols" / package.name).glob("test_*.py")), "no tests"


def test_every_protocol_package_is_listed() -> None:
    modules = [getattr(each, "__name__", type(each).__module__) for each in PROTOCOLS.values()]
    packages = {module.split(".")[2] for module in modules}
    assert packages == {package.name for package in PROTOCOL_PACKAGES}


def test_every_domain_is_listed_and_has_its_files() -> None:
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


def test_every_readme_has_a_bounded_length() -> None:
    for path in rules.tracked("*README.md"):
        name = path.relative_to(rules.ROOT).as_posix()
        lines = len(path.read_text().splitlines())
        assert MIN_LINES <= lines <= LONGER.get(name, MAX_LINES), f"{name}: {lines} lines"


def test_list_of_longer_readmes_is_up_to_date() -> None:
    """A README that was shortened, or is gone, leaves the list."""
    for name in LONGER:
        path = rules.ROOT / name
        assert path.exists(), name
        assert len(path.read_text().splitlines()) > MAX_LINES, f"{name} is no longer too long: take it out"
