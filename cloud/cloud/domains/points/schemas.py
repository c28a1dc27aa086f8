"""Shapes of ports, slave devices and data points. Times are UTC milliseconds, documents' names SHA-256.

In what changes a row a field that is left out stays, and null takes it away: then it has its default.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    FiniteFloat,
    StringConstraints,
    create_model,
    field_validator,
)

from cloud.domains.points.fields import BEYOND
from cloud.domains.triggers.numbers import Finite
from cloud.domains.triggers.schemas import MAX_LINKAGES, LinkageBody
from edge_contract.limits import MAX_POSITION_TEXT

Hash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
PointName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_]{1,64}$")]
Text = Annotated[str, StringConstraints(max_length=200, pattern=r"^[^\x00]*$")]
Word = Annotated[str, StringConstraints(max_length=64, pattern=r"^[^\x00]*$")]
Position = Annotated[str, StringConstraints(max_length=MAX_POSITION_TEXT, pattern=r"^[^\x00]*$")]
Number = Annotated[int | FiniteFloat, Field(ge=-(2**63), lt=2**64)]
Whole = Annotated[int, Field(ge=0, le=2**31 - 1)]
Level = float | int | str

MAX_ROWS = 20_000
MAX_BATCH = 200
MAX_READ = 50

Base = Annotated[
    Hash | None, Field(description="the version that the editor began with; the newest when left out")
]


class _Fields(BaseModel):
    model_config = ConfigDict(extra="forbid")

    def given(self) -> dict[str, Any]:
        """What was said, null too."""
        return self.model_dump(exclude_unset=True)


class PortFields(_Fields):
    """A COM or NET port. ip, port: of NET; device: of COM, such as /dev/ttyS1."""

    name: Name | None = None
    type: Literal["COM", "NET"] | None = None
    device: Text | None = None
    baud: Annotated[int, Field(ge=300, le=921_600)] | None = None
    parity: Literal["N", "O", "E"] | None = None
    data_bits: Literal[7, 8] | None = None
    stop_bits: Literal[1, 2] | None = None
    ip: Text | None = None
    port: Annotated[int, Field(ge=1, le=65_535)] | None = None
    capture_cycle_ms: Annotated[int, Field(ge=10, le=86_400_000)] | None = None
    min_interval_ms: Annotated[int, Field(ge=0, le=10_000)] | None = None
    enable: bool | None = None


class SlaveFields(_Fields):
    """A device on a port. options: the protocol's own (GET /device/protocol)."""

    name: Name | None = None
    title: Word | None = None
    port: Name | None = None
    protocol: Name | None = None
    address: Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=r"^[^\x00]*$")] | None = (
        None
    )
    capture_cycle_ms: Annotated[int, Field(ge=10, le=86_400_000)] | None = None
    response_timeout_ms: Annotated[int, Field(ge=10, le=60_000)] | None = None
    retries: Annotated[int, Field(ge=0, le=10)] | None = None
    storage_cycle_s: Annotated[int, Field(ge=0, le=86_400, multiple_of=10)] | None = None
    enable: bool | None = None
    options: Annotated[dict[Word, int | FiniteFloat | bool | Text | None], Field(max_length=50)] | None = None

    @field_validator("options")
    @classmethod
    def _without_null(cls, options: dict[str, Any] | None) -> dict[str, Any] | None:
        return None if options is None else {name: each for name, each in options.items() if each is not None}


class SettingFields(_Fields):
    """What the cloud alone knows of a point; it holds at once, without a deployment.

    alarm_lower to alarm_upper2: an alarm is outside of them, one side may be left out; the second pair, of
    multi, is the outer one. alarm_state: of a switch, the position that is an alarm. alarm_delay_s: before
    an alarm; alarm_off_delay_s: before it is over. alarm_linkage: presets that are carried out with the
    rights of who set the alarm last.
    """

    line_color: Annotated[str, StringConstraints(pattern=r"^#[0-9a-fA-F]{6}$")] | None = None
    gis_show: bool | None = None
    alarm_enable: bool | None = None
    alarm_mode: Literal["single", "multi"] | None = None
    alarm_lower: Finite | None = None
    alarm_upper: Finite | None = None
    alarm_lower2: Finite | None = None
    alarm_upper2: Finite | None = None
    alarm_state: Literal[0, 1] | None = None
    alarm_deadband: Annotated[Finite, Field(ge=0)] | None = None
    alarm_delay_s: Annotated[int, Field(ge=0, le=86_400)] | None = None
    alarm_off_delay_s: Annotated[int, Field(ge=0, le=86_400)] | None = None
    alarm_linkage: Annotated[list[LinkageBody], Field(max_length=MAX_LINKAGES)] | None = None


if TYPE_CHECKING:
    AddressFields = SettingFields
else:  # with the fields of protocols that the specification has no names for; none today
    AddressFields = create_model(
        "AddressFields", __base__=SettingFields, **dict.fromkeys(BEYOND, (Whole | Word | bool | None, None))
    )


class PointFields(AddressFields):
    """A data point by the specification's names. Which address fields it has is its protocol's affair.

    record: 0 no storage, 1 store, 2 store on change. bit_enable: one bit of the value is meant, bit_offset
    says which. A field may be wrong for the protocol and is kept all the same: its fault is told.
    """

    slave: Name | None = None
    ds_name: PointName | None = None
    ds_title: Text | None = None
    ds_type: Literal["num", "str", "swh", "loc", "cal"] | None = None
    rw: Literal["readonly", "writeonly", "readwrite"] | None = None
    data_type: Word | None = None
    unit: Annotated[str, StringConstraints(max_length=20, pattern=r"^[^\x00]*$")] | None = None
    regtype: Word | None = None
    area: Word | None = None
    db_num: Whole | None = None
    addroffset: Whole | Word | None = None
    bit_enable: bool | None = None
    bit_offset: Whole | None = None
    byte: Word | None = None
    regslength: Whole | None = None
    endian: Word | None = None
    text: Word | None = None
    item: Word | None = None
    di: Word | None = None
    item_decimals: Whole | None = None
    item_signed: bool | None = None
    ratio: Number | None = None
    bias: Number | None = None
    tofixed: Whole | None = None
    record: Literal[0, 1, 2] | None = None
    deadband: Number | None = None
    capture_freq: Whole | None = None
    collect_delay_ms: Whole | None = None
    collect_mode: Literal["cycle", "on_demand"] | None = None
    priority: Literal["alarm", "trend", "counter"] | None = None
    formula: Annotated[str, StringConstraints(max_length=4000, pattern=r"^[^\x00]*$")] | None = None
    script: Word | None = None
    min: Number | None = None
    max: Number | None = None
    on_value: Number | Text | None = None
    off_value: Number | Text | None = None
    on_text: Position | None = None
    off_text: Position | None = None
    selector: Annotated[dict[Word, Word], Field(max_length=100)] | None = None
    coordinates: Word | None = None


class PortBody(PortFields):
    """base: the version that the editor began with; the newest when it is left out."""

    base: Hash | None = None


class SlaveBody(SlaveFields):
    """base: as in PortBody. points_of: of a new one, the slave whose points it gets too."""

    base: Hash | None = None
    points_of: Name | None = None


class ChangedSlave(SlaveFields):
    """Of the slave that was_named: its fields."""

    was_named: Name


class NewSlave(SlaveFields):
    """points_of: the slave whose points it gets too."""

    points_of: Name | None = None


class SlaveBatchBody(_Fields):
    """One of: save, new slaves; update, changes of slaves. All of them or none."""

    save: Annotated[list[NewSlave], Field(min_length=1, max_length=MAX_BATCH)] | None = None
    update: Annotated[list[ChangedSlave], Field(min_length=1, max_length=MAX_BATCH)] | None = None
    base: Hash | None = None


class NewPoint(PointFields):
    """after: identifier of the point of that slave behind which it goes; to the end when left out."""

    after: PointName | None = None


class PointRef(_Fields):
    """A point of a gateway."""

    slave: Name
    ds_name: PointName


class PointChange(PointRef):
    """fields: those that change, another identifier too."""

    fields: PointFields


class PointBatchBody(_Fields):
    """Changes of points: all of them or none. base: the version that the editor began with."""

    base: Hash | None
    added: Annotated[list[NewPoint], Field(max_length=MAX_ROWS)] = []
    changed: Annotated[list[PointChange], Field(max_length=MAX_ROWS)] = []
    removed: Annotated[list[PointRef], Field(max_length=MAX_ROWS)] = []
    note: Text = ""


class ReadPointsBody(_Fields):
    """Points of a slave that are to be read now."""

    slave: Name
    points: Annotated[list[PointName], Field(min_length=1, max_length=MAX_READ)]


class CellFault(BaseModel):
    """A cell that breaks a rule. name: of the port, slave or point; code with arguments: which rule.

    level: error, the gateway will not take it; warning, it may not be meant.
    """

    slave: str = ""
    name: str
    field: str
    code: str
    arguments: dict[str, int | float | str]
    level: str


class Port(BaseModel):
    """A port as its document has it, and how many slaves hang on it."""

    fields: dict[str, Any]
    slaves: int


class SlaveRow(BaseModel):
    """A slave as its document has it; secrets masked for who may not change the gateway."""

    fields: dict[str, Any]
    points: int


class ConfigurationRows(BaseModel):
    """What a list was read from. base: the newest version, null when there is none yet."""

    base: str | None
    changeable: bool
    faults: list[CellFault]


class Ports(ConfigurationRows):
    """Ports of a gateway in their order."""

    rows: list[Port]


class Slaves(ConfigurationRows):
    """Slaves of a gateway in their order."""

    rows: list[SlaveRow]


class Points(ConfigurationRows):
    """Points in their order: fields by the specification's names, without those that have their default."""

    rows: list[dict[str, Any]]


class Saved(BaseModel):
    """A change that was kept. base: the version that it made, on which the next edit is based."""

    base: str
    faults: list[CellFault]


class PointRead(BaseModel):
    """A read that was asked for. id: its command; empty, with a problem, when it cannot be read.

    problem: not_deployed (the gateway has not told of such a point yet) or write_only.
    """

    ds_name: str
    id: str
    problem: str = ""


class PointReads(BaseModel):
    """Of each point that was named, in that order."""

    rows: list[PointRead]
