"""The fields of a gateway that people fill in, by their names in the API, with their rules. Pure.

Protocols: 1 MODBUS and 3 MQTT are served; another one is stored and displayed, and refused when it is new,
also by a copy.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from cloud.domains.configuration.general import FIELDS
from cloud.errors import ParameterError

COLUMNS = {
    "device_title": "title",
    "binder_devtitle": "binder_title",
    "device_province": "province",
    "device_city": "city",
    "device_district": "district",
    "device_address": "address",
    "device_floorroom": "floorroom",
    "device_mst": "mst",
}
"""Field to column where the two have different names."""

CLEARABLE = frozenset(
    {
        "project_id", "product_id", "modbus_type", "longitude", "latitude", "expire_ms",
        "collect_interval_s", "report_interval_s", "slave_timeout_ms",
    }
)  # fmt: skip
"""Fields that may be nothing; null empties them. Of the others null means that it stays."""

IDENTITY = frozenset({"imei", "iccid", "expire_ms"})
"""Fields of one gateway alone: a copy does not have them."""

SERVED_PROTOCOLS = (1, 3)
"""Protocol codes that something serves: Modbus behind a gateway, and MQTT, by which gateways reach the cloud.
The specification has others (2 TCP to 9 CT-NBIOT); a gateway that has one keeps it.
"""

Number = Annotated[int, Field(ge=1, le=2**31 - 1)]


class CloudFields(BaseModel):
    """What the cloud keeps of a gateway; what is left out stays, or has its default in a new gateway.

    protocol: of SERVED_PROTOCOLS when it changes. gateway_type: 1 DTU, 2 smart, 3 common. modbus_type:
    1 RTU, 2 TCP. longitude and latitude: WGS-84 degrees, both or none. offline_clear_data: while it is
    offline its values are unknown. offline_alarm_delay_s: an absence that is shorter is not logged.
    auto_position: it places itself. scan_bind: its QR code may be scanned. expire_ms: until when it is paid
    for.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    device_title: (
        Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)] | None
    ) = None
    binder_devtitle: Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)] | None = None
    project_id: Number | None = None
    product_id: Number | None = None
    protocol: Annotated[int, Field(ge=1, le=9)] | None = None
    modbus_type: Annotated[int, Field(ge=1, le=2)] | None = None
    model: Annotated[str, StringConstraints(strip_whitespace=True, max_length=64)] | None = None
    gateway_type: Annotated[int, Field(ge=1, le=3)] | None = None
    device_mst: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    imei: Annotated[str, StringConstraints(strip_whitespace=True, pattern=r"^([0-9]{14,17})?$")] | None = None
    iccid: (
        Annotated[str, StringConstraints(strip_whitespace=True, pattern=r"^([0-9A-Za-z]{18,22})?$")] | None
    ) = None
    device_province: Annotated[str, StringConstraints(strip_whitespace=True, max_length=64)] | None = None
    device_city: Annotated[str, StringConstraints(strip_whitespace=True, max_length=64)] | None = None
    device_district: Annotated[str, StringConstraints(strip_whitespace=True, max_length=64)] | None = None
    device_address: Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)] | None = None
    device_floorroom: Annotated[str, StringConstraints(strip_whitespace=True, max_length=100)] | None = None
    longitude: Annotated[float, Field(ge=-180, le=180, allow_inf_nan=False)] | None = None
    latitude: Annotated[float, Field(ge=-90, le=90, allow_inf_nan=False)] | None = None
    gis_show: bool | None = None
    auto_position: bool | None = None
    offline_notify: bool | None = None
    offline_clear_data: bool | None = None
    offline_alarm_delay_s: Annotated[int, Field(ge=0, le=86_400)] | None = None
    scan_bind: bool | None = None
    expire_ms: Annotated[int, Field(ge=0, le=2**53)] | None = None
    remark: Annotated[str, StringConstraints(strip_whitespace=True, max_length=500)] | None = None


class DeviceFields(CloudFields):
    """Every field that may be edited. The four of its own are the gateway's: they are written to the draft of
    its configuration, and null takes one out, so that the gateway's default counts.

    collect_interval_s, slave_timeout_ms: of ports and slaves that state none. report_interval_s: how often it
    sends what it stored, 0 at once. low_power: the link is closed in between.
    """

    low_power: bool | None = None
    collect_interval_s: Annotated[float, Field(ge=0.01, le=86_400, allow_inf_nan=False)] | None = None
    report_interval_s: Annotated[int, Field(ge=0, le=86_400)] | None = None
    slave_timeout_ms: Annotated[int, Field(ge=10, le=60_000)] | None = None

    def general(self) -> dict[str, Any]:
        """Of `given` those of the gateway's configuration."""
        return {name: value for name, value in self.given().items() if name in FIELDS}

    def given(self) -> dict[str, Any]:
        """The fields that are to change. Raises ParameterError for a text that is not printable in
        its line.
        """
        changes = {
            name: getattr(self, name)
            for name in DeviceFields.model_fields
            if name in self.model_fields_set and (name in CLEARABLE or getattr(self, name) is not None)
        }
        for name, value in changes.items():
            if isinstance(value, str) and not _is_printable(value, several_lines=name == "remark"):
                raise ParameterError(name, "printable characters")
        return changes


def column_of(field: str) -> str:
    """The column of a field."""
    return COLUMNS.get(field, field)


def values_of(row: object) -> dict[str, Any]:
    """Every field that the cloud stores of a gateway, by its name in the API."""
    return {name: getattr(row, column_of(name)) for name in CloudFields.model_fields}


def _is_printable(text: str, *, several_lines: bool) -> bool:
    return all(part.isprintable() for part in (text.split("\n") if several_lines else (text,)))
