"""Leases of tunnels: opened for one user, exclusive, bounded in time, each with its end on record."""

from __future__ import annotations

import asyncio
import logging
import secrets
import ssl
from collections.abc import Awaitable, Callable
from typing import Protocol

from cloud.core.clock import NowMs, now_ms
from cloud.core.envelope import Page
from cloud.core.scope import Scope
from cloud.core.text import storable
from cloud.db import Database
from cloud.domains.devices.lease_models import TunnelLease
from cloud.domains.devices.schemas import DeviceRow
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.tunnels.leases import Held, Lease, Leases
from cloud.domains.tunnels.repository import TunnelRepository
from cloud.domains.tunnels.schemas import GatewayLease, LeaseRow, ProxyState, VcomBody, VcomLease
from cloud.errors import CloudError, Conflict, NotFound, ParameterError, Unavailable
from cloud.tunnels.channel import Channel, TunnelRefused
from cloud.tunnels.page_listener import PageListener
from cloud.tunnels.page_pool import PagePool
from cloud.tunnels.serial_listener import NoFreePort, SerialListener
from cloud.tunnels.switchboard import Switchboard
from edge_contract.tunnel import Close, Line, Open, Target

log = logging.getLogger(__name__)

CHECK_S = 2.0
"""Interval of the search for what should have ended."""
PAGE_IDLE_S = 600
PAGE_LONGEST_S = 3600
PAGE_TUNNEL_IDLE_S = 30
"""A kept connection to the page that nobody uses gives its tunnel back."""
MOST_ROWS = 50
END_S = 10.0
"""How long ending a lease may take: the gateway is told, and the row written."""
VCOM, RPROXY = "vcom", "rproxy"


UserNow = Callable[[int], Awaitable[CurrentUser | None]]
"""A user as he is now; None when he may not sign in."""


class ListenerSettings(Protocol):
    """What this room reads of the settings."""

    @property
    def vcom_host(self) -> str: ...
    @property
    def vcom_ports(self) -> str: ...
    @property
    def vcom_name(self) -> str: ...
    @property
    def rproxy_host(self) -> str: ...
    @property
    def rproxy_ports(self) -> str: ...
    @property
    def rproxy_url(self) -> str: ...


class TunnelService:
    """tls: of the listeners of pages. user_now: who may not sign in any more loses his tunnels."""

    def __init__(
        self,
        database: Database,
        devices: DeviceService,
        switchboard: Switchboard,
        settings: ListenerSettings,
        tls: ssl.SSLContext | None = None,
        *,
        user_now: UserNow,
        clock: NowMs = now_ms,
    ) -> None:
        self._database = database
        self._devices = devices
        self._switchboard = switchboard
        self._settings = settings
        self._tls = tls
        self._user_now = user_now
        self._clock = clock
        self._leases = Leases()

    @property
    def _monotonic(self) -> Callable[[], float]:
        return self._switchboard.monotonic

    async def start(self) -> None:
        """End on record what an earlier process left open, and tell the gateways, which may not know."""
        async with self._database.session() as session:
            for row in await TunnelRepository(session, Scope.system()).not_ended():
                row.ended_ms, row.why = self._clock(), "restart"
                if row.kind == VCOM:
                    gateway = (await self._devices.row(Scope.system(), row.device_id)).gateway_id
                    self._switchboard.untold.append((gateway, row.id))
            await session.commit()

    async def stop(self) -> None:
        await self._end_all(self._leases.all(), Close(code="stopped", detail="the cloud stops"))
        await self._switchboard.stop()

    async def check(self) -> None:
        """Periodic."""
        self._switchboard.check()
        await self._switchboard.tell_untold()
        now, now_s = self._clock(), self._monotonic()
        for lease in self._leases.all():
            if await self._refused(lease.user_id):
                lease.end(Close(code="done", detail=f"{lease.user_name} may not sign in any more"))
                continue
            if lease.listener is None:
                continue  # its one tunnel has its own times
            if now >= lease.expires_ms:
                lease.end(Close(code="expired", detail=f"{PAGE_LONGEST_S} s old"))
            elif now_s >= lease.listener.used_s + PAGE_IDLE_S:
                lease.end(Close(code="idle", detail=f"no request for {PAGE_IDLE_S} s"))

    async def _refused(self, user_id: int) -> bool:
        return await self._user_now(user_id) is None

    async def open_vcom(self, user: CurrentUser, device_id: int, body: VcomBody, caller: str) -> VcomLease:
        """Conflict: the port is held, or the gateway is offline; ParameterError: no such port."""
        device = await self._online(user, device_id)
        held = (device_id, VCOM, body.port)
        with self._leases.claim(held, user.name):
            opening = Open(
                target=Target.PORT,
                port=body.port,
                line=line_of(body),
                idle_s=body.idle_s,
                longest_s=body.longest_s,
                who=user.name,
            )
            channel = await self._opened(device.gateway_id, opening)
            listener = SerialListener(channel, caller, body.mode, self._monotonic)
            port = await self._listening(
                listener, self._settings.vcom_host, self._settings.vcom_ports, channel
            )
            lease = self._lease(channel.name, held, user, body.longest_s)
            try:
                await self._record(lease, user, caller, body.mode)
            except BaseException:
                listener.close()
                raise
            lease.task = asyncio.create_task(
                self._serve_vcom(lease, listener, channel), name=f"lease-{lease.id}"
            )
        host = self._settings.vcom_name or self._settings.vcom_host
        return VcomLease(lease=lease.id, host=host, port=port, expires_ms=lease.expires_ms)

    async def leases(self, scope: Scope, device_id: int) -> list[LeaseRow]:
        """Of a gateway's ports, newest first."""
        await self._devices.gateway_of(scope, device_id)
        async with self._database.reading() as session:
            rows = await TunnelRepository(session, scope).of_device(device_id, VCOM, MOST_ROWS)
        return [_row(row) for row in rows]

    async def all_leases(
        self, scope: Scope, page: int, limit: int, search: str, living: bool | None
    ) -> Page[GatewayLease]:
        """Of the ports of all gateways, newest first; living: only those that live, or only past ones."""
        async with self._database.reading() as session:
            rows, total = await TunnelRepository(session, scope).page(VCOM, page, limit, search, living)
        found = [
            GatewayLease(
                **_row(lease).model_dump(),
                device_id=device.id,
                device_title=device.shown_title,
                gateway_id=device.gateway_id,
            )
            for lease, device in rows
        ]
        return Page(rows=found, total=total)

    async def close_vcom(self, user: CurrentUser, device_id: int, lease_id: str) -> LeaseRow:
        """End a lease; NotFound when this gateway never had it."""
        await self._devices.changeable(user, device_id)
        for lease in self._leases.all():
            if lease.id == lease_id and lease.held[:2] == (device_id, VCOM):
                await self._end_all([lease], Close(code="done", detail=f"closed by {user.name}"))
        async with self._database.reading() as session:
            row = await TunnelRepository(session, user.scope).lease(lease_id)
        if row is None or row.device_id != device_id or row.kind != VCOM:
            raise NotFound("lease")
        return _row(row)

    async def page_state(self, scope: Scope, device_id: int) -> ProxyState:
        await self._devices.gateway_of(scope, device_id)
        lease = self._leases.of((device_id, RPROXY, ""))
        if lease is None:
            return ProxyState(open=False)
        return ProxyState(open=True, lease=lease.id, user=lease.user_name, expires_ms=lease.expires_ms)

    async def open_page(self, user: CurrentUser, device_id: int, caller: str) -> ProxyState:
        """A way to the gateway's page; who has one already gets another link to it."""
        device = await self._online(user, device_id)
        held = (device_id, RPROXY, "")
        lease = self._leases.of(held)
        if lease is None or lease.user_id != user.id or lease.over.is_set():
            with self._leases.claim(held, user.name):
                lease = await self._new_page_lease(device.gateway_id, held, user, caller)
        assert lease.listener is not None
        return ProxyState(
            open=True,
            lease=lease.id,
            url=self._origin(lease.port) + lease.listener.link(),
            user=user.name,
            expires_ms=lease.expires_ms,
        )

    async def close_page(self, user: CurrentUser, device_id: int) -> ProxyState:
        """End it, whoever opened it."""
        await self._devices.changeable(user, device_id)
        lease = self._leases.of((device_id, RPROXY, ""))
        if lease is not None:
            await self._end_all([lease], Close(code="done", detail=f"closed by {user.name}"))
        return ProxyState(open=False)

    async def access_taken(self, device_id: int, user_id: int | None) -> None:
        """A user may not change the gateway any more, or with None nobody who did: end what is open."""
        taken = [
            lease
            for lease in self._leases.all()
            if lease.held[0] == device_id and user_id in (None, lease.user_id)
        ]
        await self._end_all(taken, Close(code="done", detail="access to the gateway was taken away"))

    async def _new_page_lease(self, gateway: str, held: Held, user: CurrentUser, caller: str) -> Lease:
        lease = self._lease(secrets.token_hex(8), held, user, PAGE_LONGEST_S)
        opening = Open(target=Target.PAGE, idle_s=PAGE_TUNNEL_IDLE_S, longest_s=PAGE_LONGEST_S, who=user.name)
        pool = PagePool(lambda: self._switchboard.open(gateway, opening), self._monotonic)
        try:
            async with pool.connection():  # what hinders is said here, not to the browser that comes later
                lease.listener = PageListener(lease.id, pool, self._tls, self._monotonic)
                lease.port = await lease.listener.start(
                    self._settings.rproxy_host, self._settings.rproxy_ports
                )
        except TunnelRefused as error:
            raise refused(error) from None
        except NoFreePort as error:
            pool.close()
            raise Unavailable(str(error), reason="tunnel.no_free_port") from None
        lease.pool = pool
        try:
            await self._record(lease, user, caller, "")
        except BaseException:
            await lease.listener.stop()
            raise
        lease.task = asyncio.create_task(self._serve_page(lease), name=f"lease-{lease.id}")
        return lease

    async def _serve_vcom(self, lease: Lease, listener: SerialListener, channel: Channel) -> None:
        running = asyncio.create_task(listener.run())
        over = asyncio.create_task(lease.over.wait())
        await asyncio.wait({running, over}, return_when=asyncio.FIRST_COMPLETED)
        over.cancel()
        if lease.why is not None:
            channel.end(lease.why)
        close = await running
        await self._over(lease, lease.why or close, channel.stream.sent, channel.stream.received)

    async def _serve_page(self, lease: Lease) -> None:
        assert lease.listener is not None
        assert lease.pool is not None
        await lease.over.wait()
        await lease.listener.stop()
        sent, received = lease.pool.bytes_carried()
        await self._over(lease, lease.why or Close(code="done"), sent, received)

    async def _over(self, lease: Lease, why: Close, sent: int, received: int) -> None:
        """The lease ended: on record, in the log, free for others."""
        self._leases.remove(lease)
        log.info(
            "audit: tunnel %s of %s to gateway %d %s ended: %s %s; %d bytes to the gateway, %d from it",
            lease.id, lease.user_name, lease.held[0], lease.held[2] or "page", why.code, why.detail, sent,
            received,
        )  # fmt: skip
        async with self._database.session() as session:
            row = await TunnelRepository(session, Scope.system()).lease(lease.id)
            if row is not None:
                row.ended_ms, row.why, row.detail = self._clock(), why.code[:20], storable(why.detail, 200)
                row.bytes_to_gateway, row.bytes_from_gateway = sent, received
            await session.commit()

    async def _record(self, lease: Lease, user: CurrentUser, caller: str, mode: str) -> None:
        device_id, kind, port = lease.held
        log.info(
            "audit: tunnel %s to gateway %d %s opened by %s from %s",
            lease.id, device_id, port or "page", user.name, caller,
        )  # fmt: skip
        row = TunnelLease(
            id=lease.id,
            device_id=device_id,
            kind=kind,
            port=port,
            mode=mode,
            user_id=user.id,
            user_name=user.name,
            address=storable(caller, 64),
            opened_ms=self._clock(),
            expires_ms=lease.expires_ms,
        )
        async with self._database.session() as session:
            TunnelRepository(session, Scope.system()).add(row)
            await session.commit()
        self._leases.add(lease)
        await self._devices.announce(device_id)  # the pulse that says so may have been faster

    def _lease(self, name: str, held: Held, user: CurrentUser, longest_s: int) -> Lease:
        return Lease(name, held, user.id, user.name, self._clock() + longest_s * 1000)

    async def _online(self, user: CurrentUser, device_id: int) -> DeviceRow:
        device = await self._devices.commandable(user, device_id)
        if not device.link.online:
            raise Conflict(
                f"gateway {device.gateway_id} is offline",
                field="device_id",
                rule="must be online",
                reason="tunnel.offline" if device.link.back_ms is None else "tunnel.asleep",
            )
        return device

    async def _opened(self, gateway: str, opening: Open) -> Channel:
        try:
            return await self._switchboard.open(gateway, opening)
        except TunnelRefused as error:
            log.warning("audit: tunnel of %s to %s refused: %s", opening.who, gateway, error)
            raise refused(error) from None

    async def _listening(self, listener: SerialListener, host: str, range_text: str, channel: Channel) -> int:
        try:
            return await listener.start(host, range_text)
        except NoFreePort as error:
            channel.end(Close(code="done", detail=str(error)))
            raise Unavailable(str(error), reason="tunnel.no_free_port") from None

    async def _end_all(self, leases: list[Lease], why: Close) -> None:
        for lease in leases:
            lease.end(why)
        tasks = [lease.task for lease in leases if lease.task is not None]
        if tasks:
            await asyncio.wait(tasks, timeout=END_S)

    def _origin(self, port: int) -> str:
        if self._settings.rproxy_url:
            return self._settings.rproxy_url.replace("{port}", str(port)).rstrip("/")
        host = self._settings.rproxy_host
        return f"{'https' if self._tls else 'http'}://{f'[{host}]' if ':' in host else host}:{port}"


def line_of(body: VcomBody) -> Line | None:
    """Serial settings that were asked for; None leaves the port's own."""
    given = body.model_dump(include={"baud", "parity", "data_bits", "stop_bits"}, exclude_none=True)
    return Line(**given) if given else None


def refused(error: TunnelRefused) -> CloudError:
    """What the caller is told. A later gateway may have codes for which the portal has no words."""
    if error.code == "no_port":
        return ParameterError("port", error.detail, reason="tunnel.no_port")
    if error.code in ("no_answer", "link", "lost", "port_down"):
        return Unavailable(str(error), reason=f"tunnel.{error.code}")
    return Conflict(str(error), field="port", rule=error.code, reason=f"tunnel.{error.code}")


def _row(row: TunnelLease) -> LeaseRow:
    return LeaseRow(
        lease=row.id,
        port=row.port,
        mode=row.mode,
        user=row.user_name,
        address=row.address,
        opened_ms=row.opened_ms,
        expires_ms=row.expires_ms,
        ended_ms=row.ended_ms,
        why=row.why,
        detail=row.detail,
        bytes_to_gateway=row.bytes_to_gateway,
        bytes_from_gateway=row.bytes_from_gateway,
    )
