"""Rules of one gateway: who runs them while they move, who may have them there, and what is noted of them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import select

from cloud.core.gateway_work import HomeKind
from cloud.domains.exchange.models import ExchangeRule
from cloud.domains.exchange.schemas import ExchangeRow
from cloud.domains.inventory.models import DataPoint, Device
from cloud.errors import Conflict
from cloud.timeseries.base import SeriesColumn
from edge_contract.exchange_rules import (
    ExchangeProblem,
    ExchangeReport,
    ExchangeResult,
    ExchangeRules,
    exchange_hash,
)
from edge_contract.model import Value
from edge_contract.payloads import CommandResult

from ...conftest import catalog, hello
from .test_exchange import PLANT, Scene, scene

FIXTURES = (scene,)
GATEWAY = "gw-c"
PASSWORD = "geheim1"
ID = "a1" * 8


class Within:
    """Beside the scene's two gateways one that runs rules, with the points level, setpoint and other."""

    def __init__(self, scene: Scene, device: int, dsids: list[int]) -> None:
        self.scene, self.device, self.dsids = scene, device, dsids
        self.delivery, self.services = scene.delivery, scene.services

    def restart(self) -> None:
        self.scene.restart()
        self.delivery = self.scene.delivery

    async def rule(self, source: int = 0, target: int = 1, **changes: object) -> ExchangeRow:
        body = self.scene.body(source_dsid=self.dsids[source], target_dsid=self.dsids[target], **changes)
        return await self.scene.exchange.create(PLANT, body)

    async def change(self, number: int, source: int, target: int, **changes: object) -> ExchangeRow:
        body = self.scene.body(source_dsid=source, target_dsid=target, **changes)
        return await self.scene.exchange.change(PLANT, number, body)

    async def report(
        self, *results: ExchangeResult, rules: ExchangeRules | None = None, **more: object
    ) -> None:
        """Of what the gateway was given last, unless other rules are named."""
        held = rules or (self.given[-1] if self.given else None)
        digest = None if held is None else held.hash
        report = ExchangeReport(id=ID, hash=digest, results=list(results), **more)  # type: ignore[arg-type]
        await self.delivery.reported(GATEWAY, report)

    @property
    def given(self) -> list[ExchangeRules]:
        return [rules for gateway, rules in self.scene.documents if gateway == GATEWAY]

    async def value(self, value: Value, seconds: float = 2) -> None:
        """The source has another value in the cloud, some seconds later."""
        self.services.clock.pass_s(seconds)
        column = SeriesColumn(self.dsids[0], [self.services.clock()], [value], [0])
        self.scene.runner.note_values([column])
        await self.scene.runner.run()

    async def pass_s(self, seconds: float) -> None:
        self.services.clock.pass_s(seconds)
        await self.scene.runner.refresh()
        await self.delivery.deliver()
        await self.scene.runner.run()

    @property
    def sent(self) -> list[Value]:
        return [command.value for gateway, command in self.services.sent if gateway == GATEWAY]

    async def end_commands(self) -> None:
        for _, command in self.services.sent:
            await self.services.commands.result(GATEWAY, CommandResult(id=command.id, state="resp", t_ms=1))

    async def home(self, number: int) -> tuple[HomeKind, str]:
        rows = (await self.scene.exchange.page(PLANT, 1, 100, "", None)).rows
        (row,) = [row for row in rows if row.id == number]
        return row.home, row.home_reason


def done(rule: int, value: float, t_ms: int, **more: object) -> ExchangeResult:
    words: dict[str, object] = {"source": value, "value": value, "read": value, **more}
    return ExchangeResult(rule=rule, t_ms=t_ms, **words)  # type: ignore[arg-type]


@pytest.fixture
async def within(scene: Scene) -> Within:
    services = scene.services
    await services.claims.claim(GATEWAY, GATEWAY, owner="plant")
    await services.catalogs.apply(GATEWAY, catalog("level", "setpoint", "other"))
    await services.presence.hello(GATEWAY, hello())
    async with services.database.reading() as session:
        device = (await session.scalars(select(Device.id).where(Device.gateway_id == GATEWAY))).one()
        points = select(DataPoint.id).where(DataPoint.device_id == device).order_by(DataPoint.id)
        dsids = list(await session.scalars(points))
    await scene.delivery.connected(GATEWAY, True)
    return Within(scene, device, dsids)


@pytest.mark.clause("C-180", "C-181", "C-184")
async def test_a_rule_moves_when_its_gateway_has_confirmed_it_and_rests_meanwhile(within: Within) -> None:
    made = await within.rule(ratio=2)
    (rules,) = within.given
    (document,) = rules.rules
    assert (document.id, document.ratio, rules.hash) == (made.id, 2, exchange_hash(rules.rules))
    assert (document.source.point, document.target.point) == ("level", "setpoint")
    assert await within.home(made.id) == (HomeKind.MOVING, "")
    await within.value(5)
    assert within.sent == []
    await within.report()
    assert await within.home(made.id) == (HomeKind.GATEWAY, "")
    await within.value(6)
    await within.pass_s(120)
    assert (within.sent, len(within.given)) == ([], 1)


@pytest.mark.clause("C-184")
async def test_without_an_answer_the_cloud_goes_on_after_15_s_and_asks_again(within: Within) -> None:
    made = await within.rule()
    await within.value(5)
    await within.pass_s(12.9)
    assert within.sent == []
    await within.pass_s(0.1)
    assert (within.sent, await within.home(made.id)) == ([5], (HomeKind.CLOUD, "unconfirmed"))
    await within.end_commands()
    await within.pass_s(45)
    assert len(within.given) == 2
    await within.value(6)
    assert within.sent == [5]
    await within.report()
    assert await within.home(made.id) == (HomeKind.GATEWAY, "")


@pytest.mark.clause("C-184")
async def test_what_went_last_goes_along_both_ways(within: Within) -> None:
    await within.delivery.connected(GATEWAY, False)
    made = await within.rule()
    await within.value(5)
    assert within.sent == [5]
    await within.end_commands()
    await within.delivery.connected(GATEWAY, True)
    await within.pass_s(3)
    (state,) = within.given[-1].states
    assert (state.rule, state.sent, state.ago_ms, state.missed) == (made.id, 5, 3000, False)
    await within.report()
    await within.report(done(made.id, 7, within.services.clock()))
    await within.delivery.connected(GATEWAY, False)
    await within.pass_s(1)
    assert await within.home(made.id) == (HomeKind.CLOUD, "unsupported")
    await within.value(7)
    assert within.sent == [5], "the gateway has passed it on already"
    await within.value(8)
    assert within.sent == [5, 8]


@pytest.mark.clause("C-184")
async def test_a_command_on_its_way_holds_the_rule_here(within: Within) -> None:
    await within.delivery.connected(GATEWAY, False)
    made = await within.rule()
    await within.value(5)
    await within.delivery.connected(GATEWAY, True)
    await within.pass_s(1)
    assert (await within.home(made.id), within.given) == ((HomeKind.CLOUD, "command_open"), [])
    await within.end_commands()
    await within.pass_s(2)
    assert await within.home(made.id) == (HomeKind.MOVING, "")


@pytest.mark.clause("C-184")
async def test_a_rule_comes_back_when_the_gateway_has_stopped_it(within: Within) -> None:
    made = await within.rule()
    await within.report()
    held = within.given[-1]
    await within.change(made.id, within.dsids[0], within.scene.dsids[1])
    assert (within.given[-1].rules, await within.home(made.id)) == ([], (HomeKind.MOVING, ""))
    await within.value(5)
    await within.report(rules=held)
    assert within.services.sent == []
    await within.report()
    assert await within.home(made.id) == (HomeKind.CLOUD, "two_gateways")
    await within.scene.runner.run()
    assert [(gateway, command.value) for gateway, command in within.services.sent] == [("gw-b", 5)]


@pytest.mark.clause("C-184")
async def test_a_gateway_that_is_away_holds_nothing_up_for_longer_than_15_s(within: Within) -> None:
    made = await within.rule()
    await within.report()
    async with within.services.database.session() as session:
        (await session.get_one(Device, within.device)).online = False
        await session.commit()
    await within.change(made.id, within.dsids[0], within.scene.dsids[1])
    await within.value(5)
    assert (len(within.given), within.services.sent) == (1, [])
    await within.pass_s(13)
    assert [command.value for _, command in within.services.sent] == [5]
    await within.end_commands()
    await within.pass_s(60)
    await within.value(6)
    assert [command.value for _, command in within.services.sent] == [5, 6], "and does so once"


async def test_a_changed_rule_stays_at_its_gateway(within: Within) -> None:
    made = await within.rule()
    await within.report()
    await within.change(made.id, within.dsids[0], within.dsids[1], ratio=3)
    assert await within.home(made.id) == (HomeKind.GATEWAY, "")
    assert [rule.ratio for rule in within.given[-1].rules] == [3]
    await within.scene.exchange.delete(PLANT, made.id)
    assert within.given[-1].rules == []


async def test_a_cloud_that_starts_again_leaves_rules_where_they_are(within: Within) -> None:
    made = await within.rule()
    await within.report()
    within.restart()
    await within.scene.runner.refresh()
    await within.value(5)
    await within.pass_s(1)
    assert (within.sent, await within.home(made.id)) == ([], (HomeKind.GATEWAY, ""))
    await within.delivery.connected(GATEWAY, True)
    await within.delivery.reported(GATEWAY, ExchangeReport(id=ID))
    assert len(within.given) == 2, "a gateway that has lost its store gets them again"


@pytest.mark.parametrize(
    ("now", "reason"),
    [(None, "no_user"), (replace(PLANT, permissions=frozenset()), "no_right")],
)
async def test_rights_are_looked_at_each_minute(within: Within, now: object, reason: str) -> None:
    made = await within.rule()
    await within.report()
    within.scene.now = now  # type: ignore[assignment]
    await within.pass_s(59)
    assert await within.home(made.id) == (HomeKind.GATEWAY, "")
    await within.pass_s(1)
    assert within.given[-1].rules == []
    await within.report()
    assert await within.home(made.id) == (HomeKind.CLOUD, reason)
    await within.value(5)
    assert within.services.sent == []


async def test_a_gateway_with_an_access_password_has_rules_that_were_granted(within: Within) -> None:
    made = await within.rule()
    await within.report()
    await within.services.devices.access_passwords.put(PLANT, within.device, PASSWORD, "")
    await within.pass_s(60)
    await within.report()
    assert await within.home(made.id) == (HomeKind.CLOUD, "access_password")
    body = within.scene.body(source_dsid=within.dsids[0], target_dsid=within.dsids[1])
    await within.scene.exchange.change(replace(PLANT, given={within.device: PASSWORD}), made.id, body)
    await within.report()
    assert await within.home(made.id) == (HomeKind.GATEWAY, "")


async def test_a_rule_that_the_gateway_cannot_run_comes_back_and_is_not_sent_again(within: Within) -> None:
    made = await within.rule()
    problem = ExchangeProblem(rule=made.id, code="no_such_point")
    await within.report(problems=[problem])
    assert within.given[-1].rules == []
    await within.report()
    assert await within.home(made.id) == (HomeKind.CLOUD, "no_such_point")
    await within.pass_s(120)
    assert len(within.given) == 2
    await within.delivery.connected(GATEWAY, True)
    await within.pass_s(1)
    assert len(within.given) == 3, "it may have another configuration by now"


@pytest.mark.clause("C-182")
async def test_results_are_noted_once_in_the_command_log_and_at_the_rule(within: Within) -> None:
    made = await within.rule()
    t_ms = within.services.clock()
    for _ in range(2):
        await within.report(done(made.id, 7, t_ms))
    await within.report(done(made.id, 8, t_ms + 1000, outcome="failed", code="mismatch", read=6))
    rows = (await within.services.commands.page(PLANT.scope, None, 1, 10)).rows
    assert [(row.value, row.result_value, row.status, row.code, row.finished_ms) for row in rows] == [
        (8, 6, "fail", "mismatch", t_ms + 1000), (7, 7, "resp", "", t_ms),
    ]  # fmt: skip
    assert rows[0].origin is not None
    assert (rows[0].origin.kind, rows[0].origin.id, rows[0].address) == (
        "exchange",
        made.id,
        f"exchange {made.id}",
    )
    assert (rows[0].user, rows[0].dsid, rows[0].sent_ms) == ("plant", within.dsids[1], None)
    (row,) = (await within.scene.exchange.page(PLANT, 1, 10, "", None)).rows
    assert (row.last_ms, row.last_value, row.status, row.problem) == (t_ms + 1000, 8, "fail", "")


async def test_what_was_not_written_is_a_problem_of_the_rule_alone(within: Within) -> None:
    made = await within.rule()
    await within.report(done(made.id, 7, within.services.clock(), outcome="failed", code="slave_offline"))
    (row,) = (await within.scene.exchange.page(PLANT, 1, 10, "", None)).rows
    assert (row.problem, row.last_value, row.status) == ("slave_offline", 7, "")
    assert (await within.services.commands.page(PLANT.scope, None, 1, 10)).total == 0


async def test_a_gateway_says_nothing_of_rules_that_are_not_its_own(within: Within) -> None:
    foreign = await within.scene.exchange.create(PLANT, within.scene.body())
    await within.report(done(foreign.id, 7, 1), done(99, 7, 1))
    async with within.services.database.reading() as session:
        assert (await session.get_one(ExchangeRule, foreign.id)).last_ms is None
    assert (await within.services.commands.page(PLANT.scope, None, 1, 10)).total == 0


async def test_circles_are_closed_over_both_homes(within: Within) -> None:
    await within.rule(0, 1)
    await within.report()
    other = within.scene.dsids[1]
    await within.scene.exchange.create(
        PLANT, within.scene.body(source_dsid=within.dsids[1], target_dsid=other)
    )
    with pytest.raises(Conflict) as caught:
        await within.scene.exchange.create(
            PLANT, within.scene.body(source_dsid=other, target_dsid=within.dsids[0])
        )
    assert caught.value.reason == "exchange.circle"


async def test_a_broker_that_is_away_stops_no_rule(within: Within) -> None:
    within.services.link_down = True
    made = await within.rule()
    assert (await within.home(made.id), within.given) == ((HomeKind.CLOUD, "unconfirmed"), [])
    within.services.link_down = False
    await within.pass_s(15)
    assert await within.home(made.id) == (HomeKind.MOVING, "")
