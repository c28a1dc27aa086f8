"""A configuration put in and taken out by hand, through the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from edge_agent.__main__ import main
from edge_agent.config.start import choose
from edge_agent.config.state_store import StateStore
from edge_agent.store.lock import SingleInstanceLock
from edge_contract.deployment import Origin

TEXT = '[gateway]\nid = "{}"\ntitle = "{}"\n'


class Site:
    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        self.file = folder / "gateway.toml"
        self.bundle = folder / "bundle.toml"
        self.file.write_text(TEXT.format("gw-test-1", "first"))
        self.start()

    def start(self) -> str:
        state_store = StateStore(self.data)
        return choose(self.file, state_store, 1, lambda configuration: None).configuration.gateway.title

    def apply(self, text: str) -> int:
        self.bundle.write_text(text)
        return main(["apply", "--data", str(self.data), "--config", str(self.bundle)])


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def test_a_bundle_runs_from_the_next_start_on(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    assert site.apply(TEXT.format("gw-test-1", "by hand")) == 0
    assert site.start() == "by hand"
    assert StateStore(site.data).state.running.origin is Origin.FILE
    assert main(["configuration", "--data", str(site.data)]) == 0
    printed = capsys.readouterr().out.split("\n", 1)[1]
    assert json.loads(printed)["gateway"]["title"] == "by hand"
    assert site.apply(printed.replace("by hand", "as JSON")) == 0
    assert site.start() == "as JSON"
    capsys.readouterr()
    assert main(["configuration", "--data", str(site.data), "--list"]) == 0
    names = capsys.readouterr().out.split()
    assert len(names) == 3
    assert main(["configuration", "--data", str(site.data), "--version", names[-1][:10]]) == 0
    assert json.loads(capsys.readouterr().out)["gateway"]["title"] == "first"
    assert main(["configuration", "--data", str(site.data), "--version", ""]) == 1


def test_a_bundle_before_the_first_start_is_not_lost_to_the_file(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.data = tmp_path / "new"
    assert site.apply(TEXT.format("gw-test-1", "by hand")) == 0
    assert site.start() == "by hand"
    site.file.write_text(TEXT.format("gw-test-1", "edited"))
    assert site.start() == "edited"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (TEXT.format("gw-other-1", "x"), "gateway.id: must be gw-test-1"),
        ("[gateway]\n", "gateway: must have 'id'"),
        ("{", "file: must be a JSON object"),
    ],
)
def test_a_wrong_bundle_is_refused(
    site: Site, text: str, fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert site.apply(text) == 2
    assert fault in capsys.readouterr().err
    assert site.start() == "first"


def test_beside_a_running_agent_nothing_is_put_in(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    with SingleInstanceLock(site.data):
        assert site.apply(TEXT.format("gw-test-1", "x")) == 1
    assert "another agent" in capsys.readouterr().err
