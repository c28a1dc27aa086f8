"""Rules in a real database: who sees and changes them, and with whose rights they write."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from sqlalchemy import select

from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.exchange.delivery import ExchangeDelivery
from cloud.domains.exchange.runner import ExchangeRunner
from cloud.domains.exchange.schemas import ExchangeBody
from cloud.domains.exchange.service import ExchangeService
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import DataPoint, Device, DeviceShare
from cloud.errors import Conflict, NoPermission, NotFound, ParameterError
from cloud.link import LinkDown
from cloud.timeseries.base import SeriesColumn
from edge_contract.exchange_rules import ExchangeRules
from edge_contract.payloads import State

from ...conftest import BOOT, DomainServices, add_plant_and_guest, catalog, hello

PLANT = CurrentUser(1, "plant", 3, frozenset({"DataExchange", "Device/cmd"}), "", Scope(1, "/1/"))
GUEST = CurrentUser(2, "guest", 3, frozenset({"DataExchange", "Device/cmd"}), "", Scope(2, "/2/"))


class Scene:
    """Two gateways of the plant; `now` is who a rule finds when it asks for its user."""

    def __init__(self, services: DomainServices, dsids: list[int]) -> None:
        self.services, self.dsids = services, dsids
        self.now: CurrentUser | None = PLANT
        self.documents: list[tuple[str, ExchangeRules]] = []
        self.restart()

    def restart(self) -> None:
        """As a process that begins anew."""
        services = self.services
        parts = services.database, services.devices, services.commands
        self.exchange = ExchangeService(*parts, self.refresh, clock=services.clock)
        self.runner = ExchangeRunner(*parts, self._user_now, clock=services.clock)
        self.delivery = ExchangeDelivery(
            services.database, self.runner, services.devices, services.commands, self._user_now, self._send,
            clock=services.clock,
        )  # fmt: skip

    async def refresh(self) -> None:
        """After a change of rules, and from time to time."""
        await self.runner.refresh()
        await self.delivery.deliver()

    async def _send(self, gateway: str, rules: ExchangeRules) -> None:
        if self.services.link_down:
            raise LinkDown("broker is away")
        self.documents.append((gateway, rules))

    async def _user_now(self, user_id: int) -> CurrentUser | None:
        return self.now

    def body(self, **changes: object) -> ExchangeBody:
        words = {"title": "pass on", "source_dsid": self.dsids[0], "target_dsid": self.dsids[1], **changes}
        return ExchangeBody.model_validate(words)

    async def value(self, value: float) -> None:
        self.runner.note_values([SeriesColumn(self.dsids[0], [self.services.clock()], [value], [0])])
        await self.runner.run()

    async def only(self) -> tuple[str, str, object]:
        (row,) = (await self.exchange.page(PLANT, 1, 10, "", None)).rows
        return row.status, row.problem, row.last_value


@pytest.fixture
async def scene(services: DomainServices) -> AsyncIterator[Scene]:
    database: Database = services.database
    await add_plant_and_guest(services.database)
    dsids = []
    for name in ("gw-a", "gw-b"):
        await services.claims.claim(name, name, owner="plant")
        await services.catalogs.apply(name, catalog("setpoint"))
        await services.presence.hello(name, hello())
    async with database.session() as session:
        for point in await session.scalars(select(DataPoint).order_by(DataPoint.id)):
            point.rw = "readwrite"
            dsids.append(point.id)
        await session.commit()
    yield Scene(services, dsids)


async def test_a_value_becomes_a_command_with_its_evidence(scene: Scene) -> None:
    await scene.exchange.create(PLANT, scene.body(ratio=2, bias=1))
    await scene.value(20)
    ((gateway, command),) = scene.services.sent
    assert (gateway, command.value) == ("gw-b", 41)
    assert await scene.only() == ("send", "", 41)
    (status,) = (await scene.services.commands.page(PLANT.scope, None, 1, 10)).rows
    assert (status.user, status.address) == ("plant", "exchange 1")


async def test_it_writes_with_the_rights_of_now(scene: Scene) -> None:
    await scene.exchange.create(PLANT, scene.body())
    for second, (who, problem) in enumerate(
        [(None, "no_user"), (replace(PLANT, permissions=frozenset()), "no_right"), (GUEST, "no_right")]
    ):
        scene.now = who
        scene.services.clock.pass_s(2)
        await scene.value(second)
        assert (await scene.only())[1] == problem
    assert scene.services.sent == []


async def test_a_gateway_that_was_away_gets_the_value_that_still_holds(scene: Scene) -> None:
    await scene.exchange.create(PLANT, scene.body())
    await scene.services.presence.state("gw-b", State(online=False, boot=BOOT, t_ms=1))
    await scene.value(7)
    assert await scene.only() == ("networkError", "", 7)
    await scene.services.presence.hello("gw-b", hello())
    scene.services.clock.pass_s(61)
    await scene.runner.run()
    assert [(gateway, command.value) for gateway, command in scene.services.sent] == [("gw-b", 7)]


async def test_late_data_and_disabled_rules_send_nothing(scene: Scene) -> None:
    made = await scene.exchange.create(PLANT, scene.body())
    await scene.exchange.change(PLANT, made.id, scene.body(enabled=False))
    await scene.value(3)
    assert scene.services.sent == []


async def test_what_one_does_not_see_is_not_there(scene: Scene) -> None:
    made = await scene.exchange.create(PLANT, scene.body())
    assert (await scene.exchange.page(GUEST, 1, 10, "", None)).total == 0
    for question in (
        scene.exchange.delete(GUEST, made.id),
        scene.exchange.change(GUEST, made.id, scene.body()),
        scene.exchange.create(GUEST, scene.body()),
    ):
        with pytest.raises(NotFound):
            await question


async def test_read_only_and_no_right_are_refused(scene: Scene) -> None:
    async with scene.services.database.session() as session:
        for device in await session.scalars(select(Device)):
            session.add(
                DeviceShare(device_id=device.id, user_id=2, role="visitor", writes=False, created_ms=1)
            )
        await session.commit()
    with pytest.raises(NoPermission):
        await scene.exchange.create(GUEST, scene.body())
    with pytest.raises(NoPermission):
        await scene.exchange.create(replace(PLANT, permissions=frozenset({"DataExchange"})), scene.body())


async def test_one_rule_a_target_and_no_circle(scene: Scene) -> None:
    first, second = scene.dsids
    made = await scene.exchange.create(PLANT, scene.body())
    with pytest.raises(Conflict):
        await scene.exchange.create(PLANT, scene.body(title="again"))
    with pytest.raises(Conflict):
        await scene.exchange.create(PLANT, scene.body(source_dsid=second, target_dsid=first))
    with pytest.raises(Conflict):
        await scene.exchange.create(PLANT, scene.body(source_dsid=second))
    changed = await scene.exchange.change(PLANT, made.id, scene.body(title="renamed"))
    assert (changed.id, changed.title) == (made.id, "renamed")
    await scene.exchange.delete(PLANT, made.id)
    assert (await scene.exchange.page(PLANT, 1, 10, "", None)).total == 0


async def test_a_point_that_cannot_be_written_is_refused(scene: Scene) -> None:
    async with scene.services.database.session() as session:
        (await session.get_one(DataPoint, scene.dsids[1])).rw = "readonly"
        await session.commit()
    with pytest.raises(ParameterError) as caught:
        await scene.exchange.create(PLANT, scene.body())
    assert caught.value.field == "target_dsid"


async def kinds(scene: Scene, source: str, target: str) -> None:
    """What the two points are."""
    async with scene.services.database.session() as session:
        for dsid, kind in zip(scene.dsids, (source, target), strict=True):
            (await session.get_one(DataPoint, dsid)).kind = kind
        await session.commit()


@pytest.mark.parametrize(
    ("source", "target", "more", "field", "reason"),
    [
        ("num", "swh", {}, "source_dsid", "exchange.needs_switch"),
        ("str", "swh", {}, "source_dsid", "exchange.needs_switch"),
        ("str", "num", {}, "source_dsid", "exchange.needs_number"),
        ("num", "str", {}, "source_dsid", "exchange.needs_text"),
        ("swh", "swh", {"ratio": -1, "bias": 1}, "ratio", "exchange.not_converted"),
    ],
)
async def test_a_source_that_is_nothing_for_its_target_is_refused(
    scene: Scene, source: str, target: str, more: dict[str, float], field: str, reason: str
) -> None:
    await kinds(scene, source, target)
    with pytest.raises(ParameterError) as caught:
        await scene.exchange.create(PLANT, scene.body(**more))
    assert (caught.value.field, caught.value.reason) == (field, reason)


@pytest.mark.clause("C-120")
@pytest.mark.parametrize(
    ("source", "target", "value", "sent", "problem"),
    [
        ("swh", "swh", True, True, ""),
        ("swh", "swh", False, False, ""),
        ("cal", "swh", True, True, ""),
        ("cal", "swh", 1, None, "not_a_position"),
        ("swh", "num", True, 1, ""),
    ],
)
async def test_a_switch_is_given_positions_alone(
    scene: Scene, source: str, target: str, value: float, sent: object, problem: str
) -> None:
    await kinds(scene, source, target)
    await scene.exchange.create(PLANT, scene.body())
    await scene.value(value)
    assert (await scene.only())[1] == problem
    found = [command.value for _, command in scene.services.sent]
    assert [repr(each) for each in found] == ([] if sent is None else [repr(sent)])


@pytest.mark.clause("C-154")
async def test_a_watched_value_counts_once_it_is_stored_and_a_live_only_one_at_once(scene: Scene) -> None:
    await scene.exchange.create(PLANT, scene.body())

    async def received(value: float) -> list[object]:
        columns = [SeriesColumn(scene.dsids[0], [scene.services.clock()], [value], [0])]
        scene.runner.note_received(columns)
        await scene.runner.run()
        return [command.value for _, command in scene.services.sent]

    assert await received(5) == []
    await scene.value(5)
    assert [command.value for _, command in scene.services.sent] == [5]
    async with scene.services.database.session() as session:
        point = await session.get(DataPoint, scene.dsids[0])
        assert point is not None
        point.record = 0
        await session.commit()
    await scene.refresh()
    scene.services.clock.pass_s(2)
    assert await received(6) == [5, 6]
