"""To whom a gateway belongs, and with whom it is shared.

A share is owner or visitor, read only or read and write. Owners by share give and take visits; makers of
devices end visits of what they see; everybody may leave. A new owner ends all shares; access password and
history stay with the gateway. Who leaves his own gateway gives it to who stands above him, or makes it
nobody's when that is the platform: either way shares, project, bind code, binder's title, remark, address,
position, access password, presets and draft go, the history stays. Whoever may not write any more loses the
deployments that wait for him and, in this process at once, his tunnels; sockets notice within 30 s.

Who has bound a gateway, or visits it with read and write, commands it and changes settings, ports, slaves,
points, draft and deployment; a read-only visitor is refused (device.shared_read_only). Binding and leaving
need only Monitor.DeviceMonitor.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.changes import record_change
from cloud.core.clock import NowMs, now_ms
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.devices.access_password_repository import AccessPasswordRepository
from cloud.domains.devices.repository import DeviceRepository
from cloud.domains.devices.schemas import DeviceAccess, OwnerRef
from cloud.domains.devices.share_repository import ShareRepository
from cloud.domains.devices.share_schemas import OwnerBody, Share, ShareBody
from cloud.domains.identity.models import User
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import Device, DeviceShare
from cloud.domains.inventory.ownership import user_limits
from cloud.domains.inventory.visibility import OWNER, VISITOR, not_owner, read_only
from cloud.errors import Conflict, NotFound

log = logging.getLogger(__name__)

Taken = Callable[[int, int | None], Awaitable[None]]
"""Called with a gateway and the user who may not change it any more; None for everybody."""

Left = Callable[[int], Awaitable[None]]
"""Called with a gateway whose owner has left it."""

MAKER = 1
"""The user type that makes devices; it may end what visitors have of any gateway that it sees."""

MAX_SHARES = 100
"""Of one gateway: a list that a person looks through."""


async def access_of(session: AsyncSession, scope: Scope, device: Device) -> DeviceAccess:
    """What the user may do with a gateway that he sees."""
    shares = ShareRepository(session, scope)
    owner = await shares.owner(device)
    share = await shares.share(device.id, scope.user_id)
    owns = await shares.is_owned(device.id)
    return DeviceAccess(
        owner=None
        if owner is None
        else OwnerRef(user_id=owner.id, user_name=owner.user_name, nick_name=_nick_name(scope, owner)),
        role=OWNER if owns or share is None else share.role,
        writes=owns or (share is not None and share.writes),
    )


class ShareService:
    """Whom a gateway belongs to, and those above him, give and take every share and hand the gateway on.

    Owners by share (read and write) give and take visits only. taken: called with who may not change it any
    more. left: called when its owner has left it.
    """

    def __init__(self, database: Database, taken: Taken, left: Left, *, clock: NowMs = now_ms) -> None:
        self._database = database
        self._taken = taken
        self._left = left
        self._clock = clock

    async def shares(self, user: CurrentUser, device_id: int) -> list[Share]:
        """All of them for owners and makers, his own for a visitor."""
        async with self._database.reading() as session:
            mine = await self._access(session, user.scope, device_id)
            rows = await ShareRepository(session, user.scope).shares(device_id)
        everything = mine.role == OWNER or user.user_type == MAKER
        return [_share(user.scope, share, who) for share, who in rows if everything or who.id == user.id]

    async def put(self, user: CurrentUser, device_id: int, body: ShareBody) -> Share:
        """Share, or change what a user may do. Raises NotFound for a name that is nobody's, or of somebody
        above whom the asker does not see; Conflict when he has the gateway already or it has MAX_SHARES
        shares; NoPermission when the asker may not share it.
        """
        async with self._database.session() as session:
            mine = await self._access(session, user.scope, device_id)
            repository = ShareRepository(session, user.scope)
            owns = await repository.is_owned(device_id)
            if not (owns or (mine.role == OWNER and mine.writes and body.role == VISITOR)):
                raise not_owner() if mine.writes else read_only()
            other = await repository.user_named(body.user_name.strip())
            if other is None:
                raise NotFound("user")
            if await self._sees_anyway(repository, device_id, other):
                if await repository.user(other.id) is None:
                    raise NotFound("user")
                raise Conflict(
                    "the user has the gateway already",
                    field="user_name",
                    rule="another user",
                    reason="device.has_already",
                )
            row = await repository.share(device_id, other.id)
            if row is not None and row.role == OWNER and not owns:
                raise not_owner()
            if row is None:
                if await repository.count(device_id) >= MAX_SHARES:
                    raise Conflict(
                        f"at most {MAX_SHARES} shares",
                        field="user_name",
                        rule="too many",
                        reason="device.too_many_shares",
                    )
                row = DeviceShare(device_id=device_id, user_id=other.id, created_ms=self._clock())
                repository.add(row)
            row.role, row.writes = body.role, body.writes
            await session.commit()
        words = "read and write" if body.writes else "read only"
        log.info(
            "gateway %d shared with %s as %s, %s, by %s",
            device_id, other.user_name, body.role, words, user.name,
        )  # fmt: skip
        if not row.writes:
            await self._taken(device_id, other.id)
        return _share(user.scope, row, other)

    async def delete(self, user: CurrentUser, device_id: int, user_id: int) -> None:
        """End a share: one's own, a visit (owners and makers), or any (whom the gateway belongs to). Raises
        NotFound when there is no such share, NoPermission when it is not the user's to end.
        """
        async with self._database.session() as session:
            mine = await self._access(session, user.scope, device_id)
            repository = ShareRepository(session, user.scope)
            row = await repository.share(device_id, user_id)
            allowed = user_id == user.id or await repository.is_owned(device_id)
            if not allowed and (row is None or row.role == VISITOR):
                allowed = user.user_type == MAKER or (mine.role == OWNER and mine.writes)
            if not allowed:
                raise not_owner()
            if row is None:
                raise NotFound("share")
            await repository.delete(row)
            await session.commit()
        await self._taken(device_id, user_id)
        log.info("share of gateway %d with user %d ended by %s", device_id, user_id, user.name)

    async def leave(self, user: CurrentUser, device_id: int) -> None:
        """Give up one's own share, or the gateway itself: it goes to who stands above the user, else it is
        nobody's and may be bound again. Raises NoPermission for who sees it as somebody above its owner.
        """
        async with self._database.session() as session:
            device = await _existing(session, user.scope, device_id)
            repository = ShareRepository(session, user.scope)
            is_mine = device.owner_id == user.id
            row = await repository.share(device_id, user.id)
            if is_mine:
                await self._hand_over(repository, device, await repository.heir(user.id))
                await _forget_owner(session, device)
            elif row is not None:
                await repository.delete(row)
            else:
                raise not_owner()
            await session.commit()
        if is_mine:
            record_change({"owner_id": user.id}, {"owner_id": device.owner_id})
        await self._taken(device_id, None if is_mine else user.id)
        if is_mine:
            await self._left(device_id)
        log.info("gateway %d left by %s", device_id, user.name)

    async def give(self, user: CurrentUser, device_id: int, body: OwnerBody) -> DeviceAccess:
        """Hand a gateway to another user that the asker sees. Every share ends with that, because who made it
        has no say any more. Raises NotFound for an unknown gateway or user, NoPermission when the gateway is
        not the asker's to give.
        """
        async with self._database.session() as session:
            limits = user_limits(session, user.scope)
            await limits.lock()
            device = await _existing(session, user.scope, device_id)
            repository = ShareRepository(session, user.scope)
            if not await repository.is_owned(device_id):
                raise not_owner()
            if body.user_id is None and not user.scope.everything:
                raise not_owner()
            if body.user_id is not None and await repository.user(body.user_id) is None:
                raise NotFound("user")
            if device.owner_id != body.user_id:
                await limits.take("devices", body.user_id, was=device.owner_id)
                await self._hand_over(repository, device, body.user_id)
            await session.flush()
            access = await access_of(session, user.scope, device)
            await session.commit()
        await self._taken(device_id, None)
        log.info("gateway %d given to user %s by %s", device_id, body.user_id or "none", user.name)
        return access

    async def _hand_over(self, repository: ShareRepository, device: Device, to: int | None) -> None:
        """Shares, project and bind code were of whoever had it before."""
        for share, _ in await repository.shares(device.id):
            await repository.delete(share)
        device.owner_id, device.project_id, device.bind_code = to, None, None

    async def _access(self, session: AsyncSession, scope: Scope, device_id: int) -> DeviceAccess:
        return await access_of(session, scope, await _existing(session, scope, device_id))

    async def _sees_anyway(self, repository: ShareRepository, device_id: int, other: User) -> bool:
        owner_path = (await repository.audience(device_id)).owner_path
        return other.user_type == 0 or bool(other.path and owner_path.startswith(other.path))


async def _existing(session: AsyncSession, scope: Scope, device_id: int) -> Device:
    device = await DeviceRepository(session, scope).device(device_id)
    if device is None:
        raise NotFound("device")
    return device


async def _forget_owner(session: AsyncSession, device: Device) -> None:
    """What an owner entered of himself and his place is not for who has the gateway next, whom his access
    password would shut out.
    """
    device.binder_title = device.remark = ""
    device.province = device.city = device.district = device.address = device.floorroom = ""
    device.longitude = device.latitude = device.positioned_ms = None
    passwords = AccessPasswordRepository(session)
    password = await passwords.of_device(device.id)
    if password is not None:
        await passwords.delete(password)


def _nick_name(scope: Scope, user: User) -> str:
    """Of nobody outside one's own subtree: a user name is known to who shares, a person's name is not."""
    return user.nick_name if scope.everything or user.path.startswith(scope.path) else ""


def _share(scope: Scope, row: DeviceShare, user: User) -> Share:
    return Share(
        user_id=user.id,
        user_name=user.user_name,
        nick_name=_nick_name(scope, user),
        role=row.role,
        writes=row.writes,
        created_ms=row.created_ms,
    )
