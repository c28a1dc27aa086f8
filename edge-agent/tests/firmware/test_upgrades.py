"""Orders from their arrival to their end, on a simulated gateway whose clock passes when somebody waits."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace as with_
from pathlib import Path
from typing import Any

import pytest
from faults.firmware_cuts import BEGIN_MS, Bench, FileSource, SteppedClock, bench
from msgspec.structs import replace

from edge_agent.firmware.health import compare
from edge_agent.firmware.launcher import DELIVERED
from edge_agent.firmware.slots import Baseline, Slots, UpgradeRecord
from edge_agent.firmware.upgrades import MAX_RUNS
from edge_agent.system.battery import Battery, read_battery
from edge_contract.firmware import PREFIX_BYTES, header_size
from edge_contract.upgrade import FINAL_UPGRADE, FirmwareReport, Upgrade, UpgradeStep
from firmware_sim.gateways.board import Board, BoardParts

ONE = bench(1, version=1, upgrade="upgrade-1")
TWO = bench(2, version=2, upgrade="upgrade-2")
END_S = 120.0
HEADER_BYTES = header_size(ONE.file[:PREFIX_BYTES])


class Site:
    """A gateway, what it reports, and what around it can be changed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "firmware"
        self.clock = SteppedClock()
        self.battery: Battery | None = None
        self.unlinked = b""
        self.reports: list[FirmwareReport] = []
        self.file = ONE.file
        self.parts = BoardParts(
            ONE.settings, self, self.clock, "cloud.example", battery=lambda: self.battery
        )  # fmt: skip
        self.board = self._made()

    def open(self, url: str, offset: int, size: int) -> Any:
        """download.FirmwareSource: the file of now."""
        return FileSource(self.file).open(url, offset, size)

    def _made(self) -> Board:
        return Board(self.folder, self.parts, self._is_linked)

    def _is_linked(self) -> bool:
        return self.board.started is not None and self.board.started.content != self.unlinked

    def with_settings(self, **settings: Any) -> None:
        self.parts = with_(self.parts, settings=replace(self.parts.settings, **settings))
        self.board = self._made()

    @asynccontextmanager
    async def on(self) -> AsyncIterator[None]:
        """Power until the block ends."""
        self.board = self._made()
        work = asyncio.create_task(self.board.run())
        try:
            await self.until(lambda: self.board.upgrades is not None)
            yield
        finally:
            work.cancel()
            await asyncio.wait([work])
        if not work.cancelled():
            work.result()

    async def until(self, done: Callable[[], bool]) -> None:
        async with asyncio.timeout(END_S):
            while not done():
                if self.board.upgrades is not None:
                    self.reports += [one for one in self.board.upgrades.unsent() if one not in self.reports]
                await asyncio.sleep(0.001)

    def is_tidy(self) -> bool:
        """The file of an upgrade goes behind its end."""
        return not (self.folder / "download.bin").exists()

    def take(self, order: Upgrade) -> None:
        assert self.board.upgrades is not None
        self.board.upgrades.take(order)

    def end_of(self, upgrade: str) -> FirmwareReport | None:
        return next((one for one in self.reports if one.id == upgrade and one.step in FINAL_UPGRADE), None)

    async def ends(self, order: Upgrade) -> FirmwareReport:
        """What comes of an order."""
        self.take(order)
        await self.until(lambda: self.end_of(order.id) is not None)
        end = self.end_of(order.id)
        assert end is not None
        return end

    async def upgraded(self, of: Bench, **order: Any) -> FirmwareReport:
        self.file = of.file
        return await self.ends(replace(of.order, **order))


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


@pytest.mark.clause("C-205", "C-207", "C-208")
async def test_two_upgrades_take_turns_in_the_slots(site: Site) -> None:
    async with site.on():
        end = await site.upgraded(ONE)
        assert (end.step, end.code, end.firmware.version) == (UpgradeStep.CONFIRMED, "", 1)
        seen = list(dict.fromkeys(one.step for one in site.reports))  # a step that passed unseen is left out
        assert seen == [step for step in UpgradeStep if step in seen]
        assert site.board.started is not None
        assert (site.board.started.slot, site.board.started.content) == ("a", ONE.image)
        end = await site.upgraded(TWO)
        assert (end.step, end.firmware.version) == (UpgradeStep.CONFIRMED, 2)
        assert (site.board.started.slot, site.board.started.content) == ("b", TWO.image)
        await site.until(site.is_tidy)
    async with site.on():
        assert site.board.started is not None
        assert (site.board.started.content, site.board.started.trial_s) == (TWO.image, 0)


@pytest.mark.clause("C-205")
async def test_how_it_ended_is_said_until_it_is_acknowledged(site: Site) -> None:
    async with site.on():
        await site.upgraded(ONE)
    async with site.on():
        upgrades = site.board.upgrades
        assert upgrades is not None
        assert [one.id for one in upgrades.unsent()] == ["upgrade-1"] == [one.id for one in upgrades.unsent()]
        assert not upgrades.idle
        await upgrades.acknowledged(["upgrade-0", "upgrade-1"])
        assert upgrades.unsent() == []
        assert upgrades.idle


@pytest.mark.clause("C-204")
async def test_an_order_is_carried_out_once(site: Site) -> None:
    async with site.on():
        await site.upgraded(ONE)
        assert site.board.upgrades is not None
        await site.board.upgrades.acknowledged(["upgrade-1"])
        starts, site.reports = site.board.starts, []
        end = await site.upgraded(ONE)
        assert (end.step, site.board.starts) == (UpgradeStep.CONFIRMED, starts)
        end = await site.upgraded(ONE, id="upgrade-8")
        assert (end.step, end.code, site.board.starts) == (UpgradeStep.CONFIRMED, "unchanged", starts)


@pytest.mark.clause("C-204")
async def test_a_second_order_meanwhile_is_refused(site: Site) -> None:
    async with site.on():
        site.take(replace(ONE.order, window=(0, 1)))  # waits
        await site.until(lambda: bool(site.reports))
        end = await site.ends(replace(TWO.order))
        assert (end.step, end.code) == (UpgradeStep.REFUSED, "busy")
        assert "upgrade-1" in end.detail
        assert end.firmware.upgrade == "upgrade-1"


@pytest.mark.clause("C-201", "C-202", "C-204", "C-206", "C-209")
@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({"url": "https://elsewhere.example/x"}, "url", "elsewhere.example"),
        ({"url": "http://cloud.example/x"}, "url", "https"),
        ({"expires_ms": BEGIN_MS}, "expired", "0 ms ago"),
        ({"version": 2}, "not_this_file", "version 2"),
        ({"size": ONE.order.size + 1}, "not_this_file", str(ONE.order.size + 1)),
        ({"sha256": "0" * 64}, "hash", "was ordered"),
    ],
)
async def test_what_does_not_fit_the_order_is_refused(
    site: Site, change: dict[str, Any], code: str, words: str
) -> None:
    async with site.on():
        end = await site.upgraded(ONE, **change)
        assert (end.step, end.code, end.firmware.version) == (UpgradeStep.REFUSED, code, 0)
        assert words in end.detail
        assert site.board.starts == 1
        await site.until(site.is_tidy)


@pytest.mark.clause("C-201", "C-206")
@pytest.mark.parametrize(
    ("settings", "code"),
    [({"model": "another"}, "model"), ({"name": "another"}, "name"), ({"keys": {}}, "key")],
)
async def test_a_gateway_that_it_is_not_for_refuses_it_before_it_has_loaded_it(
    site: Site, settings: dict[str, Any], code: str
) -> None:
    site.with_settings(**settings)
    async with site.on():
        end = await site.upgraded(ONE)
    assert (end.step, end.code) == (UpgradeStep.REFUSED, code)
    assert end.done < ONE.order.size


@pytest.mark.clause("C-200", "C-201")
@pytest.mark.parametrize(
    ("at", "code"),
    [(0, "format"), (PREFIX_BYTES, "format"), (HEADER_BYTES - 1, "signature"), (HEADER_BYTES, "hash")],
)
async def test_a_file_that_was_changed_on_its_way_is_refused(site: Site, at: int, code: str) -> None:
    """Also when the order names the hash of the changed file: who can change the one can change the other."""
    changed = bytearray(ONE.file)
    changed[at] ^= 1
    site.file = bytes(changed)
    order = replace(ONE.order, sha256=hashlib.sha256(changed).hexdigest())
    async with site.on():
        end = await site.ends(order)
    assert (end.step, end.code, end.firmware.version) == (UpgradeStep.REFUSED, code, 0)


@pytest.mark.clause("C-202")
async def test_an_older_version_comes_back_only_if_that_is_ordered(site: Site) -> None:
    async with site.on():
        await site.upgraded(TWO)
        end = await site.upgraded(ONE)
        assert (end.step, end.code) == (UpgradeStep.REFUSED, "older")
        end = await site.upgraded(ONE, id="upgrade-3", allow_older=True)
        assert (end.step, end.firmware.version) == (UpgradeStep.CONFIRMED, 1)


@pytest.mark.clause("C-208")
@pytest.mark.parametrize("behaviour", ["crash", "hang"])
async def test_an_image_that_does_not_work_is_left(site: Site, behaviour: str) -> None:
    bad = bench(3, head=f"behaviour={behaviour}\n".encode(), version=2, upgrade="upgrade-3")
    async with site.on():
        await site.upgraded(ONE)
        end = await site.upgraded(bad)
        assert (end.step, end.code, end.firmware.version) == (UpgradeStep.ROLLED_BACK, behaviour, 1)
        assert site.board.started is not None
        assert site.board.started.content == ONE.image
        assert site.board.upgrades is not None
        assert site.board.upgrades.rolled_back
        end = await site.upgraded(TWO)
        assert (end.step, end.firmware.version) == (UpgradeStep.CONFIRMED, 2)
        assert not site.board.upgrades.rolled_back


@pytest.mark.clause("C-208")
async def test_a_version_without_a_link_is_left_by_itself(site: Site) -> None:
    async with site.on():
        await site.upgraded(ONE)
        site.unlinked = TWO.image
        begun_s = site.clock.monotonic()
        end = await site.upgraded(TWO, confirm_s=300)
        assert (end.step, end.code) == (UpgradeStep.ROLLED_BACK, "link")
        assert 300 <= site.clock.monotonic() - begun_s <= 310
        await site.until(lambda: site.board.started is not None and site.board.started.content == ONE.image)
        assert site.board.upgrades is not None
        assert site.board.upgrades.state().version == 1


@pytest.mark.clause("C-209")
@pytest.mark.parametrize(
    ("battery", "step"),
    [
        (Battery(29, external=False), UpgradeStep.REFUSED),
        (Battery(29, external=True), UpgradeStep.CONFIRMED),
        (Battery(30, external=False), UpgradeStep.CONFIRMED),
        (None, UpgradeStep.CONFIRMED),
    ],
)
async def test_a_low_battery_refuses_and_an_unknown_one_is_said(
    site: Site, battery: Battery | None, step: UpgradeStep
) -> None:
    site.battery = battery
    async with site.on():
        end = await site.upgraded(ONE)
    assert end.step is step
    assert end.code == ("battery" if step is UpgradeStep.REFUSED else "")


@pytest.mark.clause("C-209")
async def test_a_medium_without_space_refuses(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware_sim.gateways.board.free_bytes", lambda folder: 33 * 2**20)
    async with site.on():
        end = await site.upgraded(ONE)
    assert (end.step, end.code) == (UpgradeStep.REFUSED, "disk")
    assert "33 MiB are free" in end.detail


@pytest.mark.clause("C-204")
async def test_it_waits_for_its_window_and_expires_there(site: Site) -> None:
    minute = BEGIN_MS // 60_000 % 1440
    inside, never = (
        ((minute + 90) % 1440, (minute + 100) % 1440),
        ((minute + 600) % 1440, (minute + 610) % 1440),
    )
    async with site.on():
        end = await site.upgraded(ONE, window=inside)
        assert end.step is UpgradeStep.CONFIRMED
        assert 90 * 60 - 60 <= site.clock.monotonic() <= 102 * 60
        end = await site.upgraded(TWO, window=never, expires_ms=site.clock.now_ms() + 3_600_000)
        assert (end.step, end.code, end.firmware.version) == (UpgradeStep.REFUSED, "window", 1)


@pytest.mark.clause("C-207")
@pytest.mark.parametrize("runs", [MAX_RUNS - 1, MAX_RUNS])
async def test_an_upgrade_that_is_interrupted_again_and_again_is_given_up(site: Site, runs: int) -> None:
    """What ends the agent whenever it goes on with an upgrade must not do so for ever."""
    record = UpgradeRecord(order=ONE.order, runs=runs)
    Slots(site.folder, DELIVERED).update(lambda now: replace(now, record=record))
    async with site.on():
        await site.until(lambda: site.end_of("upgrade-1") is not None)
    end = site.end_of("upgrade-1")
    assert end is not None
    assert end.step is (UpgradeStep.CONFIRMED if runs < MAX_RUNS else UpgradeStep.REFUSED)
    assert end.code == ("" if runs < MAX_RUNS else "interrupted")


@pytest.mark.parametrize(
    ("answering", "good", "linked", "code"),
    [
        ({"a", "b"}, 100, True, ""),
        ({"a", "b", "c"}, 90, True, ""),
        ({"a"}, 100, True, "slaves"),
        ({"a", "b"}, 89, True, "points"),
        ({"a", "b"}, 100, False, "link"),
    ],
)
def test_what_was_well_before_is_well_again(answering: set[str], good: int, linked: bool, code: str) -> None:
    before = Baseline(slaves=["a", "b"], good=100, linked=True)
    assert compare(before, answering, good, linked=linked).code == code
    assert compare(Baseline(), (), 0, linked=False).code == ""


@pytest.mark.parametrize(
    ("supplies", "battery"),
    [
        ({}, None),
        ({"AC": {"type": "Mains", "online": "1"}}, None),
        ({"B": {"type": "Battery", "capacity": "41", "status": "Discharging"}}, Battery(41, external=False)),
        ({"B": {"type": "Battery", "capacity": "41", "status": "Charging"}}, Battery(41, external=True)),
        (
            {"BAT0": {"type": "Battery", "capacity": "41"}, "BAT1": {"type": "Battery", "capacity": "9"},
             "AC": {"type": "Mains", "online": "1"}},
            Battery(9, external=True),
        ),
        ({"mouse": {"type": "Battery", "scope": "Device", "capacity": "3"}}, None),
        ({"BAT0": {"type": "Battery", "capacity": "?"}}, None),
    ],
)  # fmt: skip
def test_batteries(tmp_path: Path, supplies: dict[str, dict[str, str]], battery: Battery | None) -> None:
    for name, files in supplies.items():
        (tmp_path / name).mkdir()
        for file, text in files.items():
            (tmp_path / name / file).write_text(text + "\n")
    assert read_battery(tmp_path) == battery
    assert read_battery(tmp_path / "none") is None
