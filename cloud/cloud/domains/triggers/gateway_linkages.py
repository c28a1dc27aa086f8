"""What gateways have written by themselves: a linkage's run, and its writes in the command log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.text import storable
from cloud.domains.commands.gateway_writes import GatewayWrite, GatewayWriter, note_gateway_writes
from cloud.domains.commands.schemas import CommandOrigin, CommandTarget
from cloud.domains.triggers.models import LinkageRun
from cloud.domains.triggers.recording import limited_run
from cloud.domains.triggers.repository import PointPlace, TriggerRepository
from cloud.domains.triggers.running import EvaluatedRule
from edge_contract.alarms.linkage_limit import LINKAGE_LIMITED
from edge_contract.alarms.state import LinkageRest, On
from edge_contract.edge_rules import RuleEvent, RuleWriteResult
from edge_contract.model import Value
from edge_contract.payloads import Outcome

MAX_CODE_LENGTH = 80
MAX_TEXT_LENGTH = 200

Points = Mapping[tuple[str, str], PointPlace]
"""By the names of slave and point."""


async def note_linkages(
    session: AsyncSession,
    repository: TriggerRepository,
    device_id: int,
    linkages: Sequence[tuple[EvaluatedRule, RuleEvent]],
    now_ms: int,
) -> None:
    """Note the linkages of one gateway in the caller's transaction: those that it carried out with what came
    of each write, and those that it left out.
    """
    names = {(each.slave, each.point) for _, event in linkages for each in event.results}
    points = await repository.named_points(device_id, names)
    savers = await repository.savers({rule.trigger_id for rule, _ in linkages})
    gateway = await repository.gateway_name(device_id)
    for rule, event in linkages:
        if event.on is None or event.preset is None:
            continue
        if event.code == LINKAGE_LIMITED:
            run = limited_run(rule, _rest(event, event.on, event.preset), now_ms, at_gateway=True)
            await repository.note_rest(run)
            continue
        user_id, user_name = savers.get(rule.trigger_id, (None, ""))
        origin = CommandOrigin(kind="trigger", id=rule.trigger_id, title=rule.trigger_title)
        writer = GatewayWriter(device_id, event.preset, origin, user_id, user_name)
        writes = [_write(each, points, gateway) for each in event.results]
        repository.add_run(
            LinkageRun(
                trigger_id=rule.trigger_id,
                trigger_title=rule.trigger_title,
                rule_id=event.rule,
                version=event.version,
                raised_ms=event.raised_ms,
                kind=event.on,
                preset_id=event.preset,
                at_ms=event.t_ms,
                noted_ms=now_ms,
                is_due=False,
                command_id=note_gateway_writes(session, writer, writes),
                problem=storable(event.code, MAX_CODE_LENGTH),
                at_gateway=True,
            )
        )


def _rest(event: RuleEvent, on: On, preset: int) -> LinkageRest:
    return LinkageRest(
        rule=event.rule, version=event.version, on=on, preset=preset, since_ms=event.t_ms,
        until_ms=event.t_ms, left_out=event.left_out,
    )  # fmt: skip


def _write(result: RuleWriteResult, points: Points, gateway: tuple[str, str]) -> GatewayWrite:
    """gateway: its serial number and title."""
    gateway_id, device_title = gateway
    place = points.get((result.slave, result.point))
    target = CommandTarget(
        gateway_id=gateway_id,
        device_title=device_title,
        slave=result.slave,
        slave_title="" if place is None else place[1].title,
        point=result.point,
        ds_title="" if place is None else place[2].title,
        unit="" if place is None else place[2].unit,
    )
    return GatewayWrite(
        dsid=None if place is None else place[2].id,
        target=target,
        value=_storable(result.value),
        result_value=_storable(result.read),
        outcome=Outcome(result.outcome),
        code=storable(result.code, MAX_TEXT_LENGTH),
        at_ms=result.t_ms,
    )


def _storable(value: Value) -> Value:
    return storable(value, MAX_TEXT_LENGTH) if isinstance(value, str) else value
