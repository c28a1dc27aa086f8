"""Commands: at most once, checked before, compared after, answered whatever happens."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from edge_agent.config.model import Point
from edge_agent.errors import BadValue, DeviceRefused, NoAnswer, StoreFull
from edge_agent.model import PointKey, Sample, Value
from edge_agent.points import same_value
from edge_agent.remote.commands import MAX_WAITING, CommandDispatcher
from edge_agent.remote.execution import Execution
from edge_agent.store.memory import MemoryJournal
from edge_agent.store.sqlite import open_sqlite
from edge_contract.payloads import Command, CommandAction, CommandResult, Outcome, decode, encode

from .gateway_bench import NOW, StillClock

POINTS = {
    PointKey("boiler", "sp"): Point(slave="boiler", name="sp", rw="readwrite", ratio=0.1, tofixed=1),
    PointKey("boiler", "t"): Point(slave="boiler", name="t"),
    PointKey("boiler", "reset"): Point(slave="boiler", name="reset", rw="writeonly"),
}


class FakeBus:
    """Reads back what was written, unless told otherwise."""

    def __init__(self, clock: StillClock) -> None:
        self.clock = clock
        self.calls: list[tuple[str, PointKey, Value, float]] = []
        self.error: Exception | None = None
        self.read_back: Value = None
        self.gate = asyncio.Event()
        self.gate.set()

    async def write(self, key: PointKey, value: Value, timeout_s: float) -> Sample:
        self.calls.append(("W", key, value, timeout_s))
        await self.gate.wait()
        self.clock.ms += 40
        if self.error:
            raise self.error
        return Sample(1, NOW, value if self.read_back is None else self.read_back)

    async def read(self, key: PointKey, timeout_s: float) -> Sample:
        self.calls.append(("R", key, None, timeout_s))
        return Sample(1, NOW, 21.5)


class Bench:
    def __init__(self, journal: Any = None) -> None:
        self.clock = StillClock()
        self.bus = FakeBus(self.clock)
        self.journal = journal or MemoryJournal()
        self.dispatcher = CommandDispatcher(Execution(POINTS, self.bus, same_value, self.clock), self.journal)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        task = asyncio.ensure_future(self.dispatcher.run())
        yield
        task.cancel()
        await asyncio.wait([task])

    async def result(self, command_id: str) -> CommandResult:
        async with asyncio.timeout(20):
            while (found := await self.journal.result(command_id)) is None:  # noqa: ASYNC110 - the journal and the fake tell nobody
                await asyncio.sleep(0.005)
        assert isinstance(found, CommandResult)
        return found


def write(
    command_id: str = "command-1", point: str = "sp", value: Value = 5.5, expires_ms: int = NOW + 20_000
) -> Command:
    return Command(
        id=command_id,
        slave="boiler",
        point=point,
        action=CommandAction.WRITE,
        expires_ms=expires_ms,
        value=value,
    )


@pytest.mark.clause("C-072")
async def test_write_is_read_back() -> None:
    bench = Bench()
    async with bench.running():
        bench.dispatcher.take(write())
        result = await bench.result("command-1")
    assert (result.state, result.value, result.latency_ms, result.code) == ("resp", 5.5, 40, "")
    assert bench.bus.calls == [("W", PointKey("boiler", "sp"), 5.5, 20.0)]
    assert bench.dispatcher.results.is_set()


@pytest.mark.clause("C-072")
async def test_another_value_read_back_is_a_mismatch() -> None:
    bench = Bench()
    bench.bus.read_back = 5.0
    async with bench.running():
        bench.dispatcher.take(write())
        result = await bench.result("command-1")
    assert (result.state, result.code, result.value) == ("fail", "mismatch", 5.0)


@pytest.mark.clause("C-012")
async def test_what_is_read_back_is_cut_to_what_a_message_may_carry(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    bench = Bench()
    bench.bus.read_back = "y" * 2_000_000
    async with bench.running():
        bench.dispatcher.take(write(value="x" * 2_000_000))
        result = await bench.result("command-1")
    assert decode(CommandResult, encode(result)).value == "y" * 200
    assert "audit: " in caplog.text
    assert max(len(record.getMessage()) for record in caplog.records) < 400


async def test_read() -> None:
    bench = Bench()
    async with bench.running():
        bench.dispatcher.take(
            Command(
                id="command-1", slave="boiler", point="t", action=CommandAction.READ, expires_ms=NOW + 1000
            )
        )
        result = await bench.result("command-1")
    assert (result.state, result.value) == ("resp", 21.5)


@pytest.mark.clause("C-078")
@pytest.mark.parametrize(
    ("command", "state", "code"),
    [
        (write(point="nowhere"), "error", "no_such_point"),
        (write(point="t"), "notAuthorized", "read_only"),
        (
            Command(
                id="command-1", slave="boiler", point="reset", action=CommandAction.READ, expires_ms=NOW + 1
            ),
            "notAuthorized",
            "write_only",
        ),
    ],
)
async def test_refused_without_touching_the_bus(command: Command, state: str, code: str) -> None:
    bench = Bench()
    async with bench.running():
        bench.dispatcher.take(command)
        result = await bench.result("command-1")
    assert (result.state, result.code) == (state, code)
    assert bench.bus.calls == []


@pytest.mark.clause("C-071")
@pytest.mark.parametrize("expires_ms", [NOW, NOW - 5000])
async def test_expired_on_the_gateways_clock_is_not_executed(expires_ms: int) -> None:
    bench = Bench()
    async with bench.running():
        bench.dispatcher.take(write(expires_ms=expires_ms))
        result = await bench.result("command-1")
    assert (result.state, result.code) == ("fail", "expired")
    assert bench.bus.calls == []


@pytest.mark.parametrize(
    ("error", "state", "code"),
    [
        (BadValue("must be at most 9"), "error", "bad_value"),
        (NoAnswer("nothing"), "fail", "no_answer"),
        (DeviceRefused(3, "illegal data value"), "fail", "device_error"),
    ],
)
async def test_errors_of_the_bus(error: Exception, state: str, code: str) -> None:
    bench = Bench()
    bench.bus.error = error
    async with bench.running():
        bench.dispatcher.take(write())
        result = await bench.result("command-1")
    assert (result.state, result.code) == (state, code)
    assert str(error) in result.detail


async def test_a_fault_in_the_code_ends_one_command_and_nothing_else(
    caplog: pytest.LogCaptureFixture,
) -> None:
    bench = Bench()
    bench.bus.error = OverflowError("cannot convert float infinity to integer")
    async with bench.running():
        bench.dispatcher.take(write())
        result = await bench.result("command-1")
        assert (result.state, result.code, result.detail) == (
            "error",
            "internal",
            "the gateway's log says why",
        )
        assert "cannot convert float infinity" in caplog.text
        bench.bus.error = None
        bench.dispatcher.take(write("command-2"))
        assert (await bench.result("command-2")).state == "resp"


@pytest.mark.clause("C-070")
async def test_the_same_id_again_is_answered_and_not_executed() -> None:
    bench = Bench()
    async with bench.running():
        bench.dispatcher.take(write())
        bench.dispatcher.take(write())
        await bench.result("command-1")
        await bench.journal.acknowledged(["command-1"])
        bench.dispatcher.results.clear()
        bench.dispatcher.take(write(value=9.9))
        await asyncio.wait_for(bench.dispatcher.results.wait(), 20)
    assert len(bench.bus.calls) == 1
    [result] = await bench.journal.unacknowledged(9)
    assert result.value == 5.5


@pytest.mark.clause("C-076")
async def test_interrupted_commands_are_answered_at_the_next_start(tmp_path: Path) -> None:
    async with open_sqlite(tmp_path, 1 << 20, lambda: NOW, time.monotonic) as store:
        bench = Bench(store.journal)
        bench.bus.gate.clear()
        async with bench.running():
            bench.dispatcher.take(write())
            while not bench.bus.calls:  # noqa: ASYNC110 - the journal and the fake tell nobody
                await asyncio.sleep(0.005)
    async with open_sqlite(tmp_path, 1 << 20, lambda: NOW, time.monotonic) as store:
        again = Bench(store.journal)
        async with again.running():
            result = await again.result("command-1")
            again.dispatcher.take(write())
            await asyncio.sleep(0.05)
        assert (result.state, result.code, result.outcome) == ("fail", "interrupted", Outcome.UNKNOWN)
        assert again.bus.calls == []
        assert [row.id for row in await store.journal.unacknowledged(9)] == ["command-1"]


async def test_too_many_commands_are_answered_busy() -> None:
    bench = Bench()
    bench.bus.gate.clear()
    async with bench.running():
        for number in range(MAX_WAITING + 20):
            bench.dispatcher.take(write(f"command-{number}"))
        await asyncio.sleep(0)
        bench.bus.gate.set()
        results = [await bench.result(f"command-{number}") for number in range(MAX_WAITING + 20)]
    busy = [result for result in results if result.code == "busy"]
    assert len(busy) == bench.dispatcher.refused == 20
    assert len(bench.bus.calls) == MAX_WAITING


async def test_what_cannot_be_recorded_is_not_executed(caplog: pytest.LogCaptureFixture) -> None:
    class FullJournal(MemoryJournal):
        async def begin(self, command: Command, t_ms: int) -> bool:
            raise StoreFull("no room")

    bench = Bench(FullJournal())
    async with bench.running():
        bench.dispatcher.take(write())
        while not bench.dispatcher.unrecorded:  # noqa: ASYNC110 - the journal and the fake tell nobody
            await asyncio.sleep(0.005)
    assert bench.bus.calls == []
    assert "is not executed" in caplog.text


@pytest.mark.clause("C-087")
@pytest.mark.parametrize(("by", "who"), [("ann", "cloud (ann)"), ("", "cloud")])
async def test_the_audit_names_the_requester(caplog: pytest.LogCaptureFixture, by: str, who: str) -> None:
    caplog.set_level("INFO")
    bench = Bench()
    async with bench.running():
        bench.dispatcher.take(msgspec.structs.replace(write(), by=by))
        await bench.result("command-1")
    assert f"audit: {who} writes 5.5 to boiler.sp: done (" in caplog.text
