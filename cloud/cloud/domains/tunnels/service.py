"""Tunnels: opened for one user, exclusive, bounded in time, each with its end on record."""

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
from cloud.domains.devices.schemas import DeviceRow
from cloud.domains.devices.service import DeviceService
from cloud.domains.devices.tunnel_session_models import TunnelSession
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.tunnels.open_tunnels import Held, OpenTunnel, OpenTunnels
from cloud.domains.tunnels.repository import TunnelRepository
from cloud.domains.tunnels.schemas import GatewayTunnel, ProxyState, TunnelRow, VcomBody, VcomTunnel
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
MAX_ROWS = 50
END_S = 10.0
"""How long ending a tunnel may take: the gateway is notified, and the row written."""
VCOM, RPROXY = "vcom", "rproxy"


UserNow = Callable[[int], Awaitable[CurrentUser | None]]
"""A user as he is now; None when he may not sign in."""


class ListenerSettings(Protocol):
    """What this domain reads of the settings."""

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
        self._tunnels = OpenTunnels()

    @property
    def _monotonic(self) -> Callable[[], float]:
        return self._switchboard.monotonic

    async def start(self) -> None:
        """End on record what an earlier process left open, and tell the gateways, which may not know."""
        async with self._database.session() as session:
            rows = await TunnelRepository(session, Scope.system()).not_ended()
            for row in rows:
                row.ended_ms, row.why = self._clock(), "restart"
            await session.commit()
        for row in rows:
            if row.kind == VCOM:
                gateway = (await self._devices.row(Scope.system(), row.device_id)).gateway_id
                self._switchboard.unreported.append((gateway, row.id))

    async def stop(self) -> None:
        """End every tunnel, with its row written."""
        await self._end_all(self._tunnels.all(), Close(code="stopped", detail="the cloud stops"))
        await self._switchboard.stop()

    async def check(self) -> None:
        """Periodic."""
        self._switchboard.check()
        await self._switchboard.report_ends()
        now, now_s = self._clock(), self._monotonic()
        for tunnel in self._tunnels.all():
            if await self._refused(tunnel.user_id):
                tunnel.end(Close(code="done", detail=f"{tunnel.user_name} may not sign in any more"))
                continue
            if tunnel.listener is None:
                continue  # its one tunnel has its own times
            if now >= tunnel.expires_ms:
                tunnel.end(Close(code="expired", detail=f"{PAGE_LONGEST_S} s old"))
            elif now_s >= tunnel.listener.used_s + PAGE_IDLE_S:
                tunnel.end(Close(code="idle", detail=f"no request for {PAGE_IDLE_S} s"))

    async def _refused(self, user_id: int) -> bool:
        return await self._user_now(user_id) is None

    async def open_vcom(self, user: CurrentUser, device_id: int, body: VcomBody, caller: str) -> VcomTunnel:
        """Conflict: the port is held, or the gateway is offline; ParameterError: no such port."""
        device = await self._online(user, device_id)
        held = (device_id, VCOM, body.port)
        with self._tunnels.claim(held, user.name):
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
            tunnel = self._new_tunnel(channel.name, held, user, body.longest_s)
            try:
                await self._record(tunnel, user, caller, body.mode)
            except BaseException:
                listener.close()
                raise
            tunnel.task = asyncio.create_task(
                self._serve_vcom(tunnel, listener, channel), name=f"tunnel-{tunnel.id}"
            )
        host = self._settings.vcom_name or self._settings.vcom_host
        return VcomTunnel(lease=tunnel.id, host=host, port=port, expires_ms=tunnel.expires_ms)

    async def tunnels(self, scope: Scope, device_id: int) -> list[TunnelRow]:
        """Of a gateway's ports, newest first."""
        await self._devices.gateway_of(scope, device_id)
        async with self._database.reading() as session:
            rows = await TunnelRepository(session, scope).of_device(device_id, VCOM, MAX_ROWS)
        return [_row(row) for row in rows]

    async def all_tunnels(
        self, scope: Scope, page: int, limit: int, search: str, living: bool | None
    ) -> Page[GatewayTunnel]:
        """Of the ports of all gateways, newest first; living: only those that live, or only past ones."""
        async with self._database.reading() as session:
            rows, total = await TunnelRepository(session, scope).page(VCOM, page, limit, search, living)
        found = [
            GatewayTunnel(
                **_row(tunnel).model_dump(),
                device_id=device.id,
                device_title=device.display_title,
                gateway_id=device.gateway_id,
            )
            for tunnel, device in rows
        ]
        return Page(rows=found, total=total)

    async def close_vcom(self, user: CurrentUser, device_id: int, tunnel_id: str) -> TunnelRow:
        """End a tunnel; NotFound when this gateway never had it."""
        await self._devices.changeable(user, device_id)
        for tunnel in self._tunnels.all():
            if tunnel.id == tunnel_id and tunnel.held[:2] == (device_id, VCOM):
                await self._end_all([tunnel], Close(code="done", detail=f"closed by {user.name}"))
        async with self._database.reading() as session:
            row = await TunnelRepository(session, user.scope).tunnel(tunnel_id)
        if row is None or row.device_id != device_id or row.kind != VCOM:
            raise NotFound("lease")
        return _row(row)

    async def page_state(self, scope: Scope, device_id: int) -> ProxyState:
        """Whether a gateway's page is open, and for whom."""
        await self._devices.gateway_of(scope, device_id)
        tunnel = self._tunnels.of((device_id, RPROXY, ""))
        if tunnel is None:
            return ProxyState(open=False)
        return ProxyState(open=True, lease=tunnel.id, user=tunnel.user_name, expires_ms=tunnel.expires_ms)

    async def open_page(self, user: CurrentUser, device_id: int, caller: str) -> ProxyState:
        """A way to the gateway's page; who has one already gets another link to it."""
        device = await self._online(user, device_id)
        held = (device_id, RPROXY, "")
        tunnel = self._tunnels.of(held)
        if tunnel is None or tunnel.user_id != user.id or tunnel.over.is_set():
            with self._tunnels.claim(held, user.name):
                tunnel = await self._new_page_tunnel(device.gateway_id, held, user, caller)
        assert tunnel.listener is not None
        return ProxyState(
            open=True,
            lease=tunnel.id,
            url=self._origin(tunnel.port) + tunnel.listener.link(),
            user=user.name,
            expires_ms=tunnel.expires_ms,
        )

    async def close_page(self, user: CurrentUser, device_id: int) -> ProxyState:
        """End it, whoever opened it."""
        await self._devices.changeable(user, device_id)
        tunnel = self._tunnels.of((device_id, RPROXY, ""))
        if tunnel is not None:
            await self._end_all([tunnel], Close(code="done", detail=f"closed by {user.name}"))
        return ProxyState(open=False)

    async def access_taken(self, device_id: int, user_id: int | None) -> None:
        """A user may not change the gateway any more, or with None nobody who did: end what is open."""
        taken = [
            tunnel
            for tunnel in self._tunnels.all()
            if tunnel.held[0] == device_id and user_id in (None, tunnel.user_id)
        ]
        await self._end_all(taken, Close(code="done", detail="access to the gateway was taken away"))

    async def _new_page_tunnel(self, gateway: str, held: Held, user: CurrentUser, caller: str) -> OpenTunnel:
        tunnel = self._new_tunnel(secrets.token_hex(8), held, user, PAGE_LONGEST_S)
        opening = Open(target=Target.PAGE, idle_s=PAGE_TUNNEL_IDLE_S, longest_s=PAGE_LONGEST_S, who=user.name)
        pool = PagePool(lambda: self._switchboard.open(gateway, opening), self._monotonic)
        try:
            async with pool.connection():  # what hinders is said here, not to the browser that comes later
                tunnel.listener = PageListener(tunnel.id, pool, self._tls, self._monotonic)
                tunnel.port = await tunnel.listener.start(
                    self._settings.rproxy_host, self._settings.rproxy_ports
                )
        except TunnelRefused as error:
            raise refused(error) from None
        except NoFreePort as error:
            pool.close()
            raise Unavailable(str(error), reason="tunnel.no_free_port") from None
        tunnel.pool = pool
        try:
            await self._record(tunnel, user, caller, "")
        except BaseException:
            await tunnel.listener.stop()
            raise
        tunnel.task = asyncio.create_task(self._serve_page(tunnel), name=f"tunnel-{tunnel.id}")
        return tunnel

    async def _serve_vcom(self, tunnel: OpenTunnel, listener: SerialListener, channel: Channel) -> None:
        running = asyncio.create_task(listener.run())
        over = asyncio.create_task(tunnel.over.wait())
        await asyncio.wait({running, over}, return_when=asyncio.FIRST_COMPLETED)
        over.cancel()
        if tunnel.why is not None:
            channel.end(tunnel.why)
        close = await running
        await self._over(tunnel, tunnel.why or close, channel.stream.sent, channel.stream.received)

    async def _serve_page(self, tunnel: OpenTunnel) -> None:
        assert tunnel.listener is not None
        assert tunnel.pool is not None
        await tunnel.over.wait()
        await tunnel.listener.stop()
        sent, received = tunnel.pool.bytes_transferred()
        await self._over(tunnel, tunnel.why or Close(code="done"), sent, received)

    async def _over(self, tunnel: OpenTunnel, why: Close, sent: int, received: int) -> None:
        """The tunnel ended: on record, in the log, free for others."""
        self._tunnels.remove(tunnel)
        log.info(
            "audit: tunnel %s of %s to gateway %d %s ended: %s %s; %d bytes to the gateway, %d from it",
            tunnel.id, tunnel.user_name, tunnel.held[0], tunnel.held[2] or "page", why.code, why.detail, sent,
            received,
        )  # fmt: skip
        async with self._database.session() as session:
            row = await TunnelRepository(session, Scope.system()).tunnel(tunnel.id)
            if row is not None:
                row.ended_ms, row.why, row.detail = self._clock(), why.code[:20], storable(why.detail, 200)
                row.bytes_to_gateway, row.bytes_from_gateway = sent, received
            await session.commit()

    async def _record(self, tunnel: OpenTunnel, user: CurrentUser, caller: str, mode: str) -> None:
        device_id, kind, port = tunnel.held
        log.info(
            "audit: tunnel %s to gateway %d %s opened by %s from %s",
            tunnel.id, device_id, port or "page", user.name, caller,
        )  # fmt: skip
        row = TunnelSession(
            id=tunnel.id,
            device_id=device_id,
            kind=kind,
            port=port,
            mode=mode,
            user_id=user.id,
            user_name=user.name,
            address=storable(caller, 64),
            opened_ms=self._clock(),
            expires_ms=tunnel.expires_ms,
        )
        async with self._database.session() as session:
            TunnelRepository(session, Scope.system()).add(row)
            await session.commit()
        self._tunnels.add(tunnel)
        await self._devices.announce(device_id)  # the pulse that says so may have been faster

    def _new_tunnel(self, name: str, held: Held, user: CurrentUser, longest_s: int) -> OpenTunnel:
        return OpenTunnel(name, held, user.id, user.name, self._clock() + longest_s * 1000)

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

    async def _end_all(self, tunnels: list[OpenTunnel], why: Close) -> None:
        for tunnel in tunnels:
            tunnel.end(why)
        tasks = [tunnel.task for tunnel in tunnels if tunnel.task is not None]
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


def _row(row: TunnelSession) -> TunnelRow:
    return TunnelRow(
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
