"""What can no longer be read is told of every type, in every record mode, whatever the silence (C-140)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from simulated_plant import Site, run_until_idle

from edge_agent.bus.reads import Absences
from edge_agent.config.model import Port
from edge_agent.model import PointKey, Quality, Seen
from edge_contract.freshness import unread_after_ms

TYPES = {
    "num": 'data_type = "uint16"',
    "swh": 'type = "swh"',
    "str": 'type = "str"\ndata_type = "string"',
    "loc": 'type = "loc"\ndata_type = "string"',
}
RECORDS = {0: "none", 1: "each", 2: "change"}
PLACE = 40
PERIOD_S = 10.0


def text(*, priority: bool = False, enable: bool = True, busy: bool = False) -> str:
    """A slave with a point of each type and record mode, each in a request of its own.

    priority: the switches have a reading of their own. busy: another slave takes all of the port's time.
    """
    lines = [
        '[gateway]\nid = "gw-test"',
        '[[ports]]\nname = "a"\ntype = "NET"\nhost = "h"\nmin_interval_ms = 0\ncapture_cycle_ms = 10000',
        '[[slaves]]\nname = "one"\nport = "a"\nprotocol = "modbus_tcp"\naddress = "1"\nretries = 0\n'
        f"enable = {str(enable).lower()}\noptions = {{ max_gap = 0 }}",
    ]
    for row, (kind, more) in enumerate(TYPES.items()):
        for record, name in RECORDS.items():
            offset = PLACE + row if kind == "loc" else row * 10 + record * 3
            length = ", length = 1" if kind in ("str", "loc") else ""
            urgent = '\npriority = "alarm"' if priority and kind == "swh" else ""
            lines.append(
                f'[[points]]\nslave = "one"\nname = "{kind}_{name}"\nrecord = {record}\n{more}{urgent}\n'
                f'address = {{ reg_type = "4X", offset = {offset}{length} }}'
            )
    if busy:
        lines.append(
            '[[slaves]]\nname = "hog"\nport = "a"\nprotocol = "modbus_tcp"\naddress = "2"\n'
            "capture_cycle_ms = 10\noptions = { max_gap = 0 }"
        )
        lines += [
            f'[[points]]\nslave = "hog"\nname = "h{offset}"\npriority = "alarm"\n'
            f'address = {{ reg_type = "4X", offset = {offset} }}'
            for offset in range(0, 20, 2)
        ]
    return "\n".join(lines)


NAMES = [f"{kind}_{name}" for kind in TYPES for name in RECORDS.values()]
MEMORY = {n: n for n in range(100)} | {PLACE + 3: "31.2304,121.4737"}


def qualities(here: Site) -> dict[str, Quality | None]:
    found = {name: here.live.get(here.numbers[PointKey("one", name)]) for name in NAMES}
    return {name: sample.quality if sample else None for name, sample in found.items()}


async def turned_after(here: Site, quality: Quality, max_s: float) -> dict[str, float]:
    """Seconds until each point has this quality for good, looked at every half second."""
    begun, turned = here.clock.now, dict[str, float]()
    while here.clock.now - begun < max_s:
        await here.clock.advance(0.5)
        for name, found in qualities(here).items():
            if found is quality:
                turned.setdefault(name, here.clock.now - begun)
            else:
                turned.pop(name, None)
    return turned


@pytest.mark.clause("C-140")
@pytest.mark.parametrize("priority", [False, True])
async def test_a_silent_slave(site: Any, priority: bool) -> None:
    here = site(text(priority=priority), one=dict(MEMORY))
    await here.clock.advance(PERIOD_S * 2.5)
    assert set(qualities(here).values()) == {Quality.GOOD}
    here.plant.silent.add("one")
    turned = await turned_after(here, Quality.DEVICE_OFFLINE, 60)
    assert set(turned) == set(NAMES)
    # With the next reading: half a period until it begins, and a time-out for each of the two readings.
    assert max(turned.values()) <= PERIOD_S / 2 + 2.5
    stored = {name: here.stored("one", name)[-1] for name in NAMES if not name.endswith("none")}
    assert set(stored.values()) == {(None, "DEVICE_OFFLINE")}
    assert [here.stored("one", name) for name in NAMES if name.endswith("none")] == [[]] * len(TYPES)
    here.plant.silent.clear()
    await here.clock.advance(70)
    assert set(qualities(here).values()) == {Quality.GOOD}


@pytest.mark.clause("C-140")
async def test_a_slave_that_answers_the_first_request_only(site: Any) -> None:
    """Its breaker never opens, and what lies behind the request that stays unanswered is never read."""
    here = site(text(), one=dict(MEMORY))
    await here.clock.advance(PERIOD_S * 2.5)
    requests: list[int] = []

    def fault(slave: str) -> None:
        requests.append(1)
        if len(requests) % 2 == 0:
            here.plant.silent.add("one")

    here.plant.fault = fault
    for _ in range(4):
        here.plant.silent.clear()
        requests.clear()
        await here.clock.advance(PERIOD_S)
    bad = {name for name, quality in qualities(here).items() if quality is Quality.DEVICE_OFFLINE}
    assert len(bad) == len(NAMES) - 1
    assert here.online() == {"one": True}


@pytest.mark.clause("C-140")
async def test_a_port_that_is_down(site: Any) -> None:
    here = site(text(), one=dict(MEMORY))
    await here.clock.advance(PERIOD_S * 2.5)
    here.plant.down.add("a")
    turned = await turned_after(here, Quality.PORT_DOWN, 40)
    assert set(turned) == set(NAMES)
    assert max(turned.values()) <= PERIOD_S / 2 + 1


@pytest.mark.clause("C-066", "C-140")
async def test_a_port_that_is_locked(site: Any) -> None:
    here = site(text(), one=dict(MEMORY))
    await here.clock.advance(PERIOD_S * 2.5)

    async def work(port: Port, seen: Seen) -> None:
        await asyncio.Event().wait()

    borrowed = asyncio.create_task(here.bus.run_locked("a", work, 300, 1))
    await run_until_idle()
    turned = await turned_after(here, Quality.DEVICE_OFFLINE, 40)
    assert set(turned) == set(NAMES)
    assert max(turned.values()) <= PERIOD_S * 2
    borrowed.cancel()
    await asyncio.gather(borrowed, return_exceptions=True)
    await here.clock.advance(PERIOD_S * 1.5)
    assert set(qualities(here).values()) == {Quality.GOOD}


@pytest.mark.clause("C-140")
async def test_a_failed_slave_that_has_to_wait_for_its_next_attempt(site: Any) -> None:
    """On a line without a pause a suspect waits for 30 s; its other reading must not look good meanwhile."""
    here = site(text(priority=True, busy=True), one=dict(MEMORY))
    here.plant.latency_s = 0.05
    await here.clock.advance(PERIOD_S * 2.5)
    here.plant.silent.add("one")
    turned = await turned_after(here, Quality.DEVICE_OFFLINE, 60)
    assert set(turned) == set(NAMES)
    assert max(turned.values()) <= unread_after_ms(round(PERIOD_S * 1000)) / 1000 + 1


@pytest.mark.clause("C-140")
async def test_what_nobody_has_the_time_to_read(site: Any) -> None:
    here = site(text(), one=dict(MEMORY))
    await here.clock.advance(PERIOD_S * 2.5)
    here.plant.latency_s = 1000.0  # the port hangs in its first request
    turned = await turned_after(here, Quality.STALE, 60)
    assert set(turned) == set(NAMES)
    assert max(turned.values()) <= unread_after_ms(round(PERIOD_S * 1000)) / 1000 + 1


@pytest.mark.clause("C-140")
async def test_a_slave_that_is_switched_off(site: Any) -> None:
    here = site(text(enable=False), one=dict(MEMORY))
    await here.clock.advance(1)
    assert set(qualities(here).values()) == {Quality.STALE}


async def test_an_agent_that_was_stopped_itself_reads_before_it_complains(site: Any) -> None:
    here = site(text(), one=dict(MEMORY))
    await here.clock.advance(PERIOD_S * 2.5)
    here.clock.now += 300  # as SIGSTOP does: the clock runs on, nothing else
    await here.clock.advance(PERIOD_S)
    stored_qualities = {quality for name in NAMES for _, quality in here.stored("one", name)}
    assert stored_qualities == {"GOOD"}
    assert set(qualities(here).values()) == {Quality.GOOD}


async def test_the_last_good_value_stays_readable(site: Any) -> None:
    here = site(text(), one=dict(MEMORY))
    await here.clock.advance(PERIOD_S * 2.5)
    before = {sample.point: (sample.t_ms, sample.value) for sample in here.live.readable()}
    here.plant.silent.add("one")
    await here.clock.advance(60)
    shown = here.live.readable()
    assert {sample.point: (sample.t_ms, sample.value) for sample in shown} == before
    assert {sample.quality for sample in shown} == {Quality.DEVICE_OFFLINE}
    assert {sample.value for sample in here.live.snapshot()} == {None}
    here.plant.silent.clear()
    await here.clock.advance(70)
    assert here.live.readable() == here.live.snapshot()


def test_an_absence_holds_from_its_beginning_to_its_end() -> None:
    away = Absences()
    away.begin(10.0, "port_down")
    away.begin(11.0, "port_down")
    assert away.within(8.0, 10.0) is None and away.within(8.0, 10.1) == ("port_down", "")
    away.end(12.0, "port_lent")
    assert away.within(50.0, 51.0) == ("port_down", ""), "another reason ended"
    away.end(12.0)
    away.end(13.0)
    assert away.within(11.9, 12.5) == ("port_down", "") and away.within(12.0, 13.0) is None
    away.begin(11.5, "port_lent", "li")
    assert away.within(11.0, 12.0) == ("port_lent", "li"), "a port lock speaks first"


def test_the_last_sixteen_absences_are_known() -> None:
    away = Absences()
    for number in range(17):
        away.begin(10.0 * number, f"reason {number}")
        away.end(10.0 * number + 1)
    assert away.within(0.0, 1.0) is None
    assert away.within(10.0, 11.0) == ("reason 1", "")


@pytest.mark.parametrize(("start", "end", "reason"), [
    (3.0, 5.0, "late"), (4.0, 5.1, "no_answer"), (6.0, 6.5, "no_answer"), (6.9, 8.0, "no_answer"),
    (7.0, 8.0, "late"), (20.0, 21.0, "port_down"), (30.0, 31.0, "disabled"),
])  # fmt: skip
def test_why_nothing_was_read_in_a_slot(start: float, end: float, reason: str) -> None:
    """The port, else the slave, else an answer that was awaited meanwhile, from 5 to 7."""
    port, slave = Absences(), Absences()
    port.begin(20.0, "port_down")
    port.end(25.0)
    slave.begin(30.0, "disabled")
    assert port.why("late", (5.0, 7.0), slave)(start, end)[0] == reason
