"""Commands: asked for, sent, answered; each with an expiry that the gateway's clock judges."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence

from cloud.db import Database
from cloud.domains.commands.access_password import AccessPasswordService
from cloud.domains.commands.intake import Addressee, Intake, ids_of, message, new_id, status_of
from cloud.domains.commands.metrics import FINISHED, FOREIGN
from cloud.domains.commands.models import CommandRow
from cloud.domains.commands.presets import PresetService
from cloud.domains.commands.repository import CommandRepository
from cloud.domains.commands.schemas import BatchStatus, CommandBody, CommandRef, CommandStatus, Scalar
from cloud.domains.commands.states import WAITING, may_become
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.identity.scope import Scope
from cloud.errors import NotFound
from cloud.kit.clock import NowMs, Sleep, now_ms
from cloud.kit.envelope import Page
from cloud.kit.once import Once
from cloud.kit.text import storable
from cloud.link import LinkDown
from edge_contract.payloads import Command, CommandAction, CommandResult, CommandState

log = logging.getLogger(__name__)

CHECK_S = 1.0
"""Interval of the search for commands that have expired, and for waiting ones whose gateway is back."""

ANSWER_GRACE_MS = 5_000
"""A result may be on its way when the command expires."""

LOOK_S = 0.2
"""How often outcome() looks; the result may reach another process of this cloud."""

AT_ONCE = 500
MOST_WORDS = 200
LONGEST_MS = 2**31 - 1

LATE = "late"
"""Code of a networkError whose result came after all; detail holds the result's state."""

OFFLINE = "offline"
LINK_DOWN = "link_down"

CLOUD = CurrentUser(0, "cloud", 0, frozenset(), "", Scope.system())
"""Who asks when nobody does."""

Send = Callable[[str, Command], Awaitable[None]]
Pushed = Callable[[int, CommandStatus], Awaitable[None]]
Change = tuple[CommandState, str]
"""What a command becomes, with its code."""


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
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._database = database
        self._devices = devices
        self._send = send
        self._pushed = pushed
        self._clock = clock
        self._sleep = sleep
        self._sending: set[str] = set()
        self._complaints = Once()
        self.presets = PresetService(database, devices, clock)
        self.access_passwords = AccessPasswordService(database, devices, clock)
        self._intake = Intake(devices, self.presets, self.access_passwords)

    async def request(self, user: CurrentUser, body: CommandBody, address: str = "") -> CommandRef:
        """Take reads and writes. All are checked before any is stored; each then goes its own way.

        An offline gateway's end as networkError unless they may wait, those without the gateway's access
        password as notAuthorized.
        """
        wishes = await self._intake.wishes(user, body)
        problems = await self._intake.problems(user, wishes, body)
        batch_id = new_id() if body.dsid is None else None
        ids = [new_id()] if batch_id is None else ids_of(batch_id, len(wishes))
        rows = []
        for command_id, wish in zip(ids, wishes, strict=True):
            row = self._row(command_id, wish.to, wish.action, user, address, body.expires_s)
            row.dsid, row.value, row.wait = wish.dsid, wish.value, body.wait
            row.batch_id, row.preset_id = batch_id, body.preset_id
            if wish.action == "W" and (problem := problems.get(wish.to.device_id)):
                self._become(row, CommandState.NOT_AUTHORIZED, problem)
            rows.append(row)
        await self._take(rows, [wish.to for wish in wishes])
        return CommandRef(id=rows[0].id, status=rows[0].status, batch_id=batch_id, ids=ids)

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
    ) -> CommandRef:
        """Ask a gateway for something that it does as a whole; NotFound when there is no such gateway."""
        to = await self._intake.whole(user, device_id, slave)
        row = self._row(new_id(), to, action.value, user, address, expires_s)
        row.slave, row.arguments, row.wait = slave, dict(arguments) if arguments else None, wait
        await self._take([row], [to])
        return CommandRef(id=row.id, status=row.status, ids=[row.id])

    async def outcome(self, scope: Scope, command_id: str, timeout_s: float) -> CommandStatus:
        """Where a command stands once it has ended, or after the time-out."""
        left_s = timeout_s
        while True:
            status = await self.status(scope, command_id)
            if CommandState(status.status) not in WAITING or left_s <= 0:
                return status
            await self._sleep(min(LOOK_S, left_s))
            left_s -= LOOK_S

    async def status(self, scope: Scope, command_id: str) -> CommandStatus:
        async with self._database.reading() as session:
            row = await CommandRepository(session, scope).command(command_id)
        if row is None:
            raise NotFound("command")
        return status_of(row)

    async def statuses(self, scope: Scope, ids: Sequence[str]) -> dict[str, str]:
        """Where each of these commands stands, of those that the scope sees."""
        async with self._database.reading() as session:
            return await CommandRepository(session, scope).statuses(ids)

    async def batch(self, scope: Scope, batch_id: str) -> BatchStatus:
        async with self._database.reading() as session:
            counts = await CommandRepository(session, scope).counts(batch_id)
        if not counts:
            raise NotFound("batch")
        total = sum(counts.values())
        finished = total - sum(counts.get(state.value, 0) for state in WAITING)
        return BatchStatus(batch_id=batch_id, total=total, finished=finished, counts=counts)

    async def page(
        self,
        scope: Scope,
        device_id: int | None,
        page: int,
        limit: int,
        *,
        batch_id: str | None = None,
        status: str = "",
    ) -> Page[CommandStatus]:
        """Newest first; NotFound for a gateway or batch that is not there."""
        if device_id is not None:
            await self._devices.gateway_of(scope, device_id)
        if batch_id is not None:
            await self.batch(scope, batch_id)
        async with self._database.reading() as session:
            repository = CommandRepository(session, scope)
            rows, total = await repository.page(page, limit, device_id, batch_id, status)
        return Page(rows=[status_of(row) for row in rows], total=total)

    async def result(self, gateway: str, result: CommandResult) -> None:
        """What the gateway says of a command of its own; another gateway's is ignored."""
        async with self._database.session() as session:
            row = await CommandRepository(session, Scope.system()).command(result.id)
            if row is None or await self._devices.id_of(gateway) != row.device_id:
                FOREIGN.inc()
                if self._complaints.first(gateway):
                    log.warning("result of %s for command %s, which is not its own", gateway, result.id)
                return
            late = row.status == CommandState.NETWORK_ERROR and row.latency_ms is None
            if late:
                # The state is final; that it was executed all the same is evidence, so it is kept beside it.
                row.code = LATE
                row.detail = storable(f"{result.state} {result.code}".strip(), MOST_WORDS)
                FINISHED.labels(LATE).inc()
            elif may_become(CommandState(row.status), CommandState(result.state)):
                self._become(row, CommandState(result.state), storable(result.code, MOST_WORDS))
                row.detail = storable(result.detail, MOST_WORDS)
            else:
                return  # told again
            row.result_value, row.quality = result.value, int(result.quality)
            row.latency_ms = min(max(result.latency_ms, 0), LONGEST_MS)
            await session.commit()
        log.info("command %s: %s %s", result.id, result.state, result.code)
        await self._pushed(row.device_id, status_of(row))

    async def send_kept(self) -> None:
        """Periodic: send what waited for a gateway that is back, or for the broker."""
        async with self._database.reading() as session:
            kept = await CommandRepository(session, Scope.system()).kept(self._clock(), AT_ONCE)
        ready: list[tuple[CommandRow, Addressee]] = []
        gone: dict[str, Change] = {}
        for row in kept:
            try:
                to = await self._intake.addressee(row)
            except NotFound:
                gone[row.id] = CommandState.ERROR, "no_such_point"
                continue
            if to.online:
                ready.append((row, to))
        await self._change(gone)
        await self._dispatch(ready)

    async def expire(self) -> None:
        """Periodic: whoever got no answer in time ends as networkError."""
        before = self._clock() - ANSWER_GRACE_MS
        async with self._database.reading() as session:
            ids = await CommandRepository(session, Scope.system()).expired(before, AT_ONCE)
        await self._change(dict.fromkeys(ids, (CommandState.NETWORK_ERROR, "no_answer")))

    def _row(
        self,
        command_id: str,
        to: Addressee,
        action: str,
        user: CurrentUser,
        address: str,
        expires_s: int,
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
        )

    async def _take(self, rows: Sequence[CommandRow], to: Sequence[Addressee]) -> None:
        """Store all together, then send what may be sent."""
        for row, addressee in zip(rows, to, strict=True):
            if row.status == CommandState.CREATE and not addressee.online and not row.wait:
                self._become(row, CommandState.NETWORK_ERROR, OFFLINE)
        async with self._database.session() as session:
            CommandRepository(session, Scope.system()).add_all(rows)
            await session.commit()
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
        await self._dispatch(ready)

    async def _dispatch(self, ready: Sequence[tuple[CommandRow, Addressee]]) -> None:
        """Send in this order. Once the link has failed it is not tried for the rest."""
        changes: dict[str, Change] = {}
        failed: LinkDown | None = None
        mine = [(row, to) for row, to in ready if row.id not in self._sending]
        self._sending.update(row.id for row, _ in mine)
        try:
            for row, to in mine:
                try:
                    if failed is None:
                        await self._send(to.gateway, message(row, to))
                        changes[row.id] = CommandState.SEND, ""
                except LinkDown as error:
                    log.warning("command %s could not be sent: %s", row.id, error)
                    failed = error
                if failed is not None and not row.wait:
                    changes[row.id] = CommandState.NETWORK_ERROR, LINK_DOWN
            await self._change(changes)
        finally:
            self._sending.difference_update(row.id for row, _ in mine)

    async def _change(self, changes: Mapping[str, Change]) -> None:
        """Bring commands into new states where they may; one transaction for all."""
        if not changes:
            return
        changed = []
        async with self._database.session() as session:
            for row in await CommandRepository(session, Scope.system()).commands(list(changes)):
                wanted, code = changes[row.id]
                if may_become(CommandState(row.status), wanted):  # else the result was faster
                    self._become(row, wanted, code)
                    changed.append(row)
            await session.commit()
        for row in changed:
            await self._pushed(row.device_id, status_of(row))

    def _become(self, row: CommandRow, state: CommandState, code: str) -> None:
        row.status, row.code = state.value, code
        if state is CommandState.SEND:
            row.sent_ms = self._clock()
        else:
            row.finished_ms = self._clock()
            FINISHED.labels(state.value).inc()
