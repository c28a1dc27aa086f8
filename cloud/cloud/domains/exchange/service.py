"""Exchange rules: who sees, makes and changes them."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.changes import record_change
from cloud.core.clock import NowMs, now_ms
from cloud.core.envelope import Page
from cloud.core.gateway_work import HomeKind
from cloud.db import Database
from cloud.domains.commands.service import CommandService
from cloud.domains.devices.rights import refuse_read_only
from cloud.domains.devices.rows import value_facts
from cloud.domains.devices.service import DeviceService
from cloud.domains.exchange.models import ExchangeRule
from cloud.domains.exchange.repository import End, ExchangeRepository
from cloud.domains.exchange.runner import WRITES
from cloud.domains.exchange.schemas import ExchangeBody, ExchangePoint, ExchangeRow
from cloud.domains.identity.schemas import CurrentUser
from cloud.errors import Conflict, NoPermission, NotFound, ParameterError
from edge_contract.exchange import closes_circle, takes
from edge_contract.model import sort_of

log = logging.getLogger(__name__)

MAX_RULES = 200
"""Of one user."""

Changed = Callable[[], Awaitable[None]]
"""Called when rules are others now."""


class ExchangeService:
    """What rules do is runner.py; where they do it, delivery.py."""

    def __init__(
        self,
        database: Database,
        devices: DeviceService,
        commands: CommandService,
        changed: Changed,
        *,
        clock: NowMs = now_ms,
    ) -> None:
        self._database = database
        self._devices = devices
        self._commands = commands
        self._changed = changed
        self._clock = clock

    async def page(
        self, user: CurrentUser, page: int, limit: int, search: str, device_id: int | None
    ) -> Page[ExchangeRow]:
        """Rules between gateways that the user sees, newest first."""
        async with self._database.reading() as session:
            repository = ExchangeRepository(session, user.scope)
            rules, total = await repository.page(page, limit, search, device_id)
            ends = await repository.ends(
                {dsid for rule in rules for dsid in (rule.source_dsid, rule.target_dsid)}
            )
        statuses = await self._commands.statuses(
            user.scope, [rule.last_command for rule in rules if rule.last_command]
        )
        return Page(rows=[_exchange_row(rule, ends, statuses) for rule in rules], total=total)

    async def create(self, user: CurrentUser, body: ExchangeBody) -> ExchangeRow:
        """Make a rule. Raises NotFound for a point that is not seen, ParameterError for points that do not go
        together, NoPermission without the right to write, Conflict when the target has a rule, a circle would
        close, or the user has MAX_RULES.
        """
        return await self._save(user, None, body)

    async def change(self, user: CurrentUser, rule_id: int, body: ExchangeBody) -> ExchangeRow:
        """Change a rule; from now on it writes with the rights of who changed it. Raises NotFound, and the
        errors of create.
        """
        return await self._save(user, rule_id, body)

    async def delete(self, user: CurrentUser, rule_id: int) -> None:
        """Delete a rule. Raises NotFound, and NoPermission when its target is shared read only."""
        async with self._database.session() as session:
            repository = ExchangeRepository(session, user.scope)
            rule = await _changeable(session, user, rule_id)
            title = rule.title
            await repository.delete(rule)
            await session.commit()
        record_change({"title": title}, {})
        await self._changed()

    async def _save(self, user: CurrentUser, rule_id: int | None, body: ExchangeBody) -> ExchangeRow:
        if not user.may(WRITES):
            raise NoPermission(WRITES)
        owner = (await self._devices.owners(user.scope, [body.target_dsid]))[body.target_dsid]
        await self._devices.refuse_read_only(user, [owner])
        granted = await self._devices.access_passwords.refuse(user, [owner])
        async with self._database.session() as session:
            repository = ExchangeRepository(session, user.scope)
            rule = None if rule_id is None else await _changeable(session, user, rule_id)
            ends = await repository.ends({body.source_dsid, body.target_dsid})
            if len(ends) < len({body.source_dsid, body.target_dsid}):
                raise NotFound("data point")
            source, target = ends[body.source_dsid][0], ends[body.target_dsid][0]
            if ends[body.target_dsid][2].rw == "readonly":
                raise ParameterError("target_dsid", "a point that can be written")
            _check_sorts(body, ends[body.source_dsid], ends[body.target_dsid])
            await self._check_order(repository, body, rule_id)
            if rule is None:
                if await repository.count_of(user.id) >= MAX_RULES:
                    raise Conflict(
                        f"at most {MAX_RULES} rules",
                        field="title",
                        rule="too many",
                        reason="exchange.too_many",
                        arguments={"most": MAX_RULES},
                    )
                rule = ExchangeRule(created_ms=self._clock())
                repository.add(rule)
            for name, value in body.model_dump().items():
                setattr(rule, name, value)
            rule.source_device_id, rule.target_device_id, rule.user_id = source.id, target.id, user.id
            rule.granted_password_ms = granted.get(target.id)
            rule.granted_ms = self._clock() if granted else None
            rule.granted_user = user.name if granted else ""
            await session.commit()
        log.info("exchange rule %d saved by %s", rule.id, user.name)
        await self._changed()
        return _exchange_row(rule, ends, {})

    async def _check_order(
        self, repository: ExchangeRepository, body: ExchangeBody, rule_id: int | None
    ) -> None:
        other = await repository.of_target(body.target_dsid)
        if other is not None and other.id != rule_id:
            raise Conflict(
                "the target has a rule already",
                field="target_dsid",
                rule="of no other rule",
                reason="exchange.target_taken",
            )
        edges = [(begin, end) for number, begin, end in await repository.edges() if number != rule_id]
        if closes_circle(edges, body.source_dsid, body.target_dsid):
            raise Conflict(
                "the value would come back to where it came from",
                field="target_dsid",
                rule="no circle",
                reason="exchange.circle",
            )


async def _changeable(session: AsyncSession, user: CurrentUser, rule_id: int) -> ExchangeRule:
    rule = await ExchangeRepository(session, user.scope).rule(rule_id)
    if rule is None:
        raise NotFound("rule")
    await refuse_read_only(session, user, [rule.target_device_id])
    return rule


def _check_sorts(body: ExchangeBody, source: End, target: End) -> None:
    """ParameterError for a source that is nothing for its target, or that cannot be converted."""
    given, wanted = (sort_of(point.kind, point.data_type) for _, _, point in (source, target))
    if not takes(source[2].kind, wanted, given):
        if wanted == "switch":
            raise ParameterError("source_dsid", "a switch, as its target", reason="exchange.needs_switch")
        if wanted == "text":
            raise ParameterError("source_dsid", "a text, as its target", reason="exchange.needs_text")
        raise ParameterError("source_dsid", "a number or switch", reason="exchange.needs_number")
    if wanted != "number" and (body.ratio, body.bias) != (1, 0):
        raise ParameterError("ratio", "1, with bias 0", reason="exchange.not_converted")


def _exchange_row(
    rule: ExchangeRule, ends: dict[int, End], statuses: dict[str, tuple[str, str]]
) -> ExchangeRow:
    status, outcome = statuses.get(rule.last_command or "", ("", ""))
    return ExchangeRow(
        id=rule.id,
        title=rule.title,
        enabled=rule.enabled,
        source=_point(ends[rule.source_dsid]),
        target=_point(ends[rule.target_dsid]),
        ratio=rule.ratio,
        bias=rule.bias,
        every_s=rule.every_s,
        created_ms=rule.created_ms,
        last_ms=rule.last_ms,
        last_value=rule.last_value,
        status=status,
        outcome=outcome,
        problem=rule.last_problem or "",
        granted_ms=rule.granted_ms,
        granted_user=rule.granted_user,
        home=HomeKind(rule.home) if rule.enabled else HomeKind.CLOUD,
        home_reason=rule.home_reason if rule.enabled else "",
    )


def _point(end: End) -> ExchangePoint:
    device, slave, point = end
    return ExchangePoint(
        device_id=device.id,
        device_title=device.display_title,
        gateway_id=device.gateway_id,
        slave_title=slave.title,
        dsid=point.id,
        ds_name=point.name,
        ds_title=point.title,
        **value_facts(point),
    )
