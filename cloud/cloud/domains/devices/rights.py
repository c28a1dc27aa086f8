"""What a user may do with gateways, on the session of who asks: a service that writes has one open."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.domains.devices.repository import DeviceRepository
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.visibility import read_only


async def refuse_read_only(session: AsyncSession, user: CurrentUser, device_ids: Collection[int]) -> None:
    """NoPermission when the user may not change one of these, which he sees."""
    repository = DeviceRepository(session, user.scope)
    if len(await repository.writable_among(device_ids)) != len(set(device_ids)):
        raise read_only()
