"""Each second one query, and what there is to do alone."""

from __future__ import annotations

import pytest
from sqlalchemy import event

from cloud.domains.commands.intake import Intake
from cloud.domains.commands.repeating import CommandRepeater
from cloud.domains.commands.rounds import CommandRounds
from edge_contract.payloads import CommandResult

from ..conftest import GATEWAY, DomainServices
from .test_command_repeating import online, write

__all__ = ["online"]


def rounds_of(services: DomainServices) -> CommandRounds:
    intake = Intake(services.devices, services.commands.presets)
    repeater = CommandRepeater(services.database, intake, services._send, services.clock)
    return CommandRounds(services.database, services.commands, repeater)


async def statements(services: DomainServices, rounds: CommandRounds) -> int:
    """That one round takes."""
    count = 0

    def noted(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        nonlocal count
        count += statement.startswith("SELECT")

    engine = services.database.engine.sync_engine
    event.listen(engine, "before_cursor_execute", noted)
    try:
        await rounds.run()
    finally:
        event.remove(engine, "before_cursor_execute", noted)
    return count


async def test_without_commands_a_round_is_one_query(online: DomainServices) -> None:
    rounds = rounds_of(online)
    assert await statements(online, rounds) == 1
    command = await write(online, 1)
    assert await statements(online, rounds) > 1
    await online.commands.result(GATEWAY, CommandResult(id=command, state="resp", t_ms=1, value=1))
    await rounds.run()
    assert await statements(online, rounds) == 1


async def test_a_round_repeats_and_expires(online: DomainServices) -> None:
    rounds = rounds_of(online)
    command = await write(online, 1)
    sent = len(online.sent)
    for _ in range(6):
        online.clock.pass_s(1)
        await rounds.run()
    assert [one.id for _, one in online.sent[sent:]] == [command]
    online.clock.pass_s(60)
    await rounds.run()
    assert online.pushed[-1].status == "networkError"


async def test_a_step_that_fails_keeps_no_other_from_its_turn(
    online: DomainServices, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail() -> None:
        raise OSError("the database is away")

    monkeypatch.setattr(online.commands, "send_waiting", fail)
    rounds = rounds_of(online)
    await write(online, 1)
    online.clock.pass_s(60)
    sent = len(online.sent)
    await rounds.run()
    assert online.pushed[-1].status == "networkError"
    assert "commands: fail failed" in caplog.text
    await write(online, 2)
    online.clock.pass_s(6)
    await rounds.run()
    assert len(online.sent) == sent + 2
