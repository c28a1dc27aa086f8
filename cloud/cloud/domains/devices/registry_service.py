"""Adding, copying, editing many, removing and resetting gateways, and their secrets.

PUT sends what is to change: null empties what may be empty, an unknown field is refused by its name.
`impact` counts what a deletion takes from the tables' own foreign keys. What the link counted stays under
the serial number.

A change of many says for each gateway what its changed fields had, but those that the user may not see
(is_final).
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.changes import record_change
from cloud.core.clock import NowMs, now_ms
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.configuration.document import read, written
from cloud.domains.configuration.drafts import Drafts, NewDraft
from cloud.domains.devices.authentication import hash_of
from cloud.domains.devices.claims import Disconnect, PutGateway
from cloud.domains.devices.forms import DeviceFields, values_of
from cloud.domains.devices.positions import MAX_PUSHED, Placed
from cloud.domains.devices.positions import nobody as unplaced
from cloud.domains.devices.presence import PresenceService
from cloud.domains.devices.registry import GENERAL, PLACE, Registry, claimed
from cloud.domains.devices.registry_repository import RegistryRepository
from cloud.domains.devices.repository import DeviceRepository
from cloud.domains.devices.schemas import (
    BatchRow,
    DeviceBack,
    DeviceDetail,
    DeviceImpact,
    DeviceUpdate,
    NewDevice,
    NewDeviceBody,
    ResetStatusBody,
)
from cloud.domains.devices.service import Configured, DeviceService, nobody
from cloud.domains.devices.share_repository import ShareRepository
from cloud.domains.devices.shares import Taken
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import Device
from cloud.domains.inventory.visibility import not_owner
from cloud.errors import CloudError, Conflict, NotFound, ParameterError, Unavailable
from cloud.link import LinkError

log = logging.getLogger(__name__)

Gone = Callable[[str], Awaitable[None]]
"""Called with the serial number of a gateway that is no more: whatever is remembered of it is forgotten."""

_IMPACT = {
    "slave_device": "slaves",
    "data_point": "points",
    "device_share": "shares",
    "alarm_event": "alarms",
    "on_offline_log": "absences",
    "command": "commands",
    "configuration_version": "versions",
}
"""Table to the number of DeviceImpact that its rows are counted in."""

MISSING, READ_ONLY = "not_found", "device.shared_read_only"


class RegistryService:
    """put_gateway, disconnect: change the broker's list. taken: called when nobody may change a gateway any
    more. configured: called with a gateway whose draft has changed. placed: with one that has got another
    place.

    The broker is called outside of every transaction: it takes seconds, and on SQLite nobody else would
    write.
    """

    def __init__(
        self,
        database: Database,
        devices: DeviceService,
        presence: PresenceService,
        put_gateway: PutGateway,
        disconnect: Disconnect,
        taken: Taken,
        gone: Gone,
        *,
        configured: Configured = nobody,
        placed: Placed = unplaced,
        clock: NowMs = now_ms,
    ) -> None:
        self._database = database
        self._devices = devices
        self._presence = presence
        self._put_gateway = put_gateway
        self._disconnect = disconnect
        self._taken = taken
        self._gone = gone
        self._configured = configured
        self._placed = placed
        self._clock = clock
        self._in_broker_change: set[str] = set()

    async def create(self, user: CurrentUser, body: NewDeviceBody) -> NewDevice:
        """A new gateway and its secret. Raises Conflict for a serial number that is taken, ParameterError for
        a field that breaks its rule, Unavailable when the broker refuses it, of which nothing is left.
        """
        with self._exclusive(body.gateway_id, claimed(body.gateway_id)):
            device, secret = await self._create(user, body)
        log.info("gateway %s added by %s", device.gateway_id, user.name)
        record_change({}, {"gateway_id": device.gateway_id, **values_of(device), **body.general()})
        if device.longitude is not None:
            self._placed(device.id)
        return NewDevice(device=await self._devices.detail(user.scope, device.id), secret=secret)

    async def update(self, user: CurrentUser, body: DeviceUpdate) -> list[BatchRow]:
        """The same change of several gateways; one that it does not apply to is skipped, its row says why.

        ParameterError for what fits no gateway at all.
        """
        body.fields.given()
        rows = await self._each(user, {number: (body.fields, {}) for number in body.ids})
        record_change({}, {"ids": _changed(rows), **body.fields.model_dump(exclude_unset=True)})
        return rows

    async def put_back(self, user: CurrentUser, before: Sequence[DeviceBack]) -> list[BatchRow]:
        """Give several gateways back what they had; one that was changed since is skipped. Raises
        ParameterError when one is named twice.
        """
        if len({one.device_id for one in before}) < len(before):
            raise ParameterError("back", "each gateway once")
        rows = await self._each(user, {one.device_id: (one.fields, one.now.given()) for one in before})
        names = sorted({name for one in before for name in one.fields.model_fields_set})
        record_change({}, {"ids": _changed(rows), "back": names})
        return rows

    async def _each(
        self, user: CurrentUser, wanted: Mapping[int, tuple[DeviceFields, Mapping[str, Any]]]
    ) -> list[BatchRow]:
        """wanted: of each gateway what it gets, and what it must have until then."""
        rows, changed, ids = [], [], list(wanted)
        async with self._database.session() as session:
            repository, registry = DeviceRepository(session, user.scope), self._registry(session, user)
            devices = {device.id: device for device in await repository.numbered(ids)}
            writable = await repository.writable_among(ids)
            for number, (fields, now) in wanted.items():
                device = devices.get(number)
                row = await self._one(registry, device, number, writable, fields, now)
                rows.append(row)
                if device is not None and row.state == "changed":
                    changed.append(device)
            await session.commit()
        log.info("%d of %d gateways changed by %s", len(changed), len(rows), user.name)
        for device in changed:
            await self._presence.changed(device)
        for row in rows:
            if not GENERAL.isdisjoint(row.before):
                await self._configured(row.id)
        for row in [each for each in rows if not PLACE.isdisjoint(each.before)][:MAX_PUSHED]:
            self._placed(row.id)
        return rows

    async def impact(self, user: CurrentUser, device_id: int) -> DeviceImpact:
        """What goes with a gateway when it is deleted. Raises NotFound."""
        async with self._database.reading() as session:
            device = await self._existing(session, user, device_id)
            going = await RegistryRepository(session, user.scope).going(device_id)
        counts = dict.fromkeys([*_IMPACT.values(), "others"], 0)
        for table, number in going.items():
            counts[_IMPACT.get(table, "others")] += number
        return DeviceImpact(
            id=device.id,
            device_title=device.display_title,
            gateway_id=device.gateway_id,
            online=device.online,
            **counts,
        )

    async def delete(self, user: CurrentUser, device_id: int) -> None:
        """Remove a gateway with everything of it. Its samples, which nobody may see any more, go later.
        Raises NotFound, NoPermission when the user does not own it, Conflict while it is being changed,
        Unavailable when the broker refuses.
        """
        await self._devices.changeable(user, device_id)
        async with self._database.reading() as session:
            device = await self._existing(session, user, device_id)
            if not await ShareRepository(session, user.scope).is_owned(device_id):
                raise not_owner()
        with self._exclusive(device.gateway_id, _changing()):
            await self._delete(user, device_id, device.gateway_id)
        log.info("gateway %s deleted by %s", device.gateway_id, user.name)

    async def renew_secret(self, user: CurrentUser, device_id: int) -> NewDevice:
        """A new secret, returned this once. The old one is refused from now on, and its connection ends.

        Whose gateway it is, and who is above him: else who has it by a share could take it away. When the
        broker refuses nothing has changed (Unavailable); what fails between it and the commit leaves a
        gateway that is cut off until its secret is renewed again. Conflict while it is disabled: a new
        secret would let it in.
        """
        await self._devices.changeable(user, device_id)
        async with self._database.reading() as session:
            device = await self._renewable(session, user, device_id)
        secret = secrets.token_urlsafe(32)
        with self._exclusive(device.gateway_id, _changing()):
            try:
                await self._put_gateway(device.gateway_id, secret)
            except LinkError as error:
                raise _silent(error) from None
            async with self._database.session() as session:
                device = await self._renewable(session, user, device_id)
                device.secret_hash, device.refused_ms = hash_of(secret), None
                await session.commit()
            try:
                # a broker that asks the cloud let the old one in until now
                await self._put_gateway(device.gateway_id, secret)
            except LinkError as error:
                log.warning("the broker got a new secret once only: %s", error)
        record_change({}, {}, gateway_id=device.gateway_id)
        log.info("secret of gateway %s renewed by %s", device.gateway_id, user.name)
        return NewDevice(device=await self._devices.detail(user.scope, device_id), secret=secret)

    async def reset(self, user: CurrentUser, device_id: int, body: ResetStatusBody) -> DeviceDetail:
        """Reset the status of a gateway. normal: what was lost is forgotten; offline: away until its next
        message. Raises NotFound, and NoPermission when it is shared read only.
        """
        await self._devices.changeable(user, device_id)
        async with self._database.session() as session:
            device = await self._existing(session, user, device_id)
            await self._presence.reset(session, device, online=body.status == "normal")
            await session.commit()
        log.info("status of gateway %s reset to %s by %s", device.gateway_id, body.status, user.name)
        await self._presence.changed(device)
        return await self._devices.detail(user.scope, device_id)

    async def _create(self, user: CurrentUser, body: NewDeviceBody) -> tuple[Device, str]:
        async with self._database.reading() as session:
            like = await self._to_copy(session, user, body.copy_of)
            registry = self._registry(session, user)
            await registry.check(body.gateway_id, body, like=like)
            await registry.refuse_beyond_limit(1, like=like)
            await registry.refuse_too_many(1)
        secret = secrets.token_urlsafe(32)
        try:
            await self._put_gateway(body.gateway_id, secret)
        except LinkError as error:
            raise _silent(error) from None
        try:
            return await self._insert(user, body, secret), secret
        except BaseException as error:  # whatever ends it, an end of the call too
            is_there = await self._take_back(body.gateway_id)
            if is_there and isinstance(error, IntegrityError):  # another process was faster
                raise claimed(body.gateway_id) from None
            raise

    async def _delete(self, user: CurrentUser, device_id: int, gateway: str) -> None:
        try:
            await self._disconnect(gateway)
        except LinkError as error:
            raise _silent(error) from None
        await self._taken(device_id, None)  # what is open ends first: its end is a row of the gateway
        async with self._database.session() as session:
            device = await self._existing(session, user, device_id)
            before = {"gateway_id": gateway, **values_of(device)}
            await self._registry(session, user).remove(device)
            await session.commit()
        record_change(before, {})
        try:
            await self._take_back(gateway)  # a broker that asks the cloud let it in until now
        finally:
            await self._gone(gateway)

    async def _insert(self, user: CurrentUser, body: NewDeviceBody, secret: str) -> Device:
        async with self._database.session() as session:
            registry = self._registry(session, user)
            await registry.lock_places()
            like = await self._to_copy(session, user, body.copy_of)
            device = await registry.add(body.gateway_id, secret, body, like=like)
            if like is not None:
                await self._copy_draft(session, user, like, device)
            await self._registry(session, user).configure(device, body)
            await session.commit()
        return device

    async def _take_back(self, gateway: str) -> bool:
        """The broker forgets a gateway that is not there, unless somebody has added it: is it there?"""
        async with self._database.reading() as session:
            if await RegistryRepository(session, Scope.system()).is_claimed(gateway):
                return True
        try:
            await self._disconnect(gateway)
        except LinkError as error:  # nobody can connect with what is left: the secret is lost
            log.warning("the broker keeps gateway %s, which is not there: %s", gateway, error)
        return False

    @contextmanager
    def _exclusive(self, gateway: str, refusal: CloudError) -> Iterator[None]:
        """Passes one change of a gateway at a time to the broker, so that the last one counts."""
        if gateway in self._in_broker_change:
            raise refusal
        self._in_broker_change.add(gateway)
        try:
            yield
        finally:
            self._in_broker_change.discard(gateway)

    def _registry(self, session: AsyncSession, user: CurrentUser) -> Registry:
        return Registry(session, user, clock=self._clock)

    async def _one(
        self,
        registry: Registry,
        device: Device | None,
        number: int,
        writable: set[int],
        fields: DeviceFields,
        now: Mapping[str, Any],
    ) -> BatchRow:
        if device is None:
            return BatchRow(
                id=number, device_title="", state="skipped", reason=MISSING, before={}, is_final=False
            )
        reason, before = "" if number in writable else READ_ONLY, dict[str, Any]()
        hidden = await registry.hidden(device)
        held = await registry.values(device, now) | dict.fromkeys(hidden)
        if not reason and not now.items() <= held.items():
            reason = "device.changed_since"
        if not reason:
            try:
                before = await registry.change(device, fields)
            except CloudError as error:
                reason = error.reason or error.message
        return BatchRow(
            id=number,
            device_title=device.display_title,
            state="skipped" if reason else "changed" if before else "unchanged",
            reason=reason,
            before={name: value for name, value in before.items() if name not in hidden},
            is_final=not hidden.isdisjoint(before),
        )

    async def _to_copy(
        self, session: AsyncSession, user: CurrentUser, device_id: int | None
    ) -> Device | None:
        """Whose gateway it is, and who is above him, copies it: the copy belongs to the same user."""
        if device_id is None:
            return None
        device = await self._existing(session, user, device_id)
        if not await ShareRepository(session, user.scope).is_owned(device_id):
            raise not_owner()
        return device

    async def _copy_draft(
        self, session: AsyncSession, user: CurrentUser, like: Device, device: Device
    ) -> None:
        drafts = Drafts(session, user, self._clock())
        _, text = await drafts.newest(like.id)
        if text is None:
            return
        document = await asyncio.to_thread(read, text)
        document["gateway"] = {**document["gateway"], "id": device.gateway_id}
        content = await asyncio.to_thread(written, document, device.gateway_id)
        await drafts.keep(device.id, NewDraft(document, content, None))

    async def _renewable(self, session: AsyncSession, user: CurrentUser, device_id: int) -> Device:
        device = await self._existing(session, user, device_id)
        if not await ShareRepository(session, user.scope).is_owned(device_id):
            raise not_owner()
        if device.disabled:
            raise Conflict("the gateway is disabled", reason="device.disabled")
        return device

    async def _existing(self, session: AsyncSession, user: CurrentUser, device_id: int) -> Device:
        device = await DeviceRepository(session, user.scope).device(device_id)
        if device is None:
            raise NotFound("device")
        return device


def _changed(rows: Sequence[BatchRow]) -> list[int]:
    return [row.id for row in rows if row.state == "changed"]


def _changing() -> Conflict:
    return Conflict("the gateway is being deleted, or its secret renewed", reason="changed_meanwhile")


def _silent(error: LinkError) -> Unavailable:
    log.warning("the broker does not answer: %s", error)
    return Unavailable("the broker does not answer", reason="device.broker_away")
