"""Shapes of devices, their slaves and data sources. Times are UTC milliseconds."""

from __future__ import annotations

from pydantic import BaseModel

Scalar = float | int | bool | str | None


class Link(BaseModel):
    """Link layer of presence. reason: ok, never_connected, link_lost, stopped, silent or a refusal."""

    online: bool
    since_ms: int | None
    reason: str


class DeviceRow(BaseModel):
    """A gateway in a list. status: online, offline or alarm (online, but a slave is silent)."""

    id: int
    device_title: str
    gateway_id: str
    protocol: int
    status: str
    link: Link
    slaves_online: int
    slaves_total: int
    points: int
    last_ms: int | None
    agent_version: str
    backlog_batches: int
    hours_left: float | None


class Slave(BaseModel):
    """A slave behind a gateway; last_good_ms: last good frame, 0 when there was none."""

    id: int
    name: str
    title: str
    protocol: str
    port: str
    address: str
    online: bool
    last_good_ms: int
    reason: str


class DeviceDetail(DeviceRow):
    """A gateway with its slaves and the evidence of its link."""

    slaves: list[Slave]
    catalog: str
    stream: str
    refusal: str | None
    received_batches: int
    duplicate_batches: int
    missing_batches: int
    evicted_batches: int


class DataSource(BaseModel):
    """A data point. decimals: digits after the point, null for as many as there are."""

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
