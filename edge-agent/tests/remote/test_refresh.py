"""Refresh, and the lanes in which commands wait for their turn."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from edge_agent.errors import BadFrame, NoAnswer, PortLocked
from edge_agent.model import PointKey, Sample, Value
from edge_agent.remote.commands import POINT_QUEUES
from edge_contract.payloads import Command, CommandAction

from .gateway_bench import NOW, Bench, ask


@pytest.mark.parametrize(
    ("slave", "expected"),
    [
        (None, {("boiler", "sp"), ("boiler", "t"), ("pump", "p"), ("pump", "q")}),
        ("pump", {("pump", "p"), ("pump", "q")}),
    ],
)
async def test_refresh_reads_every_readable_point_once(
    slave: str | None, expected: set[tuple[str, str]]
) -> None:
    bench = Bench()
    result = await bench.ask(ask(slave=slave))
    assert (result.state, result.code, result.value) == ("resp", "", len(expected))
    assert set(bench.bus.read_keys) == expected
    assert len(bench.bus.read_keys) == len(expected)


async def test_refresh_asks_a_silent_slave_once_and_counts_the_rest() -> None:
    bench = Bench()
    bench.bus.errors = {"p": NoAnswer("pump is silent"), "t": BadFrame("checksum")}
    result = await bench.ask(ask())
    assert (result.state, result.value) == ("fail", 1)
    assert result.code in ("no_answer", "bad_frame")
    assert "1 of 4 points were read" in result.detail
    assert ("pump", "q") not in bench.bus.read_keys


@pytest.mark.clause("C-086")
async def test_refresh_says_that_a_port_is_locked() -> None:
    bench = Bench()
    bench.bus.errors = {"p": PortLocked("com2", "ann")}
    result = await bench.ask(ask(slave="pump"))
    assert (result.state, result.code, result.value) == ("fail", "port_lent", 0)
    assert "port com2 is lent to ann" in result.detail
    assert ("pump", "q") not in bench.bus.read_keys


async def test_refresh_of_an_unknown_slave() -> None:
    bench = Bench()
    result = await bench.ask(ask(slave="fan"))
    assert (result.state, result.code, bench.bus.read_keys) == ("error", "no_such_slave", [])


async def test_refresh_ends_with_the_commands_time() -> None:
    bench = Bench()
    result = await bench.ask(ask(expires_ms=NOW + 1_500))
    assert (result.state, result.code) == ("fail", "no_answer")
    assert len(bench.bus.read_keys) < 4


def write(command_id: str, slave: str, point: str, value: Value) -> Command:
    return Command(
        id=command_id,
        slave=slave,
        point=point,
        action=CommandAction.WRITE,
        expires_ms=NOW + 20_000,
        value=value,
    )


async def test_no_write_waits_for_an_action_of_the_gateway() -> None:
    bench = Bench()
    bench.bus.gate.clear()
    async with bench.running():
        for number in range(POINT_QUEUES + 1):
            bench.dispatcher.take(ask(command_id=f"refresh-{number}"))
        bench.dispatcher.take(write("command-1", "boiler", "sp", 1))
        assert (await bench.result()).state == "resp"


async def test_a_batch_for_one_slave_keeps_its_order_and_is_not_refused() -> None:
    bench = Bench()
    written: list[Value] = []

    async def slow(key: PointKey, value: Value, timeout_s: float) -> Sample:
        await asyncio.sleep(0 if value == 0 else 0.001)
        written.append(value)
        return Sample(1, NOW, value)

    act: Callable[[PointKey, Value, float], Awaitable[Sample]] = slow
    bench.bus.write = act  # type: ignore[method-assign]
    async with bench.running():
        for number in range(200):
            bench.dispatcher.take(write(f"command-{number:03}", "boiler", "sp", number))
        last = await bench.result("command-199")
    assert last.state == "resp"
    assert written == list(range(200))
    assert bench.dispatcher.refused == 0
