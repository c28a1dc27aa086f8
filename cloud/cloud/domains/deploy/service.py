"""Deployments: requested, sent, followed step by step to an end that the gateway decides."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

from cloud.core.changes import touch
from cloud.core.clock import NowMs, now_ms
from cloud.core.envelope import Page
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.configuration.document import read
from cloud.domains.configuration.models import Deployment
from cloud.domains.configuration.repository import DeployRepository
from cloud.domains.configuration.state_changes import confirm_rebase, pending, situation
from cloud.domains.configuration.states import DeploymentState, Refusal, base_of, gives_up_ms
from cloud.domains.deploy import views
from cloud.domains.deploy.deliveries import Deliveries
from cloud.domains.deploy.deployment_store import DeploymentStore, Pushed
from cloud.domains.deploy.progress import Changed, Progress
from cloud.domains.deploy.refusals import refuse_astray, refused
from cloud.domains.deploy.schemas import (
    CONFIRM_S,
    HEALTHY_SHARE,
    DeployBody,
    DeploymentDetail,
    DeploymentRef,
    DeploymentStatus,
    DeploymentTask,
    ParameterCondition,
)
from cloud.domains.devices.schemas import DeviceRow
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.schemas import CurrentUser
from cloud.errors import Conflict, NotFound
from cloud.link import LinkDown
from edge_contract.deployment import FINAL as FINAL_STEPS
from edge_contract.deployment import Deploy, Receipt
from edge_contract.payloads import Running

log = logging.getLogger(__name__)

CHECK_S = 1.0
"""Interval of the search for deployments that have expired, and for those that have to be sent."""

CHECK_ANSWER_S = 9.0
"""How long a check waits for its receipt; the portal gives a call 10 s."""

AT_ONCE = 500

Send = Callable[[str, Deploy], Awaitable[None]]


@dataclass(frozen=True)
class _Wanted:
    """What is to be sent, and on which base; None is forced."""

    hash: str
    base: str | None


class DeployService:
    """send: to the gateway, raises LinkDown. pushed: called with the gateway's id and the deployment.

    changed: called with the id of a gateway whose configuration state has changed.
    """

    def __init__(
        self,
        database: Database,
        devices: DeviceService,
        send: Send,
        pushed: Pushed,
        changed: Changed,
        *,
        clock: NowMs = now_ms,
        check_answer_s: float = CHECK_ANSWER_S,
    ) -> None:
        self._database = database
        self._devices = devices
        self._send = send
        self._clock = clock
        self._check_answer_s = check_answer_s
        self._store = DeploymentStore(database, pushed, clock)
        self._progress = Progress(database, devices, self._store, changed, clock)
        self._deliveries = Deliveries()
        self._looked_at = ""

    async def request(self, user: CurrentUser, device_id: int, body: DeployBody) -> DeploymentRef:
        """Take a deployment. Raises Conflict when there is nothing to deploy, for an unseen local edit, while
        another one is under way, and when it changes how the gateway is reached without saying so; NotFound
        for a version that is not stored.
        """
        device = await self._devices.commandable(user, device_id)
        owns = bool(await self._devices.owns(user, [device_id]))
        now = self._clock()
        async with self._database.session() as session:
            repository = DeployRepository(session, user.scope)
            config_state = await repository.locked(device_id)
            name = body.hash or pending(config_state)
            if name is None:
                raise refused(Refusal.NOTHING)
            base = None if body.force else base_of(situation(config_state), name, body.base)
            if isinstance(base, Refusal):
                raise refused(base)
            await refuse_astray(repository, config_state, name, deliberate=body.changes_link, owns=owns)
            if name == pending(config_state):
                confirm_rebase(config_state)
            replaced = await self._make_way(repository, device_id)
            row = self._row(device_id, _Wanted(name, base), user)
            row.wait, row.confirm_s, row.healthy_share = body.wait, body.confirm_s, body.healthy_share
            row.expires_ms = now + body.expires_s * 1000
            repository.add(row)
            await session.commit()
        log.info("deployment %s: %s deploys %s to %s", row.id, user.name, name, device.gateway_id)
        for old in replaced:
            await self._store.notify(old)
        await self._store.notify(row)
        await self._begin(device, row)
        return DeploymentRef(id=row.id, hash=name, state=(await self.status(user.scope, row.id)).state)

    async def check(self, user: CurrentUser, device_id: int, name: str | None) -> DeploymentDetail:
        """Let the gateway validate a version, which changes nothing there. Without an answer within 9 s the
        state says so. Raises NotFound when the version is not stored, Conflict when there is no draft.
        """
        device = await self._devices.changeable(user, device_id)
        async with self._database.session() as session:
            repository = DeployRepository(session, user.scope)
            name = name or pending(await repository.locked(device_id))
            if name is None:
                raise refused(Refusal.NOTHING)
            if await repository.version(device_id, name) is None:
                raise NotFound("configuration")
            row = self._row(device_id, _Wanted(name, None), user)
            row.check_only = True
            row.expires_ms = self._clock() + int(self._check_answer_s * 1000)
            repository.add(row)
            await session.commit()
        log.info("deployment %s: %s checks %s on %s", row.id, user.name, name, device.gateway_id)
        with self._store.awaited(row.id) as ended:
            await self._begin(device, row)
            try:
                async with asyncio.timeout(self._check_answer_s):
                    await ended.wait()
            except TimeoutError:
                await self._store.change(row.id, DeploymentState.NETWORK_ERROR, "no_receipt")
        return await self.detail(user.scope, row.id)

    async def status(self, scope: Scope, deployment_id: str) -> DeploymentStatus:
        """A deployment that the scope sees. Raises NotFound when there is none."""
        async with self._database.reading() as session:
            row = await DeployRepository(session, scope).deployment(deployment_id)
        if row is None:
            raise NotFound("deployment")
        return views.status(row)

    async def detail(self, scope: Scope, deployment_id: str) -> DeploymentDetail:
        """A deployment with its receipts. Raises NotFound when there is none."""
        async with self._database.reading() as session:
            repository = DeployRepository(session, scope)
            row = await repository.deployment(deployment_id)
            receipts = await repository.receipts(deployment_id)
        if row is None:
            raise NotFound("deployment")
        return views.detail(row, receipts)

    async def conditions(self, scope: Scope, device_id: int) -> list[ParameterCondition]:
        """What became of the parameter groups of a gateway's machine, by its last deployment."""
        async with self._database.reading() as session:
            repository = DeployRepository(session, scope)
            row = await repository.latest(device_id)
            receipts = await repository.receipts(row.id) if row is not None else []
        return views.detail(row, receipts).parameters if row is not None else []

    async def on_trial(self, user: CurrentUser, deployment_id: str) -> int:
        """The gateway that tries this deployment; Conflict when it is not on trial."""
        row = await self.status(user.scope, deployment_id)
        await self._devices.commandable(user, row.device_id)
        if row.state != DeploymentState.SWITCHED:
            raise Conflict(
                "the deployment is not on trial",
                field="deployment_id",
                rule="no_trial",
                reason="deploy.no_trial",
            )
        touch(device_id=row.device_id)
        return row.device_id

    async def cancel(self, user: CurrentUser, deployment_id: str) -> DeploymentStatus:
        """Send it no more, and wait for it no longer. A gateway that has it may carry it out all the same:
        its receipts then say so. Conflict when the gateway has switched to it, or it has ended.
        """
        row = await self.status(user.scope, deployment_id)
        await self._devices.refuse_read_only(user, [row.device_id])
        if row.check_only or not await self._store.change(deployment_id, DeploymentState.CANCELLED):
            raise Conflict(
                "the gateway has switched to it, or it has ended",
                field="deployment_id",
                rule="not_waiting",
                reason="configuration.not_waiting",
            )
        touch(device_id=row.device_id)
        log.info("deployment %s: %s cancels it", deployment_id, user.name)
        return await self.status(user.scope, deployment_id)

    async def access_taken(self, device_id: int, user_id: int | None) -> None:
        """A user may not change the gateway any more, or with None nobody who did: what he requested and has
        not ended is cancelled.
        """
        async with self._database.reading() as session:
            waiting = await DeployRepository(session, Scope.system()).unfinished(device_id)
        for row in waiting:
            if user_id in (None, row.user_id) and await self._store.change(row.id, DeploymentState.CANCELLED):
                log.info(
                    "deployment %s of %s is cancelled: he may not change the gateway", row.id, row.user_name
                )

    async def page(self, scope: Scope, device_id: int, page: int, limit: int) -> Page[DeploymentStatus]:
        """Deployments of a gateway without checks, newest first."""
        await self._devices.gateway_of(scope, device_id)
        async with self._database.reading() as session:
            rows, total = await DeployRepository(session, scope).page(device_id, page, limit)
        return Page(rows=[views.status(row) for row in rows], total=total)

    async def tasks(
        self, scope: Scope, page: int, limit: int, search: str, is_open: bool | None
    ) -> Page[DeploymentTask]:
        """Of all gateways, newest first; is_open: only those under way, or only those that have ended."""
        async with self._database.reading() as session:
            rows, total = await DeployRepository(session, scope).tasks(page, limit, search, is_open)
        tasks = [
            DeploymentTask(
                **views.status(row).model_dump(),
                device_title=device.display_title,
                gateway_id=device.gateway_id,
            )
            for row, device in rows
        ]
        return Page(rows=tasks, total=total)

    async def receipt(self, gateway: str, receipt: Receipt) -> None:
        """A step, as the gateway reports it."""
        if receipt.step not in FINAL_STEPS:  # after a hello those of many deployments come again
            self._deliveries.note(gateway, receipt.id)
        await self._progress.receipt(gateway, receipt)

    async def running(self, gateway: str, running: Running) -> None:
        """What hello and pulse say that runs."""
        if running.deployment is not None:
            self._deliveries.note(gateway, running.deployment)
        await self._progress.running(gateway, running)

    def came(self, gateway: str, running: Running | None) -> None:
        """A gateway said hello: what was sent to it and is not what it names may have been lost."""
        self._deliveries.came(gateway, running.deployment if running is not None else None)

    def forget(self, gateway: str) -> None:
        """A gateway is no more; of one with the same serial number nothing is known."""
        self._progress.forget(gateway)
        self._deliveries.forget(gateway)

    async def expire(self) -> None:
        """Periodic: give up what got no final receipt in its time."""
        now = self._clock()
        async with self._database.reading() as session:
            rows = await DeployRepository(session, Scope.system()).past_expiry(now, AT_ONCE)
        for row in rows:
            state = DeploymentState(row.state)
            if now <= gives_up_ms(state, row.expires_ms, row.confirm_s, row.check_only):
                continue
            if state is DeploymentState.CREATED and row.wait:
                await self._store.change(row.id, DeploymentState.EXPIRED, "not_reached")
            else:
                await self._store.change(row.id, DeploymentState.NETWORK_ERROR, "no_receipt")

    async def send_waiting(self) -> None:
        """Periodic: send what waited for its gateway or the broker, and what was lost on its way."""
        async with self._database.reading() as session:
            repository = DeployRepository(session, Scope.system())
            rows = await repository.to_reach(self._looked_at, self._clock(), AT_ONCE)
        self._looked_at = rows[-1].id if len(rows) == AT_ONCE else ""
        for row in rows:
            with suppress(NotFound):  # deleted meanwhile
                device = await self._devices.row(Scope.system(), row.device_id)
                if not device.link.online:
                    continue
                if DeploymentState(row.state) is DeploymentState.CREATED:
                    await self._dispatch(device.gateway_id, row)
                elif not self._deliveries.has(device.gateway_id, row.id):
                    await self._send_again(device.gateway_id, row)

    def _row(self, device_id: int, wanted: _Wanted, user: CurrentUser) -> Deployment:
        return Deployment(
            id=secrets.token_urlsafe(16),
            device_id=device_id,
            hash=wanted.hash,
            base=wanted.base,
            state=DeploymentState.CREATED.value,
            check_only=False,
            wait=False,
            confirm_s=CONFIRM_S,
            healthy_share=HEALTHY_SHARE,
            user_id=user.id,
            user_name=user.name,
            created_ms=self._clock(),
            code="",
            detail="",
        )

    async def _make_way(self, repository: DeployRepository, device_id: int) -> list[Deployment]:
        """What only waits is replaced by a newer deployment; what was sent is not."""
        unfinished = await repository.unfinished(device_id)
        for row in unfinished:
            if DeploymentState(row.state) is not DeploymentState.CREATED:
                raise Conflict(
                    "another deployment is on its way", field="device_id", rule="busy", reason="deploy.busy"
                )
            self._store.move(row, DeploymentState.EXPIRED, "replaced", "")
        return unfinished

    async def _begin(self, device: DeviceRow, row: Deployment) -> None:
        if device.link.online:
            await self._dispatch(device.gateway_id, row)
        elif not row.wait:
            code = "offline" if device.link.back_ms is None else "asleep"
            await self._store.change(row.id, DeploymentState.NETWORK_ERROR, code)

    async def _dispatch(self, gateway: str, row: Deployment) -> None:
        """It counts as sent before it is: what was replaced or taken by another round is never sent."""
        text = await self._document(row)
        self._deliveries.note(gateway, row.id)
        if text is None or not await self._store.change(row.id, DeploymentState.SENT):
            return
        try:
            await self._send(gateway, _message(row, text))
        except LinkDown as error:
            self._deliveries.lost(gateway, row.id)
            if row.wait:
                await self._store.unsend(row.id)
            else:
                log.warning("deployment %s could not be sent: %s", row.id, error)
                await self._store.change(row.id, DeploymentState.NETWORK_ERROR, "link_down")

    async def _send_again(self, gateway: str, row: Deployment) -> None:
        text = await self._document(row)
        if text is None:
            return
        log.info("deployment %s goes to %s again", row.id, gateway)
        self._deliveries.note(gateway, row.id)
        try:
            await self._send(gateway, _message(row, text))
        except LinkDown:
            self._deliveries.lost(gateway, row.id)  # the next round tries again

    async def _document(self, row: Deployment) -> str | None:
        """Of a deployment, which ends when it is not there."""
        async with self._database.reading() as session:
            text = await DeployRepository(session, Scope.system()).document(row.device_id, row.hash)
        if text is None:
            await self._store.change(row.id, DeploymentState.NETWORK_ERROR, "no_document")
        return text


def _message(row: Deployment, text: str) -> Deploy:
    return Deploy(
        id=row.id,
        hash=row.hash,
        base=row.base,
        expires_ms=row.expires_ms,
        document=read(text),
        check_only=row.check_only,
        confirm_s=row.confirm_s,
        healthy_share=row.healthy_share,
    )
