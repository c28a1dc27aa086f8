"""Commands without an answer are sent again, in no other order than they were requested."""

from __future__ import annotations

import pytest

from cloud.core.scope import Scope
from cloud.domains.commands.intake import Intake
from cloud.domains.commands.repeating import CommandRepeater
from cloud.domains.commands.schemas import CommandBody
from cloud.domains.identity.schemas import CurrentUser
from cloud.link import LinkDown
from edge_contract.payloads import Command, CommandResult, State

from ..conftest import BOOT, GATEWAY, SYSTEM, DomainServices, catalog, hello

USER = CurrentUser(7, "operator", 0, frozenset({"Device/cmd"}), "sign-in", Scope.system())


@pytest.fixture
async def online(services: DomainServices) -> DomainServices:
    points = catalog("pressure", "level")
    await services.presence.hello(GATEWAY, hello(points.hash))
    await services.catalogs.apply(GATEWAY, points)
    return services


class Repeating:
    def __init__(self, services: DomainServices) -> None:
        self.services = services
        self.sent: list[str] = []
        self.is_down = False
        intake = Intake(services.devices, services.commands.presets)
        self.repeater = CommandRepeater(services.database, intake, self._send, services.clock)

    async def _send(self, gateway: str, command: Command) -> None:
        if self.is_down:
            raise LinkDown("gone", may_have_sent=False)
        assert gateway == GATEWAY
        self.sent.append(command.id)

    async def after(self, seconds: float) -> list[str]:
        """What was sent up to now; the periodic job runs each second."""
        for _ in range(int(seconds)):
            self.services.clock.pass_s(1)
            await self.repeater.repeat()
        return self.sent


async def write(services: DomainServices, value: float, name: str = "pressure", expires_s: int = 20) -> str:
    [dsid] = [one.dsid for one in await services.devices.sources(SYSTEM, 1) if one.ds_name == name]
    body = CommandBody.model_validate({"dsid": dsid, "action": "W", "value": value, "expires_s": expires_s})
    return (await services.commands.request(USER, body)).id


@pytest.mark.clause("C-157")
async def test_a_command_is_sent_again_until_it_expires(online: DomainServices) -> None:
    repeating = Repeating(online)
    command = await write(online, 1)
    assert await repeating.after(4) == []
    assert await repeating.after(2) == [command]
    assert await repeating.after(60) == [command] * 3


async def test_an_answer_ends_it(online: DomainServices) -> None:
    repeating = Repeating(online)
    command = await write(online, 1)
    await repeating.after(6)
    await online.commands.result(GATEWAY, CommandResult(id=command, state="resp", t_ms=1, value=1))
    assert await repeating.after(10) == [command]


@pytest.mark.clause("C-157")
async def test_a_write_never_comes_after_a_newer_one(online: DomainServices) -> None:
    repeating = Repeating(online)
    await write(online, 1)
    online.clock.pass_s(1)
    other = await write(online, 3, "level")
    online.clock.pass_s(1)
    newer = await write(online, 2)
    assert sorted(await repeating.after(6)) == sorted([other, newer])


async def test_nothing_is_sent_to_a_gateway_that_is_away_or_over_a_broken_link(
    online: DomainServices,
) -> None:
    repeating = Repeating(online)
    command = await write(online, 1, expires_s=60)
    repeating.is_down = True
    assert await repeating.after(10) == []
    repeating.is_down = False
    await online.presence.state(GATEWAY, State(online=False, boot=BOOT, t_ms=1))
    assert await repeating.after(10) == []
    await online.presence.hello(GATEWAY, hello())
    assert await repeating.after(1) == [command]
