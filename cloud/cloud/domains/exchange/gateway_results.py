"""What rules at gateways have written: in the command log, and as the newest of each rule."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.text import storable
from cloud.domains.commands.gateway_writes import GatewayWrite, GatewayWriter, note_gateway_writes
from cloud.domains.commands.schemas import CommandOrigin, CommandTarget
from cloud.domains.exchange.models import ExchangeRule
from cloud.domains.exchange.repository import End, ExchangeRepository
from edge_contract.exchange import UNFIT
from edge_contract.exchange_rules import ExchangeResult
from edge_contract.limits import MAX_TEXT
from edge_contract.model import Value
from edge_contract.payloads import Outcome

SLAVE_OFFLINE = "slave_offline"
"""Code of the gateway: the value waits, nothing was written."""

NO_WRITE = frozenset({*UNFIT.values(), SLAVE_OFFLINE})

AT_GATEWAY = "gateway"


async def note_results(
    session: AsyncSession,
    repository: ExchangeRepository,
    device_id: int,
    results: Sequence[ExchangeResult],
) -> list[ExchangeResult]:
    """In the caller's transaction, each once; those that are new, of rules of this gateway alone."""
    rules = await repository.rules_within(device_id, [each.rule for each in results])
    new = [each for each in results if each.rule in rules and rules[each.rule].gateway_ms != each.t_ms]
    if not new:
        return []
    ends = await repository.ends({rules[each.rule].target_dsid for each in new})
    savers = await repository.user_names(
        {rule.user_id for rule in rules.values() if rule.user_id is not None}
    )
    for result in new:
        rule = rules[result.rule]
        command_id = None
        if result.code not in NO_WRITE:
            origin = CommandOrigin(kind="exchange", id=rule.id, title=rule.title)
            name = "" if rule.user_id is None else savers.get(rule.user_id, "")
            writer = GatewayWriter(device_id, None, origin, rule.user_id, name)
            write = _write(result, rule, ends[rule.target_dsid])
            command_id = note_gateway_writes(session, writer, [write])
        is_newest = rule.home == AT_GATEWAY or result.t_ms >= (rule.last_ms or 0)
        rule.gateway_ms = result.t_ms
        if is_newest:
            rule.last_ms, rule.last_value, rule.last_command = (
                result.t_ms,
                _storable(result.value),
                command_id,
            )
            rule.last_problem = storable(result.code, 80) if command_id is None else ""
    return new


def _write(result: ExchangeResult, rule: ExchangeRule, end: End) -> GatewayWrite:
    device, slave, point = end
    target = CommandTarget(
        gateway_id=device.gateway_id,
        device_title=device.display_title,
        slave=slave.name,
        slave_title=slave.title,
        point=point.name,
        ds_title=point.title,
        unit=point.unit,
    )
    return GatewayWrite(
        dsid=rule.target_dsid,
        target=target,
        value=_storable(result.value),
        result_value=_storable(result.read),
        outcome=Outcome(result.outcome),
        code=storable(result.code, MAX_TEXT),
        at_ms=result.t_ms,
    )


def _storable(value: Value) -> Value:
    return storable(value, MAX_TEXT) if isinstance(value, str) else value
