"""Actions of the gateway as a whole: the clauses of commands hold for them too."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from edge_agent.actions import ActionOutcome
from edge_agent.errors import NoAnswer, StoreFull
from edge_agent.forwarding.cloud.actions import forward, reallocation
from edge_agent.remote import service
from edge_agent.remote.execution import LONGEST_ACTION_S
from edge_agent.remote.service import (
    report,
    resending,
    signal_strength,
    starting_again,
)
from edge_agent.store.sqlite import open_sqlite
from edge_agent.system.cellular import ModemRefused
from edge_contract.payloads import Command, CommandAction

from .gateway_bench import DAY_MS, NOW, Bench, ask


@pytest.mark.clause("C-079")
@pytest.mark.parametrize("action", [a for a in CommandAction if len(a.value) > 1 and a.value != "refresh"])
async def test_what_this_gateway_cannot_do(action: CommandAction) -> None:
    result = await Bench().ask(ask(action))
    assert (result.state, result.code) == ("error", "not_available")
    assert action.value in result.detail


@pytest.mark.clause("C-071", "C-079")
@pytest.mark.parametrize("jump_ms", [0, DAY_MS])
async def test_expired_is_never_begun(jump_ms: int) -> None:
    """Also when the clock was set forward between sending and execution."""
    bench = Bench()
    bench.clock.ms += jump_ms
    result = await bench.ask(ask(expires_ms=NOW))
    assert (result.state, result.code, bench.bus.read_keys) == ("fail", "expired", [])


@pytest.mark.clause("C-071")
async def test_what_expires_while_it_waits_for_its_turn_is_not_begun() -> None:
    bench = Bench()
    bench.bus.gate.clear()
    async with bench.running():
        bench.dispatcher.take(ask())
        bench.dispatcher.take(ask(command_id="command-2"))
        while not bench.bus.read_keys:  # noqa: ASYNC110 - the fake tells nobody
            await asyncio.sleep(0.005)
        bench.clock.ms += DAY_MS
        bench.bus.gate.set()
        assert (await bench.result()).state == "resp", "it was begun in time, and time is not the wall clock"
        late = await bench.result("command-2")
    assert (late.state, late.code) == ("fail", "expired")
    assert len(bench.bus.read_keys) == 4


@pytest.mark.clause("C-071")
async def test_clock_put_back_a_day_does_not_give_a_command_a_day() -> None:
    bench = Bench()
    given: list[float] = []

    async def act(command: Command, timeout_s: float) -> ActionOutcome:
        given.append(timeout_s)
        return ActionOutcome()

    bench.actions[CommandAction.FORWARD] = act
    bench.clock.ms -= DAY_MS
    assert (await bench.ask(ask(CommandAction.FORWARD))).state == "resp"
    assert given == [LONGEST_ACTION_S]


@pytest.mark.clause("C-070", "C-079")
async def test_the_same_id_again_is_answered_and_not_executed() -> None:
    bench = Bench()
    async with bench.running():
        bench.dispatcher.take(ask())
        bench.dispatcher.take(ask())
        await bench.result()
        await bench.journal.acknowledged(["command-1"])
        bench.dispatcher.results.clear()
        bench.dispatcher.take(ask())
        await asyncio.wait_for(bench.dispatcher.results.wait(), 20)
    assert len(bench.bus.read_keys) == 4
    [result] = await bench.journal.unacknowledged(9)
    assert result.value == 4


@pytest.mark.clause("C-076")
@pytest.mark.parametrize(
    ("action", "state", "code"),
    [
        (CommandAction.REBOOT, "resp", ""),
        (CommandAction.RELOAD, "resp", ""),
        (CommandAction.REFRESH, "fail", "interrupted"),
    ],
)
async def test_stopped_meanwhile(tmp_path: Path, action: CommandAction, state: str, code: str) -> None:
    """Who was told to start again and is there has done it; anything else that was stopped is interrupted."""
    begun: list[str] = []

    async def hang() -> None:
        begun.append("now")
        await asyncio.Event().wait()

    async with open_sqlite(tmp_path, 1 << 20, lambda: NOW, time.monotonic) as store:
        bench = Bench(store.journal)
        bench.actions[action] = starting_again(hang, bench.clock)
        async with bench.running():
            bench.dispatcher.take(ask(action))
            while not begun:  # noqa: ASYNC110 - the fake tells nobody
                await asyncio.sleep(0.005)
        assert await store.journal.result("command-1") is None
    async with open_sqlite(tmp_path, 1 << 20, lambda: NOW, time.monotonic) as store:
        again = Bench(store.journal)
        again.actions[action] = starting_again(hang, again.clock)
        async with again.running():
            result = await again.result()
            again.dispatcher.take(ask(action))
            await asyncio.sleep(0.05)
        assert (result.state, result.code) == (state, code)
        assert begun == ["now"], "it does not start again for the same command"


async def test_a_restart_that_does_not_come_is_reported() -> None:
    bench = Bench()
    begun = []

    async def nothing() -> None:
        begun.append("now")

    bench.actions[CommandAction.REBOOT] = starting_again(nothing, bench.clock)
    result = await bench.ask(ask(CommandAction.REBOOT, expires_ms=NOW + 300_000))
    assert (result.state, result.code, begun) == ("fail", "no_restart", ["now"])
    assert result.latency_ms == service.RESTART_S * 1000


async def test_forward_commits_and_counts_what_waits() -> None:
    flushed = []

    async def flush() -> None:
        flushed.append("now")

    bench = Bench()
    bench.actions[CommandAction.FORWARD] = forward(flush, lambda: 7, lambda: None)
    result = await bench.ask(ask(CommandAction.FORWARD))
    assert (result.state, result.value, flushed) == ("resp", 7, ["now"])


@pytest.mark.parametrize(("back", "state", "code"), [(True, "resp", ""), (False, "fail", "no_answer")])
async def test_reallocation_ends_when_the_gateway_is_back(back: bool, state: str, code: str) -> None:
    async def reconnect(timeout_s: float) -> bool:
        assert timeout_s == 20
        return back

    bench = Bench()
    bench.actions[CommandAction.REALLOCATE] = reallocation(reconnect)
    result = await bench.ask(ask(CommandAction.REALLOCATE))
    assert (result.state, result.code) == (state, code)


class FakeModem:
    def __init__(self, answer: int | Exception) -> None:
        self.answer = answer

    async def signal(self) -> int:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    ("answer", "state", "value", "code"),
    [
        (23, "resp", 23, ""),
        (ModemRefused("the modem answers ERROR"), "fail", None, "device_error"),
        (NoAnswer("silent"), "fail", None, "no_answer"),
        (ZeroDivisionError("a fault in the code"), "error", None, "internal"),
    ],
)
async def test_signal_strength(answer: Any, state: str, value: int | None, code: str) -> None:
    bench = Bench()
    bench.actions[CommandAction.SIGNAL] = signal_strength(FakeModem(answer))
    result = await bench.ask(ask(CommandAction.SIGNAL))
    assert (result.state, result.value, result.code) == (state, value, code)


async def test_configuration_is_reported() -> None:
    said = []
    bench = Bench()
    bench.actions[CommandAction.CONFIGURATION] = report(lambda: said.append("now"))
    assert (await bench.ask(ask(CommandAction.CONFIGURATION))).state == "resp"
    assert said == ["now"]


async def test_history_is_sent_again() -> None:
    calls = []

    async def resend(first: int, last: int, slave: str | None = None) -> int:
        calls.append((first, last, slave))
        return 500

    bench = Bench()
    bench.actions[CommandAction.HISTORY] = resending(resend)
    result = await bench.ask(ask(CommandAction.HISTORY, from_ms=1, to_ms=9, slave=None))
    assert (result.state, result.value, calls) == ("resp", 500, [(1, 9, None)])


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        ({}, "from_ms: must be UTC milliseconds"),
        ({"from_ms": 1}, "to_ms: must be UTC milliseconds"),
        ({"from_ms": True, "to_ms": 9}, "from_ms: must be UTC milliseconds"),
        ({"from_ms": 1.5, "to_ms": 9}, "from_ms: must be UTC milliseconds"),
        ({"from_ms": 10, "to_ms": 9}, "from_ms: must not be after to_ms"),
        ({"from_ms": 1, "to_ms": 9, "slave": 3}, "slave: must be the name of a slave"),
    ],
)
async def test_arguments_that_break_a_rule(arguments: dict[str, Any], rule: str) -> None:
    async def resend(first: int, last: int, slave: str | None = None) -> int:
        raise AssertionError("nothing is sent")

    bench = Bench()
    bench.actions[CommandAction.HISTORY] = resending(resend)
    command = Command(id="command-1", action=CommandAction.HISTORY, expires_ms=NOW + 1, arguments=arguments)
    result = await bench.ask(command)
    assert (result.state, result.code, result.detail) == ("error", "bad_argument", rule)


async def test_errors_of_the_store() -> None:
    async def full() -> None:
        raise StoreFull("no room")

    bench = Bench()
    bench.actions[CommandAction.FORWARD] = forward(full, lambda: 0, lambda: None)
    result = await bench.ask(ask(CommandAction.FORWARD))
    assert (result.state, result.code, result.detail) == ("fail", "failed", "no room")


async def test_an_action_that_never_ends_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "ENDS_S", 0.0)

    async def hang(command: Command, timeout_s: float) -> ActionOutcome:
        await asyncio.Event().wait()
        raise AssertionError

    bench = Bench()
    bench.actions[CommandAction.FORWARD] = hang
    result = await bench.ask(ask(CommandAction.FORWARD, expires_ms=NOW + 50))
    assert (result.state, result.code) == ("fail", "no_answer")
