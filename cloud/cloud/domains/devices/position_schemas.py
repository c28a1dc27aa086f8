"""Shapes of places. Degrees are of WGS-84 unless a datum says otherwise; times are UTC milliseconds."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from cloud.domains.devices.geodetic_datums import Datum

OFFLINE, ONLINE, ALARM, NEW, PARTLY, SILENT = 0, 1, 2, 3, 4, 5
"""Digits of Positions.status, as of presence; new is offline and never connected."""


class Positions(BaseModel):
    """Gateways that have a place, in columns. status: a digit each (0 offline, 1 online, 2 alarm, 3 never
    connected, 4 partly offline, 5 no slave answers).

    total: how many there are; more than the columns hold when there are too many. placeless: how many of the
    same filter have no place.
    """

    id: list[int]
    lng: list[float]
    lat: list[float]
    status: str
    title: list[str]
    total: int
    placeless: int
    server_ms: int


class Location(BaseModel):
    """Where a gateway is. longitude, latitude: null without a place. auto: it follows its location point.

    status: as a digit of Positions.
    """

    device_id: int
    device_title: str
    gateway_id: str
    status: int
    address: str
    longitude: float | None
    latitude: float | None
    auto: bool
    has_location_point: bool
    positioned_ms: int | None


class PositionBody(BaseModel):
    """A place in degrees of a datum, both null to take it away; auto alone changes only that.

    A place cannot be given while positioning is automatic, unless auto is false in the same call.
    """

    model_config = ConfigDict(extra="forbid")

    longitude: Annotated[float, Field(ge=-180, le=180, allow_inf_nan=False)] | None = None
    latitude: Annotated[float, Field(ge=-90, le=90, allow_inf_nan=False)] | None = None
    crs: Datum = "WGS84"
    auto: bool | None = None
