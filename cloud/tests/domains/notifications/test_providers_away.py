"""Providers that are away: who waits for them is woken when one is back, and never loses its attempts."""

from __future__ import annotations

from cloud.domains.notifications.channels.base import ProviderUnreachable
from cloud.domains.notifications.repository import NotificationRepository
from cloud.domains.notifications.states import (
    BACKOFF_MS,
    LAST_WOKEN_MS,
    DeliveryReason,
)

from .conftest import PLANT, FakeChannel, Scene


def away(count: int = 1) -> list[Exception]:
    return [ProviderUnreachable(DeliveryReason.UNREACHABLE) for _ in range(count)]


async def waiting_since(scene: Scene, *names: str) -> None:
    """Each of them has a message by e-mail that could not be sent and waits for minutes."""
    for name in names:
        await scene.group(await scene.contact(name), title=name)
    scene.channels["email"].answers = away(3 * len(names))
    await scene.alarm()
    await scene.pass_s(60, 5)
    scene.channels["email"].answers = []
    assert {(row.state, row.reason, row.attempts) for row in await scene.log()} == {
        ("queued", "unreachable", 2)
    }


async def test_a_message_that_goes_out_wakes_those_that_wait_for_the_same_provider(scene: Scene) -> None:
    await waiting_since(scene, "Li", "Wang", "Zhao")
    due_ms = (await scene.log())[0].due_ms
    await scene.service.test_contact(PLANT, await scene.contact("Test"), "email")
    await scene.pass_s(3)
    assert scene.clock() < due_ms
    assert {row.state for row in await scene.log()} == {"sent"}
    assert len(scene.channels["email"].sent) == 4


async def test_only_what_found_the_provider_away_is_woken(scene: Scene) -> None:
    url = "https://{}.example.com/hook"
    for name in ("one", "two"):
        await scene.group(title=name, robots=[{"kind": "webhook", "url": url.format(name)}])
    await scene.group(await scene.contact("Li"), title="mail")
    scene.channels["email"].answers = [ProviderUnreachable(DeliveryReason.DEFERRED)] * 3
    scene.channels["webhook"].answers = away(4)
    await scene.alarm()
    await scene.pass_s(60, 5)
    due = {row.name: row.due_ms for row in await scene.log()}
    scene.channels["webhook"].answers, scene.channels["email"].answers = [], []
    async with scene.database.session() as session:
        repository = NotificationRepository(session)
        await repository.wake("webhook", scene.clock(), "one.example.com")
        await repository.wake("email", scene.clock())
        await session.commit()
    assert {row.name: row.due_ms for row in await scene.log()} == {**due, "one": scene.clock()}


async def test_a_provider_that_comes_and_goes_does_not_use_up_the_attempts(scene: Scene) -> None:
    await waiting_since(scene, "Li")
    scene.channels["email"].answers = away(100)
    for _ in range(20):
        async with scene.database.session() as session:
            await NotificationRepository(session).wake("email", scene.clock())
            await session.commit()
        await scene.pass_s(2)
    [row] = await scene.log()
    assert (row.state, row.attempts) == ("queued", len(BACKOFF_MS))
    assert row.due_ms - scene.clock() > BACKOFF_MS[-1] / 2
    scene.clock.pass_s(LAST_WOKEN_MS / 1000)
    async with scene.database.session() as session:
        await NotificationRepository(session).wake("email", scene.clock())
        await session.commit()
    await scene.turn()
    assert [row.state for row in await scene.log()] == ["failed"]


class Probed(FakeChannel):
    """A provider whose return can be noticed."""

    def __init__(self) -> None:
        super().__init__()
        self.is_back, self.probes = False, 0

    async def is_reachable(self) -> bool:
        self.probes += 1
        return self.is_back


async def test_a_provider_is_looked_for_while_something_waits_for_it(scene: Scene) -> None:
    email = scene.channels["email"] = Probed()
    scene.restart()
    await scene.dispatcher.probe("email")
    assert email.probes == 0
    await waiting_since(scene, "Li", "Wang")
    await scene.dispatcher.probe("email")
    await scene.pass_s(2)
    assert (email.probes, email.sent) == (1, [])
    email.is_back = True
    await scene.dispatcher.probe("email")
    await scene.pass_s(2)
    assert len(email.sent) == 2
    await scene.dispatcher.probe("email")
    assert email.probes == 2
