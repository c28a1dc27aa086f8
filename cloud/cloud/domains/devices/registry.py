"""Gateways are added, changed and removed: the rules, as a unit of work that commits nothing.

A gateway belongs to who adds it, to the platform when that is one of its users. A copy belongs to the first
one's owner and has its draft under its own id, but no IMEI, ICCID or expiry, and is positioned by hand.
Project, product, main type and scanning are for owners to change, the expiry for the platform, factories
and agents. A project is one that the user sees, no group, whose owner sees the gateway. A project or
product that a reader does not see is null for him; pushes have neither, as everybody gets the same one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.clock import NowMs, now_ms
from cloud.domains.configuration.general import FIELDS
from cloud.domains.configuration.general_drafts import GeneralDrafts
from cloud.domains.devices.authentication import hash_of
from cloud.domains.devices.claim_limits import HOUR_MS, limits_of, refuse_too_many
from cloud.domains.devices.claims import NEW_DELAY_S
from cloud.domains.devices.forms import IDENTITY, SERVED_PROTOCOLS, DeviceFields, column_of, values_of
from cloud.domains.devices.registry_repository import RegistryRepository
from cloud.domains.devices.share_repository import ShareRepository
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import Device
from cloud.domains.inventory.ownership import user_limits
from cloud.domains.inventory.project_models import Project
from cloud.domains.inventory.visibility import not_owner
from cloud.errors import Conflict, NoPermission, NotFound, ParameterError
from edge_contract.errors import TopicError
from edge_contract.topics import check_gateway

OF_OWNERS = frozenset({"project_id", "product_id", "scan_bind", "device_mst"})
"""Fields that who has a gateway by a share does not change."""

PLACE = frozenset({"longitude", "latitude"})
GENERAL = frozenset(FIELDS)

SELLERS = frozenset({0, 1, 2})
"""User types that say until when a gateway is paid for: the platform, factories and agents."""


def claimed(gateway_id: str) -> Conflict:
    """Of a serial number that somebody has."""
    return Conflict(
        f"gateway {gateway_id} is claimed already", field="gateway_id", rule="must be new",
        reason="device.claimed",
    )  # fmt: skip


def _of_cloud(fields: DeviceFields) -> dict[str, Any]:
    return {name: value for name, value in fields.given().items() if name not in GENERAL}


def _not_served() -> ParameterError:
    rule = " or ".join(map(str, SERVED_PROTOCOLS))
    return ParameterError("protocol", rule, reason="device.protocol_not_served")


class Registry:
    """One caller's changes on his session. Whoever calls has made sure that the user may change a gateway,
    and that the broker knows the secret of each new one.
    """

    def __init__(self, session: AsyncSession, user: CurrentUser, *, clock: NowMs = now_ms) -> None:
        self._rows = RegistryRepository(session, user.scope)
        self._shares = ShareRepository(session, user.scope)
        self._limits = user_limits(session, user.scope)
        self._drafts = GeneralDrafts(session, user, clock())
        self._user = user
        self._clock = clock
        self._projects: dict[int, Project] = {}
        self._seen: dict[tuple[str, int], bool] = {}

    async def refuse_too_many(self, more: int) -> None:
        """Conflict or Busy when the user, or his tenant, would hold too many serial numbers that no gateway
        ever used. Nobody bounds the platform.
        """
        scope = self._user.scope
        if scope.everything:
            return
        since_ms = self._clock() - HOUR_MS
        tenant = await self._rows.tenant(scope.path)
        paths = {scope.path: self._user.user_type}
        if tenant is not None:
            paths[tenant.path] = tenant.user_type
        for path, user_type in paths.items():
            held = await self._rows.unconnected(path, since_ms)
            refuse_too_many(limits_of(user_type), *held, more)

    async def lock_places(self) -> None:
        """First in a transaction that adds gateways and has locked nothing yet."""
        await self._limits.lock()

    async def refuse_beyond_limit(self, more: int, *, like: Device | None = None) -> None:
        """Conflict when whoever would own so many more gateways, or somebody above him, has his limit."""
        await self._limits.take("devices", self._owner(like), more)

    async def free_places(self) -> int | None:
        """How many more gateways the user may add; None: as many as he likes."""
        return (await self._limits.free("devices", self._owner(None))).free

    def _owner(self, like: Device | None) -> int | None:
        if like is not None:
            return like.owner_id
        return None if self._user.scope.everything else self._user.id

    async def check(self, gateway_id: str, fields: DeviceFields, *, like: Device | None = None) -> None:
        """Refuse what `add` refuses; nothing is written."""
        await self._new(gateway_id, "", fields, like)

    async def add(
        self, gateway_id: str, secret: str, fields: DeviceFields, *, like: Device | None = None
    ) -> Device:
        """A new gateway. Its secret is returned once and never stored.

        It belongs to who adds it, to the platform when that is one of its users. like: a gateway that gives
        every field which is not given but IDENTITY, and its owner. Conflict when the serial number is taken;
        IntegrityError when somebody else takes it at the same moment.
        """
        await self.lock_places()
        device = await self._new(gateway_id, secret, fields, like)
        await self.refuse_beyond_limit(1, like=like)
        await self.refuse_too_many(1)
        self._rows.add(device)
        await self._rows.flush()
        return device

    async def add_all(self, wanted: Mapping[str, DeviceFields], known: Mapping[str, str]) -> list[Device]:
        """New gateways in one statement, in their order. known: their secrets, which the broker has already.

        The caller has made sure that nobody has their serial numbers; the database refuses who was faster.
        """
        await self.lock_places()
        await self.refuse_beyond_limit(len(wanted))
        await self.refuse_too_many(len(wanted))
        made = [await self._made(name, known[name], fields, None) for name, fields in wanted.items()]
        for device in made:
            self._rows.add(device)
        await self._rows.flush()
        return made

    async def _new(self, gateway_id: str, secret: str, fields: DeviceFields, like: Device | None) -> Device:
        try:
            check_gateway(gateway_id)
        except TopicError as error:
            raise ParameterError("gateway_id", error.rule) from None
        if await self._rows.is_claimed(gateway_id):
            raise claimed(gateway_id)
        return await self._made(gateway_id, secret, fields, like)

    async def _made(self, gateway_id: str, secret: str, fields: DeviceFields, like: Device | None) -> Device:
        device = Device(
            gateway_id=gateway_id,
            title=gateway_id,
            secret_hash=hash_of(secret),
            created_ms=self._clock(),
            offline_alarm_delay_s=NEW_DELAY_S,
            owner_id=self._owner(like),
        )
        if like is not None:
            for name, value in values_of(like).items():
                if name not in IDENTITY and name != "auto_position":  # it has no location point yet
                    setattr(device, column_of(name), value)
        given = _of_cloud(fields)
        if like is not None and "protocol" not in given and like.protocol not in SERVED_PROTOCOLS:
            raise _not_served()
        await self._put(device, given, is_owned=True)
        return device

    async def configure(self, device: Device, fields: DeviceFields) -> None:
        """What a new gateway's form says of its configuration, as its first draft or in the one it has."""
        if wanted := {name: value for name, value in fields.general().items() if value is not None}:
            change = await self._drafts.prepared(device.id, device.gateway_id, wanted)
            await self._drafts.keep(device.id, change)

    async def values(self, device: Device, fields: Collection[str]) -> dict[str, Any]:
        """What it has; of its configuration too when one of the fields is of that."""
        values = values_of(device)
        return values if GENERAL.isdisjoint(fields) else values | await self._drafts.values(device.id)

    async def change(self, device: Device, fields: DeviceFields) -> dict[str, Any]:
        """What the fields had that are different now. Conflict: a place for one that is positioned
        automatically, unless the same change ends that; a configuration that nobody may edit.
        """
        given, general = _of_cloud(fields), fields.general()
        before = values_of(device)
        changes = {name: value for name, value in given.items() if before[name] != value}
        if PLACE & changes.keys() and device.auto_position and changes.get("auto_position") is not False:
            raise Conflict(
                "positioning is automatic", field="auto_position", rule="false", reason="device.auto_position"
            )
        draft = await self._drafts.prepared(device.id, device.gateway_id, general) if general else None
        if changes:
            await self._put(device, changes, is_owned=await self._shares.is_owned(device.id))
            await self._rows.flush()
        if draft is not None:  # last: it was checked, and all other checks lie behind
            await self._drafts.keep(device.id, draft)
        return {name: before[name] for name in changes} | (draft.before if draft else {})

    async def hidden(self, device: Device) -> set[str]:
        """Fields whose value the user may not see: a project or product outside of his scope."""
        looks = {"project_id": self._rows.project, "product_id": self._rows.product}
        hidden = set()
        for field, look in looks.items():
            number = getattr(device, field)
            if number is None:
                continue
            if (field, number) not in self._seen:
                self._seen[field, number] = await look(number) is not None
            if not self._seen[field, number]:
                hidden.add(field)
        return hidden

    async def remove(self, device: Device) -> None:
        """Delete a gateway with everything that refers to it; who has it by a share may not."""
        if not await self._shares.is_owned(device.id):
            raise not_owner()
        await self._rows.delete(device)

    async def _put(self, device: Device, changes: dict[str, object], *, is_owned: bool) -> None:
        if OF_OWNERS & changes.keys() and not is_owned:
            raise not_owner()
        if "expire_ms" in changes and self._user.user_type not in SELLERS:
            raise NoPermission("expire_ms", reason="device.not_seller")
        if changes.get("protocol", SERVED_PROTOCOLS[0]) not in SERVED_PROTOCOLS:
            raise _not_served()
        if changes.get("project_id") is not None:
            await self._check_project(device, int(str(changes["project_id"])))
        product_id = changes.get("product_id")
        if product_id is not None and await self._rows.product(int(str(product_id))) is None:
            raise NotFound("product")
        if changes.get("auto_position"):
            await self._check_location_point(device)
        if PLACE & changes.keys():
            longitude = changes.get("longitude", device.longitude)
            if (longitude is None) != (changes.get("latitude", device.latitude) is None):
                raise ParameterError("longitude", "together with latitude")
            device.positioned_ms = None if longitude is None else self._clock()
        for name, value in changes.items():  # all checks lie before this: a gateway changes completely or not
            setattr(device, column_of(name), value)

    async def _check_location_point(self, device: Device) -> None:
        """A gateway that has been heard has its points; a new one has none yet."""
        if device.id is None or not await self._rows.has_location_point(device.id):
            raise ParameterError(
                "auto_position", "a location point at the gateway", reason="device.no_location_point"
            )

    async def _check_project(self, device: Device, project_id: int) -> None:
        """A project that the user sees, whose owner sees the gateway."""
        project = self._projects.get(project_id) or await self._rows.project(project_id)
        if project is None:
            raise NotFound("project")
        self._projects[project_id] = project
        if project.kind != "project":
            raise ParameterError("project_id", "a project, not a group", reason="device.project_is_group")
        if project.owner_id is not None and not await self._rows.is_below(device.owner_id, project.owner_id):
            raise ParameterError(
                "project_id", "of the gateway's owner or somebody above him", reason="device.other_project"
            )
