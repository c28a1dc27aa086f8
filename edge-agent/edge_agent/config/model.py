"""Typed models of gateway.toml. Unknown fields are refused, so that a misspelt one is never ignored.

Field names follow the specification's point, port and slave device; times are milliseconds where the
name says _ms and seconds where it says _s.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from edge_agent.config.internal_slave import InternalSlave as InternalSlave
from edge_agent.config.internal_slave import InternalSlavePoint as InternalSlavePoint
from edge_agent.config.loop_write import LoopWrite as LoopWrite
from edge_agent.config.section import LongTitle, Name, PointName, PositionText, Title
from edge_agent.config.section import Section as Section
from edge_agent.config.section import TcpPort as TcpPort
from edge_agent.model import PointKind, RecordMode
from edge_contract.parameters.calibration import MAX_CALIBRATIONS
from edge_contract.parameters.calibration import Calibration as Calibration
from edge_contract.parameters.channels import MAX_CHANNELS
from edge_contract.parameters.channels import Channel as Channel
from edge_contract.parameters.hotspot import Hotspot as Hotspot
from edge_contract.parameters.mobile import Mobile as Mobile
from edge_contract.parameters.network import Network as Network
from edge_contract.parameters.registration import Registration as Registration

Coordinates = Literal["lat_lon", "lon_lat", "lat_lon_minutes", "lon_lat_minutes"]
"""Order of the two numbers of a location; minutes: ddmm.mmmm and dddmm.mmmm instead of degrees."""


class Gateway(Section, frozen=True, kw_only=True):
    """Who this gateway is."""

    id: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{2,39}$(?!\n)")]
    title: LongTitle = ""


class Cloud(Section, frozen=True, kw_only=True):
    """Where the cloud's broker is. The secret lies in the data folder (cloud-secret), never here."""

    url: Annotated[str, msgspec.Meta(max_length=300)]  # mqtt[s]://host[:port], checked by network.py
    ca_file: str | None = None
    enable: bool = True


class ForwarderEntry(Section, frozen=True, kw_only=True):
    """A target of stored batches beside the cloud, with a cursor of its own. options: its kind's.

    max_mb: of payload that may wait for it, None: a quarter of storage.max_mb; max_age_h: how long, 0: as
    long as there is space. Beyond it the oldest are lost to it alone. start: where it begins when it is new.
    """

    name: Name
    kind: Name
    enable: bool = True
    max_mb: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] | None = None
    max_age_h: Annotated[int, msgspec.Meta(ge=0, le=87_600)] = 0
    start: Literal["end", "oldest"] = "end"
    options: dict[str, Any] = {}


class LocalPage(Section, frozen=True, kw_only=True):
    """The gateway's own page. Outside loopback it needs a certificate."""

    enable: bool = True
    host: str = "127.0.0.1"
    port: TcpPort = 8090
    cert_file: str | None = None
    key_file: str | None = None


class Storage(Section, frozen=True, kw_only=True):
    """commit_interval_s is what a power cut can cost; max_mb caps the outbox."""

    commit_interval_s: Annotated[float, msgspec.Meta(ge=0.05, le=60)] = 1.0
    max_mb: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] = 256


class Collecting(Section, frozen=True, kw_only=True):
    """What a port without capture_cycle_ms, and a slave without response_timeout_ms, has of them.

    enable: off, no slave is read or written, and ports are for tunnels and channels alone.
    """

    enable: bool = True
    capture_cycle_ms: Annotated[int, msgspec.Meta(ge=10, le=86_400_000)] = 1000
    response_timeout_ms: Annotated[int, msgspec.Meta(ge=10, le=60_000)] = 1000


class Reporting(Section, frozen=True, kw_only=True):
    """When the cloud gets what is stored. interval_s: 0 at once. power saving: no connection in between."""

    interval_s: Annotated[int, msgspec.Meta(ge=0, le=86_400)] = 0
    power: Literal["normal", "saving"] = "normal"


class History(Section, frozen=True, kw_only=True):
    """Local historical storage of the slaves that have a storage_cycle_s. path: the external medium's."""

    enable: bool = True
    retention_days: Annotated[int, msgspec.Meta(ge=1, le=36_500)] = 30
    type: Literal["memory", "disk"] = "disk"
    medium: Literal["internal", "external"] = "internal"
    path: Annotated[str, msgspec.Meta(max_length=300)] = ""
    max_mb: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] = 64


class Tunnels(Section, frozen=True, kw_only=True):
    """Whether the cloud may open tunnels to ports and to the local page, and network channels carry ports."""

    enable: bool = True


class Cellular(Section, frozen=True, kw_only=True):
    """The modem's command port, asked for its signal; not the one that carries its data."""

    device: Annotated[str, msgspec.Meta(min_length=1, max_length=300)]
    baud: Annotated[int, msgspec.Meta(ge=300, le=921600)] = 115200


class Machine(Section, frozen=True, kw_only=True):
    """reboot: what the cloud's command starts again: the agent, the whole machine, or nothing.

    set_clock: a platform of HJ 212 may set the machine's clock.
    """

    reboot: Literal["agent", "machine", "none"] = "agent"
    set_clock: bool = False


class Port(Section, frozen=True, kw_only=True):
    """A COM or NET port; one task owns it."""

    name: Name
    type: Literal["COM", "NET"]
    device: str = ""  # COM: /dev/ttyS1
    baud: Annotated[int, msgspec.Meta(ge=300, le=921600)] = 9600
    parity: Literal["N", "O", "E"] = "N"
    data_bits: Literal[7, 8] = 8
    stop_bits: Literal[1, 2] = 1
    host: str = ""  # NET
    port: TcpPort = 502
    capture_cycle_ms: Annotated[int, msgspec.Meta(ge=10, le=86_400_000)] = 1000  # not stated: [collection]
    min_interval_ms: Annotated[int, msgspec.Meta(ge=0, le=10_000)] = 5  # pause between two requests
    read_timeout_ms: Annotated[int, msgspec.Meta(ge=10, le=2000)] = 25  # silence that ends a channel's packet
    enable: bool = True


class Slave(Section, frozen=True, kw_only=True):
    """A device on a port. options: the protocol's own, validated by it."""

    name: Name
    title: LongTitle = ""
    port: Name
    protocol: Name
    address: Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
    capture_cycle_ms: Annotated[int, msgspec.Meta(ge=10, le=86_400_000)] | None = None  # None: the port's
    response_timeout_ms: Annotated[int, msgspec.Meta(ge=10, le=60_000)] = 1000  # not stated: [collection]
    retries: Annotated[int, msgspec.Meta(ge=0, le=10)] = 1
    storage_cycle_s: Annotated[int, msgspec.Meta(ge=0, le=86_400, multiple_of=10)] = 0  # [history]; 0: none
    enable: bool = True
    options: dict[str, Any] = {}


class Point(Section, frozen=True, kw_only=True):
    """A data point. address: the protocol's own fields (reg_type, offset, endian; item ...).

    engineering value = raw * ratio + bias, rounded to tofixed decimals. deadband: a value is stored and sent
    only when it differs by more than this from the last one (of a location: metres). coordinates: how a
    location lies in the device (points/location.py). priority: who goes first when a port is busy.
    collect_delay_ms: read so long after the cycle begins, for devices that refresh in steps. collect_mode
    on_demand: read by a command only. formula: of a calculated point (points/formula); script: the one whose
    output of its name the point is instead. selector: names of the values that a number can have, such as
    { 0 = "Stop", 1 = "Run" }; nothing else is written to it. on_value, off_value: what the device holds for
    the positions of a switch, default 1 and 0; on_text, off_text: what the positions are called.
    """

    slave: Name
    name: PointName
    title: LongTitle = ""
    type: PointKind = PointKind.NUMERIC
    rw: Literal["readonly", "writeonly", "readwrite"] = "readonly"
    data_type: Literal[
        "uint8",
        "int8",
        "uint16",
        "int16",
        "uint32",
        "int32",
        "uint64",
        "int64",
        "float",
        "double",
        "var",
        "string",
    ] = "uint16"
    unit: Annotated[str, msgspec.Meta(max_length=20)] = ""
    ratio: float = 1.0
    bias: float = 0.0
    tofixed: Annotated[int, msgspec.Meta(ge=0, le=9)] | None = None
    record: RecordMode = RecordMode.ALWAYS
    deadband: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    capture_freq: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 1  # read in every n-th cycle
    collect_delay_ms: Annotated[int, msgspec.Meta(ge=0, le=86_400_000)] = 0
    collect_mode: Literal["cycle", "on_demand"] = "cycle"
    priority: Literal["alarm", "trend", "counter"] = "trend"
    formula: Annotated[str, msgspec.Meta(max_length=4000)] = ""
    script: Name | None = None
    min: float | None = None
    max: float | None = None
    on_value: float | int | str | None = None
    off_value: float | int | str | None = None
    on_text: PositionText = ""
    off_text: PositionText = ""
    selector: Annotated[dict[str, Title], msgspec.Meta(max_length=100)] = {}
    coordinates: Coordinates | None = None
    address: dict[str, Any] = {}

    @property
    def reports(self) -> RecordMode:
        """What of its readings is recorded: with a deadband changes only."""
        return RecordMode.ON_CHANGE if self.record is RecordMode.ALWAYS and self.deadband else self.record

    @property
    def is_pair(self) -> bool:
        """A location that lies in the device as two numbers, one behind the other."""
        return self.type is PointKind.LOCATION and self.data_type != "string"


class Script(Section, frozen=True, kw_only=True):
    """Lines that calculate several points, in the language of the sandbox package.

    It runs once the points that it needs are new, at the latest in every capture_freq-th cycle of its slave.
    inputs: name in the script to a point, "point" of the slave or "slave.point"; state: names that keep their
    values from run to run, with the first one; timeout_ms: of processor time. Its outputs are the calculated
    points that name it.
    """

    name: Name
    slave: Name
    text: Annotated[str, msgspec.Meta(min_length=1, max_length=20_000)]
    inputs: Annotated[dict[str, str], msgspec.Meta(max_length=100)] = {}
    state: Annotated[dict[str, float | int | str | bool | None], msgspec.Meta(max_length=100)] = {}
    capture_freq: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 1
    timeout_ms: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 50


class Configuration(Section, frozen=True, kw_only=True):
    """gateway.toml as a whole."""

    gateway: Gateway
    cloud: Cloud | None = None
    forwarders: Annotated[list[ForwarderEntry], msgspec.Meta(max_length=20)] = []
    local_page: LocalPage = LocalPage()
    storage: Storage = Storage()
    tunnels: Tunnels = Tunnels()
    collection: Collecting = Collecting()
    reporting: Reporting = Reporting()
    history: History = History()
    cellular: Cellular | None = None
    system: Machine = Machine()
    registration: Registration | None = None
    network: Network | None = None
    mobile: Mobile | None = None
    hotspot: Hotspot | None = None
    ports: Annotated[list[Port], msgspec.Meta(max_length=1000)] = []
    slaves: Annotated[list[Slave], msgspec.Meta(max_length=1000)] = []
    points: Annotated[list[Point], msgspec.Meta(max_length=20_000)] = []
    scripts: Annotated[list[Script], msgspec.Meta(max_length=100)] = []
    internal_slave: InternalSlave | None = None
    internal_slave_points: Annotated[list[InternalSlavePoint], msgspec.Meta(max_length=5000)] = []
    loop_writes: Annotated[list[LoopWrite], msgspec.Meta(max_length=100)] = []
    calibrations: Annotated[list[Calibration], msgspec.Meta(max_length=MAX_CALIBRATIONS)] = []
    channels: Annotated[list[Channel], msgspec.Meta(max_length=MAX_CHANNELS)] = []
