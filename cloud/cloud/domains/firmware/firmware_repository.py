"""Every query of keys and files of firmware."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import ColumnElement, false, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.firmware.models import (
    FirmwareFile,
    FirmwareKey,
    FirmwarePlan,
    GatewayFirmware,
    GatewayUpgrade,
)
from cloud.domains.firmware.rollout import PlanState
from cloud.domains.firmware.states import UpgradeState
from cloud.domains.identity.scope import ids_above, within
from cloud.domains.inventory.models import Device
from cloud.domains.inventory.visibility import visible


def file_seen(scope: Scope) -> ColumnElement[bool]:
    """Files of the user and of everybody below him."""
    return _seen(scope, within(scope, FirmwareFile.owner_id))


def _seen(scope: Scope, mine: ColumnElement[bool]) -> ColumnElement[bool]:
    return mine if scope.everything or scope.is_placed else false()


class FirmwareRepository:
    """Works on the caller's session; commits nothing. What the scope does not see is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def add(self, row: FirmwareKey | FirmwareFile) -> None:
        """Afterwards it has its number. Raises IntegrityError for one that there is."""
        self._session.add(row)
        await self._session.flush()

    async def delete(self, row: FirmwareKey | FirmwareFile) -> None:
        await self._session.delete(row)
        await self._session.flush()

    async def keys(self) -> list[FirmwareKey]:
        """That count for the user, and those of users below him; the installation's first."""
        query = select(FirmwareKey).where(or_(self._own_keys(), self._keys_above()))
        query = query.order_by(FirmwareKey.owner_id.is_not(None), FirmwareKey.owner_id, FirmwareKey.key_id)
        return list(await self._session.scalars(query))

    async def own_key(self, number: int) -> FirmwareKey | None:
        query = select(FirmwareKey).where(FirmwareKey.id == number, self._own_keys())
        return (await self._session.scalars(query)).one_or_none()

    async def has_key(self, owner_id: int | None, key_id: str) -> bool:
        """Whether this owner has a key of this name."""
        query = select(func.count()).select_from(FirmwareKey).where(FirmwareKey.key_id == key_id)
        mine = FirmwareKey.owner_id.is_(None) if owner_id is None else FirmwareKey.owner_id == owner_id
        return bool((await self._session.execute(query.where(mine))).scalar_one())

    async def count_keys(self, owner_id: int | None) -> int:
        mine = FirmwareKey.owner_id.is_(None) if owner_id is None else FirmwareKey.owner_id == owner_id
        query = select(func.count()).select_from(FirmwareKey).where(mine)
        return int((await self._session.execute(query)).scalar_one())

    async def trusted(self) -> set[tuple[str, str]]:
        """Name and public key of those that count for the user: the installation's, his, and those of
        everybody above him.
        """
        query = select(FirmwareKey.key_id, FirmwareKey.public_key).where(self._keys_above())
        return {(row[0], row[1]) for row in await self._session.execute(query)}

    async def files(
        self, page: int, limit: int, search: str, upgrade_type: int | None
    ) -> tuple[list[FirmwareFile], int]:
        """Newest first, and how many match."""
        query = select(FirmwareFile).where(file_seen(self._scope))
        if upgrade_type is not None:
            query = query.where(FirmwareFile.upgrade_type == upgrade_type)
        if search:
            texts = (FirmwareFile.file_name, FirmwareFile.name, FirmwareFile.version_text)
            query = query.where(or_(*(text.icontains(search, autoescape=True) for text in texts)))
        total = (await self._session.execute(select(func.count()).select_from(query.subquery()))).scalar_one()
        query = query.order_by(FirmwareFile.id.desc()).offset((page - 1) * limit).limit(limit)
        return list(await self._session.scalars(query)), int(total)

    async def file(self, number: int) -> FirmwareFile | None:
        query = select(FirmwareFile).where(FirmwareFile.id == number, file_seen(self._scope))
        return (await self._session.scalars(query)).one_or_none()

    async def file_of(self, owner_id: int | None, sha256: str) -> FirmwareFile | None:
        """The same bytes of the same owner."""
        mine = FirmwareFile.owner_id.is_(None) if owner_id is None else FirmwareFile.owner_id == owner_id
        query = select(FirmwareFile).where(FirmwareFile.sha256 == sha256, mine)
        return (await self._session.scalars(query.limit(1))).one_or_none()

    async def file_of_version(self, name: str, version: int) -> FirmwareFile | None:
        """The newest file of a release that the user sees."""
        query = select(FirmwareFile).where(
            FirmwareFile.name == name, FirmwareFile.version == version, file_seen(self._scope)
        )
        return (await self._session.scalars(query.order_by(FirmwareFile.id.desc()).limit(1))).one_or_none()

    async def used_by(self, owner_id: int | None) -> int:
        """Files of an owner."""
        mine = FirmwareFile.owner_id.is_(None) if owner_id is None else FirmwareFile.owner_id == owner_id
        query = select(func.count()).select_from(FirmwareFile).where(mine)
        return int((await self._session.execute(query)).scalar_one())

    async def bytes_of_all(self) -> int:
        """Of different contents."""
        sizes = select(FirmwareFile.sha256, func.max(FirmwareFile.size).label("size"))
        each = sizes.group_by(FirmwareFile.sha256).subquery()
        return int(
            (await self._session.execute(select(func.coalesce(func.sum(each.c.size), 0)))).scalar_one()
        )

    async def digests(self) -> set[str]:
        """Of every file there is."""
        return set(await self._session.scalars(select(FirmwareFile.sha256)))

    async def is_ordered(self, number: int) -> bool:
        """Whether a gateway waits for a file or has an order of it."""
        waits = or_(GatewayUpgrade.state == UpgradeState.WAITING.value, GatewayUpgrade.is_open.is_(True))
        query = select(GatewayUpgrade.id).where(GatewayUpgrade.firmware_id == number, waits)
        return await self._session.scalar(query.limit(1)) is not None

    async def plans_of(self, numbers: Collection[int]) -> dict[int, int]:
        """How many plans have each of these files."""
        query = select(FirmwarePlan.firmware_id, func.count()).where(FirmwarePlan.firmware_id.in_(numbers))
        rows = await self._session.execute(query.group_by(FirmwarePlan.firmware_id))
        return {row[0]: int(row[1]) for row in rows}

    async def signed_by(self) -> dict[str, tuple[int, int]]:
        """By public key: files that the user sees, and running plans of these."""
        files = select(FirmwareFile.public_key, func.count()).where(file_seen(self._scope))
        counts = {
            row[0]: int(row[1])
            for row in await self._session.execute(files.group_by(FirmwareFile.public_key))
        }
        plans = select(FirmwareFile.public_key, func.count()).join(
            FirmwarePlan, FirmwarePlan.firmware_id == FirmwareFile.id
        )
        plans = plans.where(FirmwarePlan.state == PlanState.RUNNING.value, file_seen(self._scope))
        rows = await self._session.execute(plans.group_by(FirmwareFile.public_key))
        running = {row[0]: int(row[1]) for row in rows}
        return {key: (count, running.get(key, 0)) for key, count in counts.items()}

    async def gateways_of(self, releases: Collection[tuple[str, int]]) -> dict[tuple[str, int], int]:
        """How many gateways that the user sees run each of these releases, by name and version."""
        names, versions = {name for name, _ in releases}, {version for _, version in releases}
        query = select(GatewayFirmware.name, GatewayFirmware.version, func.count())
        query = query.join(Device, Device.id == GatewayFirmware.device_id).where(
            visible(self._scope), GatewayFirmware.name.in_(names), GatewayFirmware.version.in_(versions)
        )
        rows = await self._session.execute(query.group_by(GatewayFirmware.name, GatewayFirmware.version))
        return {(row[0], row[1]): int(row[2]) for row in rows}

    def _own_keys(self) -> ColumnElement[bool]:
        return _seen(self._scope, within(self._scope, FirmwareKey.owner_id))

    def _keys_above(self) -> ColumnElement[bool]:
        if not self._scope.is_placed:
            return FirmwareKey.owner_id.is_(None) if self._scope.everything else false()
        line = [*ids_above(self._scope.path), self._scope.user_id]
        return or_(FirmwareKey.owner_id.is_(None), FirmwareKey.owner_id.in_(line))
