"""Which gateways a user sees and which of them he may change: his subtree's, and what is shared with him."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Select, false, or_, select, true
from sqlalchemy.orm import InstrumentedAttribute

from cloud.core.scope import Scope
from cloud.domains.identity.scope import within
from cloud.domains.inventory.models import Device, DeviceShare
from cloud.errors import NoPermission

OWNER, VISITOR = "owner", "visitor"
"""Roles of a share. Whom the gateway belongs to, and everybody above him, counts as an owner."""


def read_only() -> NoPermission:
    """Of who wants to change a gateway that is shared with him read only."""
    return NoPermission("shared_read_only", reason="device.shared_read_only")


def not_owner() -> NoPermission:
    """Of who wants to decide on a gateway that is not his."""
    return NoPermission("owner", reason="device.not_owner")


def is_placed(scope: Scope) -> bool:
    """Has the user a place in the tree? Without one his path would be the beginning of everybody's."""
    return scope.is_placed


def owned(scope: Scope) -> ColumnElement[bool]:
    """Of Device: does it belong to the user or to somebody below him?"""
    return _reached(scope, None)


def visible(scope: Scope) -> ColumnElement[bool]:
    """Of Device: may the user see it?"""
    return _reached(scope, select(DeviceShare.device_id).where(DeviceShare.user_id == scope.user_id))


def writable(scope: Scope) -> ColumnElement[bool]:
    """Of Device: may the user change it? What is shared read only he may not."""
    mine = DeviceShare.user_id == scope.user_id
    return _reached(scope, select(DeviceShare.device_id).where(mine, DeviceShare.writes.is_(True)))


def seen(scope: Scope, device_id: InstrumentedAttribute[int]) -> ColumnElement[bool]:
    """Of a table with a gateway's number: rows of gateways that the user sees."""
    return true() if scope.everything else device_id.in_(select(Device.id).where(visible(scope)))


def _reached(scope: Scope, shared: Select[int] | None) -> ColumnElement[bool]:
    if scope.everything:
        return true()
    if not is_placed(scope):
        return false()
    mine = within(scope, Device.owner_id)
    return mine if shared is None else or_(mine, Device.id.in_(shared))
