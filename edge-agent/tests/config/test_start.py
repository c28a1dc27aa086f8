"""What runs after a start: the file if it was changed, else the version; killed at every write."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from edge_agent.config import versions
from edge_agent.config.documents import document_of
from edge_agent.config.load import ConfigErrors
from edge_agent.config.model import Configuration
from edge_agent.config.start import Start, choose
from edge_agent.config.state import ActiveVersion, Order, Trial, accepted, confirmed, switched
from edge_agent.config.state_store import StateStore
from edge_agent.errors import ConfigError
from edge_contract.deployment import Document, Origin, Receipt, Step, document_hash

NOW = 1_800_000_000_000
TEXT = '[gateway]\nid = "gw-test-1"\ntitle = "{}"\n'
ORDER = Order("deploy-01", True, NOW + 60_000)


def nothing_wrong(_: Configuration) -> None:
    """Every proof holds."""


class Site:
    """A data folder and a gateway.toml."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        self.file = folder / "gateway.toml"

    def write(self, title: str) -> str:
        """Hash of the document that the file is now."""
        self.file.write_text(TEXT.format(title))
        return document_hash(document_of(self.file.read_text()))

    def start(self, now_ms: int = NOW, proof: Callable[[Configuration], None] = nothing_wrong) -> Start:
        self.state_store = StateStore(self.data)
        return choose(self.file, self.state_store, now_ms, proof)

    def title(self) -> str:
        return self.start().configuration.gateway.title

    def deploy(self, title: str) -> ActiveVersion:
        """A confirmed deployment of the cloud."""
        running = self.stage(title)
        self.state_store.save(confirmed(self.state_store.state, receipt(running.hash)))
        return running

    def stage(self, title: str) -> ActiveVersion:
        """A deployment of the cloud that is on trial."""
        document: Document = {"gateway": {"id": "gw-test-1", "title": title}}
        state = accepted(self.state_store.state, ORDER)
        self.state_store.save(state)
        running = ActiveVersion(self.state_store.versions.keep(document), Origin.CLOUD, NOW)
        trial = Trial(ORDER, state.running, NOW + 30_000, 30, 0.9, True, [])
        self.state_store.save(switched(state, running, trial))
        return running


def receipt(running: str) -> Receipt:
    return Receipt(id=ORDER.id, step=Step.CONFIRMED, t_ms=NOW, running=running)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    made = Site(tmp_path)
    made.write("first")
    return made


@pytest.mark.clause("C-090")
def test_the_file_is_the_seed(site: Site) -> None:
    assert site.title() == "first"
    running = site.state_store.state.running
    assert (running.hash, running.origin) == (document_hash(document_of(site.file.read_text())), Origin.FILE)
    assert site.state_store.versions.read(running.hash) == {"gateway": {"id": "gw-test-1", "title": "first"}}
    for path in (site.data / versions.FOLDER).iterdir():
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077


def test_what_was_deployed_outlives_the_start_and_an_edit_of_the_file_wins(site: Site) -> None:
    site.start()
    site.deploy("deployed")
    assert site.title() == "deployed"
    site.file.write_text(f"# only a comment\n{site.file.read_text()}")
    assert site.title() == "deployed", "the document is the same"
    edited = site.write("edited")
    assert site.title() == "edited"
    assert site.state_store.state.running == ActiveVersion(edited, Origin.FILE, NOW)
    assert site.state_store.state.previous is not None


@pytest.mark.parametrize(
    "text", ["[gateway]\nid = 7\n", "no toml", '[gateway]\nid = "gw-test-1"\nx = nan\n', ""]
)
def test_a_broken_file_stops_nothing_that_ran(site: Site, text: str) -> None:
    site.start()
    site.deploy("deployed")
    site.file.write_text(text)
    start = site.start()
    assert start.configuration.gateway.title == "deployed"
    assert start.faults
    site.file.unlink()
    assert site.start().configuration.gateway.title == "deployed"
    assert site.start().faults[0].rule.startswith("must be a readable")


def test_a_file_that_only_this_gateway_refuses_stops_nothing_either(site: Site) -> None:
    def proof(configuration: Configuration) -> None:
        if configuration.gateway.title == "too much":
            raise ConfigError("points", "must be less")

    site.start(proof=proof)
    site.write("too much")
    start = site.start(proof=proof)
    assert start.configuration.gateway.title == "first"
    assert [fault.field for fault in start.faults] == ["points"]


def test_a_first_file_that_is_broken_is_refused_in_full(site: Site) -> None:
    site.file.write_text("[gateway]\nid = 7\nport = 8\n")
    with pytest.raises(ConfigErrors) as caught:
        site.start()
    assert len(caught.value.errors) == 2
    assert site.state_store.first_start


def test_a_damaged_version_gives_way_to_the_one_before(site: Site) -> None:
    site.start()
    running = site.deploy("deployed")
    (site.data / versions.FOLDER / f"{running.hash}.json").write_bytes(b"{}")
    start = site.start()
    assert start.configuration.gateway.title == "first"
    (site.data / versions.FOLDER / "state.json").write_bytes(b"\0")
    assert site.title() == "first"


def test_the_last_versions_are_stored_and_those_in_use(site: Site) -> None:
    site.start()
    seed = site.state_store.state.running.hash
    for number in range(versions.MAX_VERSIONS + 15):
        site.deploy(f"number {number}")
    hashes = site.state_store.versions.hashes()
    assert len(hashes) <= versions.MAX_VERSIONS + 2
    assert seed not in hashes
    assert site.state_store.state.needed() <= set(hashes)


@pytest.mark.clause("C-094")
def test_a_power_cut_at_any_write_leaves_all_of_the_old_or_the_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process ends before or after every rename and every fsync of a deployment."""
    replace, fsync = Path.replace, os.fsync
    outcomes: list[str] = []
    for cut in range(1, 100):
        site = Site(tmp_path / f"{cut}")
        site.data.mkdir(parents=True)
        site.write("first")
        site.start()
        left = [cut]

        def counted(left: list[int] = left) -> None:
            left[0] -= 1
            if left[0] == 0:
                raise KeyboardInterrupt

        def cut_replace(self: Path, target: Path, counted: Callable[[], None] = counted) -> Path:
            counted()
            done = replace(self, target)
            counted()
            return done

        def cut_fsync(handle: int, counted: Callable[[], None] = counted) -> None:
            counted()
            fsync(handle)

        with monkeypatch.context() as patch:
            patch.setattr(Path, "replace", cut_replace)
            patch.setattr(os, "fsync", cut_fsync)
            try:
                site.deploy("deployed")
            except KeyboardInterrupt:
                pass
            else:
                break
        outcomes.append(site.title())
        again = Site(site.data.parent)
        again.start()
        assert again.title() == "first" or site.state_store.state.trial is None
    assert outcomes == sorted(outcomes, key=["first", "deployed"].index)
    assert set(outcomes) == {"first", "deployed"}
