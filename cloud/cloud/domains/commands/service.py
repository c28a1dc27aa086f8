"""Commands: requested, sent, answered; each with an expiry by the gateway's clock."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping, Sequence

from sqlalchemy.exc import IntegrityError

from cloud.core.clock import NowMs, Sleep, now_ms
from cloud.core.envelope import Page
from cloud.core.log_once import LogOnce
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.commands.auditing import CommandAudit, NoAudit, report_ended
from cloud.domains.commands.intake import (
    Addressee,
    Intake,
    PointRequest,
    ids_of,
    new_id,
    origin_columns,
    status_of,
)
from cloud.domains.commands.metrics import FOREIGN
from cloud.domains.commands.models import CommandRow
from cloud.domains.commands.presets import PresetService
from cloud.domains.commands.repository import PEOPLE, CommandRepository
from cloud.domains.commands.requests import RequestIdentity, request_of
from cloud.domains.commands.results import take_result
from cloud.domains.commands.schemas import (
    BatchStatus,
    CommandBody,
    CommandOrigin,
    CommandRef,
    CommandStatus,
    OriginFilter,
    Scalar,
)
from cloud.domains.commands.sending import CommandSender, Pushed, Send, StateChange
from cloud.domains.commands.states import WAITING
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.schemas import CurrentUser
from cloud.errors import Conflict, NoPermission, NotFound, ParameterError
from cloud.timeseries.base import StoredSample
from edge_contract.payloads import CommandAction, CommandResult, CommandState

log = logging.getLogger(__name__)

ANSWER_GRACE_MS = 5_000
"""A result may be on its way when the command expires."""

LOOK_S = 0.2
"""How often outcome() looks; the result may reach another process of this cloud."""

AT_ONCE = 500

OFFLINE, ASLEEP = "offline", "asleep"
NO_ANSWER = "no_answer"

CLOUD = CurrentUser(0, "cloud", 0, frozenset(), "", Scope.system())
"""The user of commands that no user requested."""


Read = Callable[[int, StoredSample], None]
"""Called with a point and what a command has read of it."""


def _nobody(dsid: int, sample: StoredSample) -> None:
    """Where nobody waits for what is read."""


class CommandService:
    """send: to the gateway, raises LinkDown; pushed: called with the gateway's number and the command."""

    def __init__(
        self,
        database: Database,
        devices: DeviceService,
        send: Send,
        pushed: Pushed,
        *,
        audit: CommandAudit | None = None,
        read: Read = _nobody,
        clock: NowMs = now_ms,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._database = database
        self._audit = audit or NoAudit()
        self._devices = devices
        self._sender = CommandSender(database, send, pushed, clock)
        self._pushed = pushed
        self._read = read
        self._clock = clock
        self._sleep = sleep
        self._complaints = LogOnce()
        self.presets = PresetService(database, devices, clock)
        self._intake = Intake(devices, self.presets)

    async def request(
        self, user: CurrentUser, body: CommandBody, address: str = "", origin: CommandOrigin | None = None
    ) -> CommandRef:
        """Take reads and writes. All are checked before any is stored; each is then sent on its own. An
        offline gateway's end as networkError unless they may wait, those without the gateway's access
        password as notAuthorized. A request that was repeated under its id sends nothing. Raises
        ParameterError that names the read or write, NotFound for a point that is not there, NoPermission when
        a gateway is shared read only, Conflict when the id was another request's.
        """
        identity = request_of(body.request_id, body.model_dump(exclude={"request_id", "password"}))
        if (before := await self._repeated(user, identity)) is not None:
            return before
        point_requests = await self._intake.point_requests(user, body)
        problems = await self._intake.problems(user, point_requests, body)
        batch_id = new_id() if body.dsid is None else None
        ids = [new_id()] if batch_id is None else ids_of(batch_id, len(point_requests))
        rows = []
        for command_id, request in zip(ids, point_requests, strict=True):
            row = self._row(command_id, request.to, request.action, user, address, body.expires_s, origin)
            row.dsid, row.value, row.wait = request.dsid, request.value, body.wait
            row.batch_id, row.preset_id = batch_id, body.preset_id
            if request.action == "W" and (problem := problems.get(request.to.device_id)):
                self._sender.become(row, StateChange(CommandState.NOT_AUTHORIZED, problem))
            rows.append(row)
        return await self._take(user, identity, rows, [request.to for request in point_requests])

    async def planned(self, user: CurrentUser, body: CommandBody) -> list[PointRequest]:
        """What would be written if this user requested it now. Raises as request(), and NoPermission when
        a gateway wants its access password.
        """
        requests = await self._intake.point_requests(user, body)
        if await self._intake.problems(user, requests, body):
            raise NoPermission("the gateway's access password")
        return requests

    async def act(
        self,
        user: CurrentUser,
        device_id: int,
        action: CommandAction,
        address: str = "",
        *,
        slave: str | None = None,
        arguments: Mapping[str, Scalar] | None = None,
        expires_s: int = 30,
        wait: bool = False,
        request_id: str | None = None,
        origin: CommandOrigin | None = None,
    ) -> CommandRef:
        """Request an action of a gateway or of one of its slaves. expires_s: seconds until it expires. Raises
        NotFound when there is no such gateway, NoPermission when it is shared read only or its access
        password was not given, Conflict when the id was another request's.
        """
        identity = request_of(
            request_id, {"device": device_id, "action": action.value, "slave": slave, "arguments": arguments}
        )
        if (before := await self._repeated(user, identity)) is not None:
            return before
        to = await self._intake.gateway_addressee(user, device_id, slave, action)
        row = self._row(new_id(), to, action.value, user, address, expires_s, origin)
        row.slave, row.arguments, row.wait = slave, dict(arguments) if arguments else None, wait
        return await self._take(user, identity, [row], [to])

    async def requested(self, user_id: int, request_id: str) -> str | None:
        """The first command of what a user requested under an id; None when it was never requested."""
        async with self._database.reading() as session:
            row = await CommandRepository(session, Scope.system()).of_request(user_id, request_id)
        return None if row is None else row.id

    async def outcome(self, scope: Scope, command_id: str, timeout_s: float) -> CommandStatus:
        """A command once it has ended, or as it is after timeout_s seconds. Raises NotFound."""
        left_s = timeout_s
        while True:
            status = await self.status(scope, command_id)
            if CommandState(status.status) not in WAITING or left_s <= 0:
                return status
            await self._sleep(min(LOOK_S, left_s))
            left_s -= LOOK_S

    async def status(self, scope: Scope, command_id: str) -> CommandStatus:
        """A command that the scope sees. Raises NotFound when there is none."""
        async with self._database.reading() as session:
            row = await CommandRepository(session, scope).command(command_id)
        if row is None:
            raise NotFound("command")
        return status_of(row)

    async def statuses(self, scope: Scope, ids: Sequence[str]) -> dict[str, tuple[str, str]]:
        """Status and outcome of each of these commands, of those that the scope sees."""
        async with self._database.reading() as session:
            return await CommandRepository(session, scope).statuses(ids)

    async def batches(self, scope: Scope, ids: Collection[str]) -> dict[str, list[CommandStatus]]:
        """The commands of the batches that these commands began, in their order, by the first one's id; of
        each batch those that the scope sees.
        """
        if not ids:
            return {}
        async with self._database.reading() as session:
            rows = await CommandRepository(session, scope).batches_of(ids)
        batches: dict[str, list[CommandStatus]] = {}
        for first, row in rows:
            batches.setdefault(first, []).append(status_of(row))
        return batches

    async def batch(self, scope: Scope, batch_id: str) -> BatchStatus:
        """How many commands of a batch there are by status and outcome. Raises NotFound when there is no such
        batch.
        """
        async with self._database.reading() as session:
            counts, outcomes = await CommandRepository(session, scope).counts(batch_id)
        if not counts:
            raise NotFound("batch")
        total = sum(counts.values())
        finished = total - sum(counts.get(state.value, 0) for state in WAITING)
        return BatchStatus(
            batch_id=batch_id, total=total, finished=finished, counts=counts, outcomes=outcomes
        )

    async def page(
        self,
        scope: Scope,
        device_id: int | None,
        page: int,
        limit: int,
        *,
        batch_id: str | None = None,
        status: str = "",
        origin: OriginFilter | None = None,
        origin_id: int | None = None,
    ) -> Page[CommandStatus]:
        """Newest first. Raises NotFound for a gateway or batch that is not there, ParameterError for an
        origin_id of people.
        """
        if origin_id is not None and origin in (None, PEOPLE):
            raise ParameterError("origin_id", "only with origin trigger, exchange or task")
        if device_id is not None:
            await self._devices.gateway_of(scope, device_id)
        if batch_id is not None:
            await self.batch(scope, batch_id)
        async with self._database.reading() as session:
            repository = CommandRepository(session, scope)
            rows, total = await repository.page(
                page, limit, device_id, batch_id, status, origin=origin, origin_id=origin_id
            )
        return Page(rows=[status_of(row) for row in rows], total=total)

    async def result(self, gateway: str, result: CommandResult) -> None:
        """What the gateway says of a command of its own; another gateway's is ignored."""
        device_id = await self._devices.id_of(gateway)
        async with self._database.session() as session:
            row = await CommandRepository(session, Scope.system()).command(result.id)
            if row is None or device_id != row.device_id:
                FOREIGN.inc()
                if self._complaints.first(gateway):
                    log.warning("result of %s for command %s, which is not its own", gateway, result.id)
                return
            if not take_result(row, result, self._sender.become):
                return  # repeated
            await session.commit()
        is_read = row.action == CommandAction.READ and CommandState(result.state) is CommandState.RESP
        if is_read and row.dsid is not None:
            read = StoredSample(result.seen_ms or result.t_ms, result.value, int(result.quality))
            self._read(row.dsid, read)
        log.info("command %s: %s %s %s", result.id, result.state, result.code, row.outcome)
        await self._pushed(row.device_id, status_of(row))

    async def send_waiting(self) -> None:
        """Periodic: send what waited for a gateway that is back, or for the broker."""
        async with self._database.reading() as session:
            waiting = await CommandRepository(session, Scope.system()).waiting(self._clock(), AT_ONCE)
        ready: list[tuple[CommandRow, Addressee]] = []
        gone: dict[str, StateChange] = {}
        for row in waiting:
            try:
                to = await self._intake.addressee(row)
            except NotFound:
                gone[row.id] = StateChange(CommandState.ERROR, "no_such_point")
                continue
            if to.online:
                ready.append((row, to))
        await self._sender.change(gone)
        await self._sender.dispatch(ready)

    async def expire(self) -> None:
        """Periodic: commands without a result in time end as networkError."""
        before = self._clock() - ANSWER_GRACE_MS
        async with self._database.reading() as session:
            ids = await CommandRepository(session, Scope.system()).expired(before, AT_ONCE)
        await self._sender.change(dict.fromkeys(ids, StateChange(CommandState.NETWORK_ERROR, NO_ANSWER)))

    async def report_to_audit(self) -> None:
        """Periodic: write outcomes of commands that have ended into the audit's rows."""
        await report_ended(self._database, self._audit, self._clock(), AT_ONCE)

    async def _repeated(self, user: CurrentUser, identity: RequestIdentity) -> CommandRef | None:
        """What the same request made before; Conflict when its id was another one's."""
        if identity.id is None:
            return None
        async with self._database.reading() as session:
            repository = CommandRepository(session, user.scope)
            row = await repository.of_request(user.id, identity.id)
            if row is None:
                return None
            if row.request_hash != identity.hash:
                raise Conflict(
                    "another request had this id",
                    field="request_id",
                    rule="of this request alone",
                    reason="command.other_request",
                )
            ids = [row.id] if row.batch_id is None else await repository.ids_of_batch(row.batch_id)
        log.info("command %s: requested again by %s, and not sent again", row.id, user.name)
        return CommandRef(id=row.id, status=row.status, batch_id=row.batch_id, ids=ids, repeated=True)

    def _row(
        self,
        command_id: str,
        to: Addressee,
        action: str,
        user: CurrentUser,
        address: str,
        expires_s: int,
        origin: CommandOrigin | None,
    ) -> CommandRow:
        now = self._clock()
        return CommandRow(
            id=command_id,
            device_id=to.device_id,
            user_id=user.id,
            user_name=user.name,
            address=address[:64],
            action=action,
            status=CommandState.CREATE.value,
            created_ms=now,
            expires_ms=now + expires_s * 1000,
            code="",
            detail="",
            **origin_columns(origin),
        )

    async def _take(
        self,
        user: CurrentUser,
        identity: RequestIdentity,
        rows: Sequence[CommandRow],
        to: Sequence[Addressee],
    ) -> CommandRef:
        """Store all together, then send what may be sent."""
        for row, addressee in zip(rows, to, strict=True):
            row.target = addressee.named.model_dump()
            if row.status == CommandState.CREATE and not addressee.online and not row.wait:
                code = ASLEEP if addressee.asleep else OFFLINE
                self._sender.become(row, StateChange(CommandState.NETWORK_ERROR, code, sent=False))
        rows[0].request_id, rows[0].request_hash = identity.id, identity.hash
        try:
            async with self._database.session() as session:
                CommandRepository(session, Scope.system()).add_all(rows)
                await session.commit()
        except IntegrityError:
            before = await self._repeated(user, identity)  # it was stored by another press of the same moment
            if before is None:
                raise
            return before
        self._audit.requested(rows)
        ready = []
        for row, addressee in zip(rows, to, strict=True):
            what = row.action if addressee.point is None else f"{row.action} of {addressee.point}"
            log.info(
                "command %s: %s from %s asks %s of %s", row.id, row.user_name, row.address or "the cloud",
                what, addressee.gateway,
            )  # fmt: skip
            if row.status != CommandState.CREATE:
                await self._pushed(row.device_id, status_of(row))
            elif addressee.online:
                ready.append((row, addressee))
        ref = CommandRef(
            id=rows[0].id, status=rows[0].status, batch_id=rows[0].batch_id, ids=[row.id for row in rows]
        )
        await self._sender.dispatch(ready)
        return ref
