"""Exchange rules, and the values that they pass on."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace

from cloud.core.changes import record_change
from cloud.core.clock import NowMs, now_ms
from cloud.core.envelope import Page
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.commands.schemas import CommandBody
from cloud.domains.commands.service import CommandService
from cloud.domains.devices.rows import value_facts
from cloud.domains.devices.service import DeviceService
from cloud.domains.devices.values import Sort, sort_of
from cloud.domains.exchange.flow import Flow, RunningRule, closes_circle, converted, takes
from cloud.domains.exchange.models import ExchangeRule
from cloud.domains.exchange.repository import End, ExchangeRepository
from cloud.domains.exchange.schemas import ExchangeBody, ExchangePoint, ExchangeRow
from cloud.domains.identity.schemas import CurrentUser
from cloud.errors import CloudError, Conflict, NoPermission, NotFound, ParameterError
from cloud.timeseries.base import SeriesColumn
from cloud.timeseries.series_table import columns_of
from edge_contract.model import Value
from edge_contract.payloads import CommandState

log = logging.getLogger(__name__)

RUN_S = 0.5
"""Interval at which waiting values become commands."""

REFRESH_S = 10.0
"""Rules that another process changed count after so long."""

MAX_RULES = 200
"""Of one user."""

MAX_RUNNING = 10_000

WRITES = "Device/cmd"
"""The permission of who writes a value, by a rule too."""

ACCESS_PASSWORD = "access_password"  # noqa: S105 - a code: nobody gave the one that the gateway has now
NO_RIGHT, NO_USER, REFUSED = "no_right", "no_user", "refused"

UNFIT: Mapping[Sort, str] = {"number": "not_a_number", "switch": "not_a_position", "text": "not_a_text"}
"""Why a target of a sort cannot be given a value."""

UserNow = Callable[[int], Awaitable[CurrentUser | None]]
"""A user with the permissions that he has now; None for one that is disabled or gone."""


class ExchangeService:
    """A rule writes with the rights of who saved it last, as they are at that moment."""

    def __init__(
        self,
        database: Database,
        devices: DeviceService,
        commands: CommandService,
        user_now: UserNow,
        *,
        clock: NowMs = now_ms,
    ) -> None:
        self._database = database
        self._devices = devices
        self._commands = commands
        self._user_now = user_now
        self._clock = clock
        self._flow = Flow()
        self._unstored: set[int] = set()  # sources

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
            rule = await self._changeable(repository, user, rule_id)
            title = rule.title
            await repository.delete(rule)
            await session.commit()
        record_change({"title": title}, {})
        await self.refresh()

    async def refresh(self) -> None:
        """Periodic, and after each change: which rules run."""
        async with self._database.reading() as session:
            repository = ExchangeRepository(session, Scope.system())
            rows = await repository.running(MAX_RUNNING)
            self._unstored = await repository.unstored([row.source_dsid for row in rows])
        self._flow.replace(
            RunningRule(
                row.id,
                row.source_dsid,
                row.target_dsid,
                row.ratio,
                row.bias,
                row.every_s * 1000,
                row.user_id,
                row.target_device_id,
                row.granted_password_ms,
            )
            for row in rows
        )

    def note_values(self, columns: Sequence[SeriesColumn]) -> None:
        """Newer values of a gateway. Late data is none: it says nothing about now."""
        if not self._flow.of_source:
            return
        for column in columns_of(columns, self._flow.of_source):
            self._flow.take(column.series, column.values[-1], int(column.qualities[-1]))

    def note_received(self, columns: Sequence[SeriesColumn]) -> None:
        """Values that are not stored, or not yet. Only points count that never are: that somebody watches a
        point changes nothing here.
        """
        if self._unstored:
            self.note_values(columns_of(columns, self._unstored))

    async def run(self) -> None:
        """Periodic: what waits becomes commands."""
        for rule, value in self._flow.due(self._clock()):
            try:
                problem, command_id, sent = await self._send(rule, value)
            except Exception:
                # One rule's failure (a database that is away) must not lose what the others have to send.
                log.exception("exchange rule %d could not be carried out", rule.id)
                self._flow.miss(rule.id)
                continue
            if problem:
                log.info("exchange rule %d sent nothing: %s", rule.id, problem)
            async with self._database.asynchronous_commit() as session:
                await ExchangeRepository(session, Scope.system()).note(
                    rule.id,
                    last_ms=self._clock(),
                    last_value=sent,
                    last_command=command_id,
                    last_problem=problem,
                )
                await session.commit()

    async def _send(self, rule: RunningRule, value: Value) -> tuple[str, str | None, Value]:
        """Problem, command, and the value that was to be written."""
        user = None if rule.user_id is None else await self._user_now(rule.user_id)
        if user is None:
            return NO_USER, None, value
        wanted = value
        try:
            if not user.may(WRITES):
                raise NoPermission(WRITES)
            await self._devices.owners(user.scope, [rule.source])
            target = await self._devices.target(user.scope, rule.target)
            sort = sort_of(target.kind, target.data_type)
            wanted = converted(rule, value, sort)
            if wanted is None:
                return UNFIT[sort], None, value
            if rule.granted is not None:
                user = replace(user, granted={rule.target_device: rule.granted})
            if await self._devices.access_passwords.problem(user, rule.target_device):
                return ACCESS_PASSWORD, None, wanted
            body = CommandBody(dsid=rule.target, value=wanted)
            reference = await self._commands.request(user, body, f"exchange {rule.id}")
        except (NoPermission, NotFound):
            return NO_RIGHT, None, wanted
        except CloudError:
            self._flow.miss(rule.id)
            return REFUSED, None, wanted
        if reference.status == CommandState.NETWORK_ERROR:
            self._flow.miss(rule.id)
        return "", reference.id, wanted

    async def _save(self, user: CurrentUser, rule_id: int | None, body: ExchangeBody) -> ExchangeRow:
        if not user.may(WRITES):
            raise NoPermission(WRITES)
        owner = (await self._devices.owners(user.scope, [body.target_dsid]))[body.target_dsid]
        await self._devices.refuse_read_only(user, [owner])
        granted = await self._devices.access_passwords.refuse(user, [owner])
        async with self._database.session() as session:
            repository = ExchangeRepository(session, user.scope)
            rule = None if rule_id is None else await self._changeable(repository, user, rule_id)
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
        await self.refresh()
        return _exchange_row(rule, ends, {})

    async def _changeable(
        self, repository: ExchangeRepository, user: CurrentUser, rule_id: int
    ) -> ExchangeRule:
        rule = await repository.rule(rule_id)
        if rule is None:
            raise NotFound("rule")
        await self._devices.refuse_read_only(user, [rule.target_device_id])
        return rule

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
