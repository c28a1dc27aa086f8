"""Which gateways a list wants, and in which order.

`away` (was there before), `never_connected` and `disabled` are parts of offline, `asleep` of online.
expires_before_ms leaves it to the portal which day it is for the reader.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any

from sqlalchemy import ColumnElement, SQLColumnExpression, func, select

from cloud.core.scope import Scope
from cloud.domains.devices import states
from cloud.domains.devices.states import DISABLED, NEVER_READ, PORT_LOCKED, UNREPORTED
from cloud.domains.identity.scope import within
from cloud.domains.inventory.models import Device, DeviceShare, SlaveDevice
from cloud.domains.inventory.project_models import Project
from cloud.link.models import LinkStream

_SAMPLED = select(func.max(LinkStream.last_ms)).where(
    LinkStream.gateway == Device.gateway_id, LinkStream.last_ms > 0
)

SORTS: dict[str, SQLColumnExpression[Any]] = {
    "device_title": Device.title_key,
    "gateway_id": Device.gateway_id,
    "last_ms": Device.last_ms,
    "data_ms": _SAMPLED.scalar_subquery(),
    "expire_ms": Device.expire_ms,
    "model": Device.model,
    "created_ms": Device.id,
}
"""By their names in the API; numbers are given in the order in which gateways are made."""

MAY_BE_UNKNOWN = ("last_ms", "data_ms", "expire_ms")

NO_PROJECT = 0

_POLLED = (SlaveDevice.removed.is_(False), SlaveDevice.reason.not_in((DISABLED, PORT_LOCKED)))
_UNREPORTED = SlaveDevice.reason.in_((NEVER_READ, UNREPORTED))

SILENT = (*_POLLED, SlaveDevice.online.is_(False), ~_UNREPORTED)
"""A slave that ought to answer and does not."""

ANSWERING = (*_POLLED, SlaveDevice.online.is_(True) | _UNREPORTED)
"""A slave that ought to answer, and of which nobody knows that it does not."""


def has_slave(*conditions: ColumnElement[bool]) -> ColumnElement[bool]:
    """Has the gateway such a slave?"""
    return (
        select(SlaveDevice.id)
        .where(SlaveDevice.device_id == Device.id, *conditions)
        .correlate(Device)
        .exists()
    )


def of_status(status: str) -> list[ColumnElement[bool]]:
    """Of Device; as `states.status_of` says it of one. The parts of offline exclude each other."""
    if status == states.OFFLINE:
        return [Device.online.is_(False)]
    never = Device.reason == states.NEVER_CONNECTED
    if status == states.DISABLED:
        return [Device.online.is_(False), Device.disabled.is_(True)]
    if status == states.NEVER_CONNECTED:
        return [Device.online.is_(False), Device.disabled.is_(False), never]
    if status == states.AWAY:
        return [Device.online.is_(False), Device.disabled.is_(False), ~never]
    if status == states.ALARM:
        return [Device.online.is_(True), Device.open_alarms > 0]
    well = [Device.online.is_(True), Device.open_alarms == 0]
    if status == states.ONLINE:
        return [*well, ~has_slave(*SILENT)]
    if status == states.ASLEEP:
        return [*well, Device.asleep_until_ms.is_not(None), ~has_slave(*SILENT)]
    answering = has_slave(*ANSWERING)
    return [*well, has_slave(*SILENT), answering if status == states.PARTLY else ~answering]


_TEXTS = (Device.display_title, Device.gateway_id, Device.imei, Device.iccid, Device.address)
_BETWEEN = "\n"
"""In none of these texts, so that a match lies in one of them. One comparison costs less than six."""


@dataclass(frozen=True)
class DeviceFilter:
    """Everything that is set must hold. search: in titles, serial number, IMEI, ICCID and address.

    status: one of FILTERS. project_id: with everything below it; NO_PROJECT for those in none.
    expires_before_ms: paid for until before then. bound: whether others than the owner have it.
    """

    search: str = ""
    status: str = ""
    project_id: int | None = None
    product_id: int | None = None
    protocol: int | None = None
    model: str = ""
    gateway_type: int | None = None
    expires_before_ms: int | None = None
    bound: bool | None = None

    def conditions(self, scope: Scope) -> list[ColumnElement[bool]]:
        """Of Device; without the scope's own."""
        conditions: list[ColumnElement[bool]] = []
        if text := self.search.strip():
            together = reduce(lambda sum_, column: sum_ + _BETWEEN + column, _TEXTS[1:], _TEXTS[0].expression)
            conditions.append(together.icontains(text, autoescape=True))
        if self.status:
            conditions += of_status(self.status)
        if self.project_id is not None:
            conditions.append(self._of_project(scope, self.project_id))
        for column, wanted in (
            (Device.product_id, self.product_id),
            (Device.protocol, self.protocol),
            (Device.gateway_type, self.gateway_type),
        ):
            if wanted is not None:
                conditions.append(column == wanted)
        if self.model:
            conditions.append(Device.model == self.model)
        if self.expires_before_ms is not None:
            conditions.append(Device.expire_ms < self.expires_before_ms)
        if self.bound is not None:
            shared = Device.id.in_(select(DeviceShare.device_id))
            conditions.append(shared if self.bound else ~shared)
        return conditions

    @staticmethod
    def _of_project(scope: Scope, project_id: int) -> ColumnElement[bool]:
        if project_id == NO_PROJECT:
            return Device.project_id.is_(None)
        mine = within(scope, Project.owner_id)
        path = select(Project.path).where(Project.id == project_id, mine).scalar_subquery()
        return Device.project_id.in_(select(Project.id).where(Project.path.startswith(path), mine))


@dataclass(frozen=True)
class PlaceFilter:
    """Which gateways. project_id, product_id, status, search: as in DeviceFilter, so that both agree.
    gis: shown in GIS, or capable of it.
    """

    project_id: int | None = None
    product_id: int | None = None
    status: str = ""
    search: str = ""
    gis: bool = False
    placed: bool | None = None
