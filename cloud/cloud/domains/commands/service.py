"""Commands: asked for, sent, answered; each with an expiry that the gateway's clock judges."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Awaitable, Callable

from cloud.db import Database
from cloud.domains.commands.checks import check
from cloud.domains.commands.metrics import FINISHED
from cloud.domains.commands.models import CommandRow
from cloud.domains.commands.repository import CommandRepository
from cloud.domains.commands.schemas import CommandBody, CommandRef, CommandStatus
from cloud.domains.commands.states import may_become
from cloud.domains.devices.service import DeviceService, Target
from cloud.domains.identity.schemas import CurrentUser
from cloud.errors import NotFound
from cloud.kit.clock import NowMs, now_ms
from cloud.kit.envelope import Page
from cloud.kit.text import storable
from cloud.link import LinkDown
from edge_contract.payloads import Command, CommandAction, CommandResult, CommandState

log = logging.getLogger(__name__)

CHECK_S = 1.0
"""Interval of the search for commands that have expired, and for waiting ones whose gateway is back."""

ANSWER_GRACE_MS = 5_000
"""A result may be on its way when the command expires."""

AT_ONCE = 500
MOST_WORDS = 200
LONGEST_MS = 2**31 - 1

LATE = "late"
"""Code of a networkError whose result came after all; detail holds the result's state."""

Send = Callable[[str, Command], Awaitable[None]]
Pushed = Callable[[int, CommandStatus], Awaitable[None]]


class CommandService:
    """send: to the gateway, raises LinkDown; pushed: told the gateway's number and the command."""

    def __init__(
        self,
        database: Database,
        devices: DeviceService,
        send: Send,
        pushed: Pushed,
        *,
        clock: NowMs = now_ms,
    ) -> None:
        self._database = database
        self._devices = devices
        self._send = send
        self._pushed = pushed
        self._clock = clock
        self._sending: set[str] = set()

    async def request(self, body: CommandBody, user: CurrentUser) -> CommandRef:
        """Take a command; an offline gateway's ends as networkError unless it may wait."""
        target = await self._devices.target(body.dsid)
        check(target, body.action, body.value)
        now = self._clock()
        row = CommandRow(
            id=secrets.token_urlsafe(16),
            device_id=target.device_id,
            dsid=body.dsid,
            user_id=user.id,
            user_name=user.name,
            action=body.action,
            value=body.value,
            status=CommandState.CREATE.value,
            wait=body.wait,
            created_ms=now,
            expires_ms=now + body.expires_s * 1000,
        )
        async with self._database.session() as session:
            CommandRepository(session).add(row)
            await session.commit()
        log.info("command %s: %s asks %s of %s", row.id, user.name, body.action, target.point)
        if target.online:
            await self._dispatch(target, row)
        elif not body.wait:
            await self._change(row.id, CommandState.NETWORK_ERROR, code="offline")
        return CommandRef(id=row.id, status=CommandState.CREATE.value)

    async def send_kept(self) -> None:
        """Periodic: send what waited for a gateway that is back, or for the broker."""
        async with self._database.reading() as session:
            kept = await CommandRepository(session).kept(self._clock(), AT_ONCE)
        for row in kept:
            try:
                target = await self._devices.target(row.dsid)
            except NotFound:
                await self._change(row.id, CommandState.ERROR, code="no_such_point")
                continue
            if target.online:
                await self._dispatch(target, row)

    async def result(self, gateway: str, result: CommandResult) -> None:
        """What the gateway says of a command of its own; another gateway's is ignored."""
        async with self._database.session() as session:
            row = await CommandRepository(session).command(result.id)
            if row is None or await self._devices.id_of(gateway) != row.device_id:
                log.warning("result of %s for command %s, which is not its own", gateway, result.id)
                return
            late = row.status == CommandState.NETWORK_ERROR and row.latency_ms is None
            if late:
                # The state is final; that it was executed all the same is evidence, so it is kept beside it.
                row.code = LATE
                row.detail = storable(f"{result.state} {result.code}".strip(), MOST_WORDS)
                FINISHED.labels(LATE).inc()
            elif may_become(CommandState(row.status), CommandState(result.state)):
                row.status, row.finished_ms = result.state, self._clock()
                row.code = storable(result.code, MOST_WORDS)
                row.detail = storable(result.detail, MOST_WORDS)
                FINISHED.labels(result.state).inc()
            else:
                return  # told before
            row.result_value, row.quality = result.value, int(result.quality)
            row.latency_ms = min(max(result.latency_ms, 0), LONGEST_MS)
            await session.commit()
        log.info("command %s: %s %s", result.id, result.state, result.code)
        await self._pushed(row.device_id, _status(row))

    async def status(self, command_id: str) -> CommandStatus:
        async with self._database.reading() as session:
            row = await CommandRepository(session).command(command_id)
        if row is None:
            raise NotFound("command")
        return _status(row)

    async def page(self, device_id: int, page: int, limit: int) -> Page[CommandStatus]:
        async with self._database.reading() as session:
            rows, total = await CommandRepository(session).page(device_id, page, limit)
        return Page(rows=[_status(row) for row in rows], total=total)

    async def expire(self) -> None:
        """Periodic: whoever got no answer in time ends as networkError."""
        before = self._clock() - ANSWER_GRACE_MS
        async with self._database.reading() as session:
            ids = [row.id for row in await CommandRepository(session).expired(before, AT_ONCE)]
        for command_id in ids:
            await self._change(command_id, CommandState.NETWORK_ERROR, code="no_answer")

    async def _dispatch(self, target: Target, row: CommandRow) -> None:
        if row.id in self._sending:
            return  # on its way already
        command = Command(
            id=row.id,
            slave=target.slave,
            point=target.point,
            action=CommandAction(row.action),
            expires_ms=row.expires_ms,
            value=row.value,
        )
        self._sending.add(row.id)
        try:
            await self._send(target.gateway, command)
        except LinkDown as error:
            if not row.wait:
                log.warning("command %s could not be sent: %s", row.id, error)
                await self._change(row.id, CommandState.NETWORK_ERROR, code="link_down")
        else:
            await self._change(row.id, CommandState.SEND)
        finally:
            self._sending.discard(row.id)

    async def _change(self, command_id: str, wanted: CommandState, code: str = "") -> None:
        async with self._database.session() as session:
            row = await CommandRepository(session).command(command_id)
            if row is None or not may_become(CommandState(row.status), wanted):
                return  # the result was faster
            row.status, row.code = wanted.value, code
            if wanted is CommandState.SEND:
                row.sent_ms = self._clock()
            else:
                row.finished_ms = self._clock()
                FINISHED.labels(wanted.value).inc()
            await session.commit()
        await self._pushed(row.device_id, _status(row))


def _status(row: CommandRow) -> CommandStatus:
    return CommandStatus(
        id=row.id,
        status=row.status,
        dsid=row.dsid,
        action=row.action,
        value=row.value,
        result_value=row.result_value,
        quality=row.quality,
        latency_ms=row.latency_ms,
        code=row.code,
        detail=row.detail,
        created_ms=row.created_ms,
        sent_ms=row.sent_ms,
        finished_ms=row.finished_ms,
        user=row.user_name,
    )
