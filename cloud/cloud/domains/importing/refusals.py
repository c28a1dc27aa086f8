"""What the registry would refuse of a row, asked before anything is done; and whose fault it was after."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.domains.devices.forms import DeviceFields
from cloud.domains.devices.registry import Registry
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import Device
from cloud.domains.sheets.changes import Fault
from cloud.errors import CloudError, NotFound

PLACED = frozenset({"longitude", "latitude", "auto_position"})
ONLY_IN_DATABASE = frozenset({"project_id", "product_id", "expire_ms", "scan_bind", "device_mst"}) | PLACED
"""Fields of which only the database says whether they may be so."""

FIELDS: Mapping[str, str] = {
    "device.not_seller": "expire_ms",
    "device.auto_position": "longitude",
    "device.no_location_point": "auto_position",
    "device.project_is_group": "project_id",
    "device.other_project": "project_id",
}
OF_OWNERS = ("project_id", "product_id", "scan_bind", "device_mst")


async def refusal(
    session: AsyncSession,
    user: CurrentUser,
    gateway: str,
    device: Device | None,
    fields: Mapping[str, object],
) -> tuple[str, Fault] | None:
    """The field that may not be so, and why. device: as it is, detached; None for a new one."""
    registry = Registry(session, user)
    given = DeviceFields.model_validate(fields)
    try:
        if device is None:
            await registry.check(gateway, given)
        else:
            await registry.change(device, given)
    except CloudError as error:
        return fault_of(error, fields)
    return None


def fault_of(error: CloudError, fields: Mapping[str, object]) -> tuple[str, Fault]:
    """A refusal of the registry at the field that it is about, as a code."""
    if isinstance(error, NotFound):
        field = "product_id" if error.message.startswith("product") else "project_id"
        return field, Fault(f"unknown_{field.removesuffix('_id')}")
    if error.reason in FIELDS:
        return FIELDS[error.reason], Fault(error.reason.partition(".")[2])
    owned = next((name for name in OF_OWNERS if name in fields), "gateway_id")
    field = error.field if error.field in fields else owned
    return field, Fault("refused", {"rule": error.message[:200]}) if not error.reason else Fault(
        error.reason.partition(".")[2] or error.reason
    )
