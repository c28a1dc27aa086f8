"""Bytes of the links: through restarts of agent and machine, new interfaces, and a damaged file."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from edge_agent.system import link_bytes
from edge_agent.system.link_bytes import FILE, LOOK_S, SAVE_S, LinkCounter
from edge_contract.cellular import MAX_LINKS

START_MS = 1_790_000_000_000


class Machine:
    """A folder as /sys/class/net, the boot's id, and a clock."""

    def __init__(self, folder: Path) -> None:
        self.net, self.boot_file, self.data = folder / "net", folder / "boot_id", folder / "data"
        self.net.mkdir()
        self.data.mkdir()
        self.boot_file.write_text("first\n")
        self.now = START_MS
        self.looks = 0
        self.end_after = 0

    def carry(self, name: str, received: int, sent: int, *, index: int = 2, kind: str = "1") -> None:
        folder = self.net / name
        (folder / "statistics").mkdir(parents=True, exist_ok=True)
        (folder / "type").write_text(f"{kind}\n")
        (folder / "ifindex").write_text(f"{index}\n")
        (folder / "uevent").write_text("DEVTYPE=wwan\n" if name.startswith("wwan") else "\n")
        (folder / "statistics" / "rx_bytes").write_text(f"{received}\n")
        (folder / "statistics" / "tx_bytes").write_text(f"{sent}\n")

    def take_away(self, name: str) -> None:
        for file in (self.net / name).rglob("*"):
            if file.is_file():
                file.unlink()
        (self.net / name / "statistics").rmdir()
        (self.net / name).rmdir()

    def counter(self) -> LinkCounter:
        return LinkCounter(self.data, self, interfaces=self.net, boot=self.boot_file)

    def now_ms(self) -> int:
        return self.now

    def monotonic(self) -> float:
        return self.now / 1000

    async def sleep(self, seconds: float) -> None:
        self.now += round(seconds * 1000)
        self.looks += 1
        await asyncio.sleep(0)
        if self.looks >= self.end_after:
            raise asyncio.CancelledError


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def carried(counter: LinkCounter, name: str = "wwan0") -> tuple[int, int]:
    (one,) = [link for link in counter.links() if link.interface == name]
    return one.received, one.sent


def test_the_first_look_ever_begins_at_nothing(machine: Machine) -> None:
    machine.carry("wwan0", 5000, 700)
    counter = machine.counter()
    counter.look()
    (link,) = counter.links()
    assert (link.received, link.sent, link.since_ms, link.cellular) == (0, 0, START_MS, True)
    machine.carry("wwan0", 5100, 720)
    counter.look()
    assert carried(counter) == (100, 20)


@pytest.mark.clause("C-221")
def test_counts_go_on_through_restarts_of_agent_and_machine(machine: Machine) -> None:
    machine.carry("wwan0", 1000, 100)
    counter = machine.counter()
    counter.look()
    machine.carry("wwan0", 1500, 150)
    counter.look()
    counter.save()
    machine.carry("wwan0", 1800, 180)  # while no agent runs
    machine.now += 60_000
    again = machine.counter()
    again.look()
    assert carried(again) == (800, 80)
    assert again.links()[0].since_ms == START_MS
    again.save()
    machine.boot_file.write_text("second\n")
    machine.carry("wwan0", 5000, 40)  # more than before, and counted from 0 all the same
    third = machine.counter()
    third.look()
    assert carried(third) == (5800, 120)
    assert third.links()[0].since_ms == START_MS


@pytest.mark.clause("C-221")
def test_an_interface_that_goes_and_comes_back_goes_on(machine: Machine) -> None:
    machine.carry("ppp0", 0, 0, kind="512")
    counter = machine.counter()
    counter.look()
    machine.carry("ppp0", 700, 70, kind="512")
    counter.look()
    machine.take_away("ppp0")
    counter.look()
    assert carried(counter, "ppp0") == (700, 70)
    machine.carry("ppp0", 900, 10, index=9, kind="512")
    counter.look()
    assert carried(counter, "ppp0") == (1600, 80)
    machine.carry("ppp0", 20, 15, index=9, kind="512")  # a driver that has begun anew
    counter.look()
    assert carried(counter, "ppp0") == (1620, 85)
    assert counter.links()[0].cellular


def test_one_that_comes_later_is_counted_from_its_beginning(machine: Machine) -> None:
    machine.carry("eth0", 10, 10)
    counter = machine.counter()
    counter.look()
    machine.carry("wwan0", 300, 30, index=3)
    counter.look()
    assert carried(counter) == (300, 30)
    assert [link.interface for link in counter.links()] == ["wwan0", "eth0"]


@pytest.mark.clause("C-221")
@pytest.mark.parametrize("content", ["{", "", "[]", '{"boot": 1}', '{"boot": "x", "interfaces": {"a": 5}}'])
def test_a_damaged_file_begins_anew_and_says_so(machine: Machine, content: str) -> None:
    machine.carry("wwan0", 100, 10)
    first = machine.counter()
    first.look()
    first.save()
    (machine.data / FILE).write_text(content)
    machine.now += 5000
    again = machine.counter()
    again.look()
    assert carried(again) == (0, 0)
    assert again.links()[0].since_ms == START_MS + 5000


def test_bytes_wait_for_the_clock(machine: Machine) -> None:
    machine.carry("wwan0", 0, 0)
    machine.now = 5000
    counter = machine.counter()
    counter.look()
    machine.carry("wwan0", 400, 40)
    counter.look()
    assert counter.links() == []
    machine.now = START_MS
    counter.look()
    assert carried(counter) == (400, 40)


def test_loopback_bridges_and_ends_of_containers_are_not_links(machine: Machine) -> None:
    machine.carry("lo", 9, 9, kind="772")
    machine.carry("veth12", 9, 9)
    machine.carry("wwan0 €", 9, 9)
    machine.carry("br0", 9, 9)
    (machine.net / "br0" / "bridge").mkdir()
    machine.carry("eth0", 1, 1)
    (machine.net / "broken").mkdir()
    counter = machine.counter()
    counter.look()
    assert [link.interface for link in counter.links()] == ["eth0"]


def test_interfaces_are_bounded_and_one_that_is_gone_makes_place(machine: Machine) -> None:
    for number in range(MAX_LINKS + 2):
        machine.carry(f"eth{number}", 0, 0, index=number)
    counter = machine.counter()
    counter.look()
    assert len(counter.links()) == MAX_LINKS
    machine.take_away("eth0")
    counter.look()
    assert len(counter.links()) == MAX_LINKS
    assert "eth0" not in [link.interface for link in counter.links()]


async def test_it_is_saved_every_quarter_of_an_hour_and_at_the_end(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.carry("wwan0", 0, 0)
    written: list[int] = []
    write = link_bytes.write_private

    def noting(path: Path, text: str) -> None:
        written.append(machine.now)
        write(path, text)

    monkeypatch.setattr(link_bytes, "write_private", noting)
    counter = machine.counter()
    machine.end_after = round(2 * SAVE_S / LOOK_S) + 1
    carried_at_each = iter(range(1, 10_000))
    look = counter.look

    def looking() -> None:
        machine.carry("wwan0", 1000 * next(carried_at_each), 0)
        look()

    monkeypatch.setattr(counter, "look", looking)
    with pytest.raises(asyncio.CancelledError):
        await counter.run()
    assert [round((at - START_MS) / 1000) for at in written] == [900, 1800, 1810]
    again = machine.counter()
    again.look()
    assert carried(again) == carried(counter)


def test_what_has_not_changed_is_not_written_again(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.carry("eth0", 5, 5)
    counter = machine.counter()
    counter.look()
    counter.save()
    written: list[str] = []
    monkeypatch.setattr(link_bytes, "write_private", lambda path, text: written.append(text))
    counter.look()
    counter.save()
    assert written == []
    machine.carry("eth0", 6, 5)
    counter.look()
    counter.save()
    assert len(written) == 1


def test_a_medium_that_refuses_costs_nothing_but_the_file(
    machine: Machine, caplog: pytest.LogCaptureFixture
) -> None:
    machine.carry("wwan0", 0, 0)
    counter = machine.counter()
    counter.look()
    machine.data.rmdir()
    machine.carry("wwan0", 10, 1)
    for _ in range(2):
        counter.look()
        counter.save()
    assert carried(counter) == (10, 1)
    assert sum("not saved" in record.message for record in caplog.records) == 1
