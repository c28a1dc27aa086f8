"""Shapes of the list monitor."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel

from cloud.domains.telemetry.schemas import LastValue, Scalar


@dataclass(frozen=True)
class PointQuery:
    """Everything that is set must hold. search: in titles and names of gateways, slaves and points.

    project_id: with everything below it, 0 for gateways in none. dsids: no others than these.
    """

    search: str = ""
    project_id: int | None = None
    product_id: int | None = None
    device_id: int | None = None
    dsids: tuple[int, ...] = ()


class MonitorPoint(BaseModel):
    """A data point in a list over gateways; the fields of a DataSource and its gateway's number."""

    device_id: int
    dsid: int
    ds_name: str
    ds_title: str
    ds_type: str
    rw: str
    data_type: str
    unit: str
    decimals: int | None
    slave: str
    slave_title: str
    record: int
    period_ms: int
    min: float | None
    max: float | None
    on_value: Scalar
    off_value: Scalar


class MonitorDevice(BaseModel):
    """A gateway of listed points. writes: may the asker change it?"""

    id: int
    gateway_id: str
    device_title: str
    online: bool
    writes: bool


class Product(BaseModel):
    """A product of a gateway that the asker sees."""

    id: int
    title: str


class MonitorPoints(BaseModel):
    """points: at most 1,000 of total; last: their newest values, of points that have one."""

    points: list[MonitorPoint]
    total: int
    devices: list[MonitorDevice]
    last: list[LastValue]
    products: list[Product]
