"""Shapes of the list monitor."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel

from cloud.domains.devices.schemas import PointFacts
from cloud.domains.telemetry.schemas import LastValue


@dataclass(frozen=True)
class PointQuery:
    """Everything that is set must hold. search: in titles and names of gateways, slaves and points.

    project_id: with everything below it, 0 for gateways in none. dsids: no others than these.
    status: of the gateway, one of `states.FILTERS`.
    """

    search: str = ""
    project_id: int | None = None
    product_id: int | None = None
    device_id: int | None = None
    dsids: tuple[int, ...] = ()
    status: str = ""


class MonitorPoint(PointFacts):
    """A data point in a list over gateways."""

    device_id: int


class MonitorDevice(BaseModel):
    """A gateway of listed points. last_ms: when anything came of it; writes: may the asker change it?"""

    id: int
    gateway_id: str
    device_title: str
    online: bool
    last_ms: int | None
    writes: bool
    report_interval_s: int


class VisibleProduct(BaseModel):
    """A product of a gateway that the asker sees."""

    id: int
    title: str


class MonitorPoints(BaseModel):
    """points: at most 1,000 of total; last: their newest values, of points that have one."""

    points: list[MonitorPoint]
    total: int
    devices: list[MonitorDevice]
    last: list[LastValue]
    products: list[VisibleProduct]
