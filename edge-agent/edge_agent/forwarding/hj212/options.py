"""Options of a forwarder to a platform of HJ 212, and their faults. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Literal, get_args

import msgspec

from edge_agent.config.model import Configuration, Section, TcpPort
from edge_agent.config.network import host_fault
from edge_agent.config.period import period_ms
from edge_agent.errors import ConfigError
from edge_agent.forwarding.hj212.crc import CrcVariant
from edge_agent.forwarding.hj212.functions import InstrumentFunction, function_faults, function_point_faults
from edge_agent.forwarding.hj212.profile import Tolerance, profile
from edge_agent.forwarding.hj212.sm4 import CipherForm, Sm4Key
from edge_agent.model import PointKind, RecordMode

ReportType = Literal["rtd", "avg", "min", "max", "cou"]
TimeUnit = Literal["m", "h", "d"]
PointText = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{1,64}\.[A-Za-z0-9_]{1,64}$(?!\n)")]
EquipmentState = Literal["0", "1", "2", "3", "4", "5"]
FlagText = Annotated[str, msgspec.Meta(pattern=r"^[A-Z][a-z]?$(?!\n)")]

REPORT_INTERVALS = (0, 1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30)
"""Minutes; MinInterval of HJ 212-2017, annex C, and 0 for no minute data."""
LOWEST_RTD_S, HIGHEST_RTD_S = 30, 3600
"""RtdInterval."""
EQUIPMENT_STATES = frozenset(get_args(EquipmentState))
"""-RS: off, runs, is calibrated, is maintained, alarm, blows back (HJ 212-2017, SBx-RS)."""
GAS_SYSTEMS = frozenset({"22", "27", "31", "39", "51"})
"""ST of air, whose flow is in m3/s and whose amounts come from mg/m3; all others count as water."""
FLOW_FACTORS = frozenset({"w00000", "a00000", "B01", "B02"})
MINUTE_MS = 60_000
PASSWORD = re.compile("[0-9A-Za-z]{0,6}")
"""PW, at most 6 characters (HJ 212-2017, table 4)."""
TIME_ZONE = re.compile(r"([+-])(\d\d):([0-5]\d)")


class Mapping(Section, frozen=True, kw_only=True):
    """One factor of one point ("slave.point").

    types: of rtd in real-time data, the others in the records of units (minute, hour, day). converted: the
    point is the value converted to the standard state (-Zs). flow: point whose flow weights means and makes
    amounts; a flow needs none. upper: upper measuring limit; above it values have the flag T. decimals: None:
    the point's, else 3. state: point whose value `states` turns into a data flag of this factor.
    """

    factor: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9]{1,24}$(?!\n)")]
    point: PointText
    types: Annotated[tuple[ReportType, ...], msgspec.Meta(min_length=1, max_length=5)] = (
        "rtd",
        "avg",
        "min",
        "max",
    )
    units: Annotated[tuple[TimeUnit, ...], msgspec.Meta(max_length=3)] = ("m", "h", "d")
    converted: bool = False
    flow: PointText | None = None
    flow_unit: Literal["L/s", "m3/s", "m3/h"] | None = None
    upper: float | None = None
    decimals: Annotated[int, msgspec.Meta(ge=0, le=9)] | None = None
    state: PointText | None = None

    @property
    def key(self) -> str:
        """Of the factor within a target."""
        return f"{self.factor}-Zs" if self.converted else self.factor


class Equipment(Section, frozen=True, kw_only=True):
    """A treatment equipment: its code before -RS and -RT (2021, 2041), and the point that has its state."""

    code: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9]{1,24}$(?!\n)")]
    point: PointText


class Hj212Options(Section, frozen=True, kw_only=True):
    """flag: 5 wants an answer to each upload and 0 none; the version's bits are added.

    cache_limit: records that may wait while the platform is away. rtd_interval_s: of real-time data, 0 for
    none; report_interval_min: of minute data, 0 for none. random_min_ms, random_max_ms: a pause drawn from
    there before each upload; it delays the sending and never changes a value. supplementary: send what was
    not acknowledged when the platform is there again; supplementary_rtd: real-time data too. states: data
    flag by the value of a mapping's state point, such as {"1": "M"}. validity: when shorter records make a
    longer one normal (HJ 212-2017, annex D): "share": 75 of 100 are; "any": no abnormal one; None: by st.
    equipment: that states and run times are sent of; equipment_states: -RS by the value of its point, empty:
    the value is it. functions: of instruments that the platform may use; none without them.
    heartbeat_s: of 2025, 0 for none. cipher, cipher_secret: form and key of SM4, of 2025, experimental.
    pw, cipher_secret: empty: those that were set on the gateway (passwords.py), else no password is sent.
    """

    server: Annotated[str, msgspec.Meta(min_length=1, max_length=253)]
    port: TcpPort
    mn: Annotated[str, msgspec.Meta(pattern=r"^[!-%'-+\--:<>-~]{1,64}$(?!\n)")]
    st: Annotated[str, msgspec.Meta(pattern=r"^[0-9A-Z]{2}$(?!\n)")] = "32"
    pw: Annotated[str, msgspec.Meta(pattern=r"^[0-9A-Za-z]{0,6}$(?!\n)")] = ""
    version: Literal["2005", "2017", "2025"] = "2017"
    flag: Literal[0, 5] = 5
    cache_limit: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 10_000
    rtd_interval_s: Annotated[int, msgspec.Meta(ge=0, le=HIGHEST_RTD_S)] = 60
    report_interval_min: Literal[0, 1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30] = 10
    retry_times: Annotated[int, msgspec.Meta(ge=0, le=99)] = 3
    timeout_s: Annotated[int, msgspec.Meta(ge=1, le=99)] = 10
    crc: CrcVariant = CrcVariant.STANDARD
    tolerances: Annotated[tuple[Tolerance, ...], msgspec.Meta(max_length=20)] = ()
    random_min_ms: Annotated[int, msgspec.Meta(ge=0, le=60_000)] = 0
    random_max_ms: Annotated[int, msgspec.Meta(ge=0, le=60_000)] = 500
    supplementary: bool = True
    supplementary_rtd: bool = False
    time_zone: Annotated[str, msgspec.Meta(pattern=r"^[+-]\d\d:[0-5]\d$(?!\n)")] = "+08:00"
    states: Annotated[dict[str, FlagText], msgspec.Meta(max_length=50)] = msgspec.field(default_factory=dict)
    validity: Literal["share", "any"] | None = None
    keep_days: Annotated[int, msgspec.Meta(ge=1, le=366)] = 30
    heartbeat_s: Annotated[int, msgspec.Meta(ge=0, le=3600)] = 0
    cipher: CipherForm | None = None
    cipher_secret: Annotated[str, msgspec.Meta(max_length=32)] = ""
    crc_over_cipher: bool = False
    equipment: Annotated[list[Equipment], msgspec.Meta(max_length=100)] = msgspec.field(default_factory=list)
    equipment_states: Annotated[dict[str, EquipmentState], msgspec.Meta(max_length=50)] = msgspec.field(
        default_factory=dict
    )
    functions: Annotated[list[InstrumentFunction], msgspec.Meta(max_length=200)] = msgspec.field(
        default_factory=list
    )
    mapping: Annotated[list[Mapping], msgspec.Meta(min_length=1, max_length=200)]

    def __repr__(self) -> str:
        """Without password and key."""
        return f"Hj212Options(server={self.server!r}, port={self.port}, mn={self.mn!r}, st={self.st!r})"

    @property
    def offset_ms(self) -> int:
        """Local time of the platform less UTC."""
        sign, hours, minutes = TIME_ZONE.fullmatch(self.time_zone).groups()  # type: ignore[union-attr]
        minutes_east = int(hours) * 60 + int(minutes)
        return (minutes_east if sign == "+" else -minutes_east) * MINUTE_MS

    @property
    def is_gas(self) -> bool:
        """Whether flow and amounts are those of gas."""
        return self.st in GAS_SYSTEMS


def faults(options: Hj212Options) -> Iterator[ConfigError]:
    """Beyond shape and ranges. Secrets are not quoted."""
    if (rule := host_fault(options.server)) is not None:
        yield ConfigError("options.server", rule)
    if 0 < options.rtd_interval_s < LOWEST_RTD_S:
        rule = f"must be 0 or {LOWEST_RTD_S} to {HIGHEST_RTD_S} s"
        yield ConfigError("options.rtd_interval_s", rule)
    if options.random_min_ms > options.random_max_ms:
        yield ConfigError("options.random_min_ms", "must be at most options.random_max_ms")
    if options.supplementary and not options.random_max_ms:
        yield ConfigError("options.supplementary", "needs options.random_max_ms above 0")
    if options.supplementary_rtd and not options.supplementary:
        yield ConfigError("options.supplementary_rtd", "needs options.supplementary")
    if abs(options.offset_ms) > 14 * 60 * MINUTE_MS:
        yield ConfigError("options.time_zone", "must be -14:00 to +14:00")
    if options.heartbeat_s and options.version != "2025":
        yield ConfigError("options.heartbeat_s", "must be 0 for a version before 2025")
    flags = profile(options.version).data_flags
    for value, flag in options.states.items():
        if flag not in flags:
            yield ConfigError(f"options.states.{value}", f"must be one of {', '.join(flags)}")
    yield from _cipher_faults(options)
    yield from _mapping_faults(options)
    codes: set[str] = set()
    for at, one in enumerate(options.equipment):
        if one.code in codes:
            rule = f"must be named once; {one.code} is there already"
            yield ConfigError(f"options.equipment[{at}].code", rule)
        codes.add(one.code)
    yield from function_faults(options.functions, options.version)


def _cipher_faults(options: Hj212Options) -> Iterator[ConfigError]:
    if options.cipher is None:
        return
    if options.version != "2025":
        yield ConfigError("options.cipher", "must be left out for a version before 2025")
    if not options.cipher_secret:
        return  # it lies in the data folder
    try:
        Sm4Key(options.cipher_secret)
    except ConfigError as error:
        yield ConfigError("options.cipher_secret", error.rule)


def _mapping_faults(options: Hj212Options) -> Iterator[ConfigError]:
    keys: set[str] = set()
    for at, entry in enumerate(options.mapping):
        where = f"options.mapping[{at}]"
        if entry.key in keys:
            yield ConfigError(f"{where}.factor", f"must be named once; {entry.factor} is there already")
        keys.add(entry.key)
        if entry.converted and options.version == "2005":
            yield ConfigError(f"{where}.converted", "must be false for version 2005, which has no -Zs items")
        if "cou" in entry.types and (entry.converted or not (entry.flow or entry.factor in FLOW_FACTORS)):
            rule = "cou needs a flow point, and is of values that are not converted"
            yield ConfigError(f"{where}.types", rule)
        if set(entry.types) != {"rtd"} and not entry.units:
            yield ConfigError(f"{where}.units", "must name m, h or d for types beside rtd")


def point_faults(options: Hj212Options, configuration: Configuration) -> Iterator[ConfigError]:
    """Points that are missing, or whose samples make no means: one a minute at least, and every reading."""
    points = {f"{point.slave}.{point.name}": point for point in configuration.points}
    slaves = {slave.name: slave for slave in configuration.slaves}
    ports = {port.name: port for port in configuration.ports}
    for at, one in enumerate(options.equipment):
        where = f"options.equipment[{at}].point"
        point = points.get(one.point)
        if point is None:
            yield ConfigError(where, f"must be a point of this configuration; there is no {one.point}")
        elif point.record is RecordMode.NONE:
            yield ConfigError(where, f"must be stored, and {one.point} has record = 0")
        elif point.collect_mode != "cycle":
            yield ConfigError(where, f"must be read in cycles, and {one.point} is read on demand")
    yield from function_point_faults(options.functions, configuration)
    for at, entry in enumerate(options.mapping):
        for field, name in (("point", entry.point), ("flow", entry.flow), ("state", entry.state)):
            where = f"options.mapping[{at}].{field}"
            if name is None:
                continue
            point = points.get(name)
            if point is None:
                yield ConfigError(where, f"must be a point of this configuration; there is no {name}")
                continue
            if point.record is RecordMode.NONE:
                yield ConfigError(where, f"must be stored, and {name} has record = 0")
            if field == "state":
                continue
            if point.type in (PointKind.STRING, PointKind.LOCATION, PointKind.SWITCH):
                yield ConfigError(where, f"must be a number, and {name} has type {point.type.value}")
            if point.reports is RecordMode.ON_CHANGE:
                rule = "must be stored at each reading (record = 1, deadband = 0): means are made of samples"
                yield ConfigError(where, rule)
            slave = slaves.get(point.slave)
            port = ports.get(slave.port) if slave is not None else None
            if point.collect_mode != "cycle":
                yield ConfigError(where, f"must be read in cycles, and {name} is read on demand")
            elif slave is not None and port is not None and period_ms(slave, port, point) > MINUTE_MS:
                yield ConfigError(where, f"must be read once a minute at least: {name} is read more rarely")
