"""Shapes of devices, their slaves and data sources. Times are UTC milliseconds."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from cloud.core.secret import Secret
from cloud.domains.devices.forms import DeviceFields
from cloud.domains.devices.slave_schemas import SlaveRequests

Scalar = float | int | bool | str | None


class LinkState(BaseModel):
    """Link layer of presence. reason: ok, never_connected, link_lost, stopped, switched (it went in order to
    run another configuration), silent, asleep or a refusal.

    online: connected now. back_ms: when one that is asleep connects again; its status is not offline until
    that is overdue. report_interval_s: how often it sends what it stored, 0 at once.
    """

    online: bool
    since_ms: int | None
    reason: str
    back_ms: int | None = None
    report_interval_s: int = 0


class Presence(BaseModel):
    """One status out of three layers; code and arguments are for words in the reader's language.

    status: offline; alarm (an alarm is open); silent (no slave answers); partly (some do not); online.
    layer: link (code is the link's reason); alarm (alarm_open: count, silent); bus (slave_silent and
    no_slave_answers: slave, title, reason, last_good_ms, count, total; port_lent: port, user, count, total);
    value (clock_not_set, samples_dropped: count, store_full: count, store_filling: hours_left,
    backlog_batches); none (ok).
    since_ms: of what the code says.
    """

    status: str
    layer: str
    code: str
    since_ms: int | None
    arguments: dict[str, Scalar]


class DeviceFacts(BaseModel):
    """What a list shows of what people filled in; DeviceFields says what it means."""

    device_title: str
    binder_devtitle: str
    protocol: int
    modbus_type: int | None
    model: str
    gateway_type: int
    device_mst: int
    imei: str
    iccid: str
    device_province: str
    device_city: str
    device_district: str
    device_address: str
    device_floorroom: str
    longitude: float | None
    latitude: float | None
    gis_show: bool
    expire_ms: int | None


class DeviceRow(DeviceFacts):
    """A gateway in a list. status: as of presence.

    gateway_id: its serial number. project and product: null also when the asker does not see them. role:
    owner or visitor. writes: whether he may change it. What is pushed has none of these (READERS). last_ms:
    when anything came of it last; data_ms: when samples did, null where none ever came.
    """

    id: int
    gateway_id: str
    project_id: int | None
    project_title: str | None
    product_id: int | None
    product_title: str | None
    role: str
    writes: bool
    created_ms: int
    status: str
    presence: Presence
    link: LinkState
    slaves_online: int
    slaves_total: int
    points: int
    last_ms: int | None
    data_ms: int | None
    agent_version: str
    backlog_batches: int
    hours_left: float | None


READERS = frozenset({"project_id", "project_title", "product_id", "product_title", "role", "writes"})
"""Fields of DeviceRow that are not the same for everybody who sees the gateway."""


class Slave(BaseModel):
    """A slave behind a gateway; last_good_ms: last good frame, 0 when there was none.

    requests: null when the gateway does not count them, and of a disabled slave.

    lent_to, lent_ms: who has its port and since when, while its reason is port_lent and it was locked through
    the cloud.
    """

    id: int
    name: str
    title: str
    protocol: str
    port: str
    address: str
    online: bool
    last_good_ms: int
    since_ms: int | None
    reason: str
    requests: SlaveRequests | None = None
    lent_to: str | None = None
    lent_ms: int | None = None


class OwnerRef(BaseModel):
    """The user that a gateway belongs to."""

    user_id: int
    user_name: str
    nick_name: str


class DeviceAccess(BaseModel):
    """What the asker may do with a gateway. owner: null when it is the platform's. role: owner or visitor."""

    owner: OwnerRef | None
    role: str
    writes: bool


class DeviceDetail(DeviceRow):
    """A gateway with its slaves, its settings and what is known of its link.

    low_power, collect_interval_s, report_interval_s, slave_timeout_ms: as the draft of its configuration
    says, else what runs; settings_pending: those of them that are not deployed yet.
    positioned_ms: when its place was said; has_location_point: whether it can say it itself.
    evicted: newest ranges of batches that went because its store was full; dropped_samples: never made a
    batch since its agent started; written_bytes_day: what its store writes to its medium in a day.
    memory_bytes: resident memory of its agent; None from one that does not say it.
    """

    slaves: list[Slave]
    catalog: str
    stream: str
    refusal: str | None
    received_batches: int
    duplicate_batches: int
    missing_batches: int
    evicted_batches: int
    evicted: list[tuple[int, int]]
    dropped_samples: int
    written_bytes_day: int | None
    memory_bytes: int | None
    clock_set: bool
    offline_notify: bool
    offline_clear_data: bool
    offline_alarm_delay_s: int
    auto_position: bool
    has_location_point: bool
    positioned_ms: int | None
    scan_bind: bool
    low_power: bool
    collect_interval_s: float | None
    report_interval_s: int | None
    slave_timeout_ms: int | None
    settings_pending: list[str]
    remark: str
    access: DeviceAccess


class DeviceBody(DeviceFields):
    """Fields of a gateway that are to change; what is left out stays."""


class NewDeviceBody(DeviceFields):
    """A new gateway. copy_of: one that gives its owner, its configuration, and every field left out here."""

    gateway_id: Annotated[str, Field(min_length=1, max_length=40)]
    copy_of: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = None


class NewDevice(BaseModel):
    """A gateway that was made. secret: with which it connects; returned this once, never stored."""

    device: DeviceDetail
    secret: str


class DeviceUpdate(BaseModel):
    """The same change of several gateways."""

    model_config = ConfigDict(extra="forbid", strict=True)

    ids: Annotated[list[Annotated[int, Field(ge=1, le=2**31 - 1)]], Field(min_length=1, max_length=500)]
    fields: DeviceFields


class DeviceBack(BaseModel):
    """What the changed fields of one gateway had before a change of several.

    now: what they had after it. When somebody changed one of them since, the gateway is skipped.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    device_id: Annotated[int, Field(ge=1, le=2**31 - 1)]
    fields: DeviceFields
    now: DeviceFields


class DeviceBatchBody(BaseModel):
    """What is done with several gateways at once: one of the two."""

    model_config = ConfigDict(extra="forbid", strict=True)

    update: DeviceUpdate | None = None
    back: Annotated[list[DeviceBack], Field(min_length=1, max_length=500)] | None = None


class BatchRow(BaseModel):
    """What became of one gateway of several. state: changed, unchanged or skipped; reason: a code, why.

    before: what its changed fields had, for `back`. is_final: something of it cannot be given back, a
    project or product that the user does not see.
    """

    id: int
    device_title: str
    state: str
    reason: str
    before: dict[str, str | int | float | bool | None]
    is_final: bool


class DeviceImpact(BaseModel):
    """What a deletion takes along, as numbers of rows. others: whatever has no number of its own here."""

    id: int
    device_title: str
    gateway_id: str
    online: bool
    slaves: int
    points: int
    shares: int
    alarms: int
    absences: int
    commands: int
    versions: int
    others: int


class ResetStatusBody(BaseModel):
    """normal: forget what was lost. offline: away until its next message."""

    model_config = ConfigDict(extra="forbid")

    status: Literal["normal", "offline"]


class BindCode(BaseModel):
    """For the QR code of a gateway. scan_bind: whether it may be scanned now. role: what whoever scans it
    becomes: owner of one that is nobody's, which then leaves its project; else visitor.
    """

    bind_code: str
    scan_bind: bool
    role: str


class BindBody(BaseModel):
    """A scanned code. title: what whoever binds the gateway calls it."""

    model_config = ConfigDict(extra="forbid")

    code: Annotated[str, Secret(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_-]*$")]
    title: Annotated[str, Field(max_length=200, pattern=r"^[^\x00-\x1f]*$")] = ""


class Bound(BaseModel):
    """The gateway that was bound, and what whoever bound it is to it: owner or visitor."""

    device_id: int
    device_title: str
    role: str


class OnOfflineEntry(BaseModel):
    """A time without a gateway (slave null) or one of its slaves. online_ms: null while it lasts.

    lent_to: of reason port_lent, who had the port, when it was locked through the cloud.
    """

    id: int
    device_id: int
    slave: str | None
    slave_title: str | None
    offline_ms: int
    online_ms: int | None
    duration_ms: int
    reason: str
    lent_to: str | None = None


class OnOfflineEvent(BaseModel):
    """Something went (status 0) or came (status 1). id: of the absence that began or ended with it.

    duration_ms: of the absence, until now while it lasts (lasts). lent_to: as in OnOfflineEntry.
    """

    id: int
    at: int
    status: int
    device_id: int
    device_title: str
    gateway_id: str
    slave: str | None
    slave_title: str | None
    reason: str
    duration_ms: int
    lasts: bool
    lent_to: str | None = None


class ValueFacts(BaseModel):
    """How the values of a data point are shown. decimals: digits after the point, null for all there are.

    selector: names of the values that a number can have. on_text, off_text: what the positions of a switch
    are called; empty: as the reader's language calls them.
    """

    ds_type: str
    data_type: str
    unit: str
    decimals: int | None
    selector: dict[str, str] | None = None
    on_text: str = ""
    off_text: str = ""


class PointFacts(ValueFacts):
    """What every list shows of a data point. A switch has values true and false."""

    dsid: int
    ds_name: str
    ds_title: str
    rw: str
    slave: str
    slave_title: str
    record: int
    period_ms: int
    min: float | None
    max: float | None


class DataSource(PointFacts):
    """A data point of a gateway. line_color: #rrggbb, of its line in charts, null when nobody chose one.
    alarm_limits: of its alarm while that is on, rising.

    gis_show: chosen for the device card of the map.
    """

    line_color: str | None = None
    alarm_limits: list[float] = []
    gis_show: bool = False
