"""Shapes of the internal slave, of loop-write tasks, and of what gateways say of them.

Fields are those of the configuration document (edge_agent/config/internal_slave.py, loop_write.py); how they
go together is the gateway's to say.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from cloud.domains.points.schemas import Base, Hash, Name, Number, PointName
from edge_contract.fieldbus import MAX_LOOP_WRITES, MAX_MASTERS

MAX_POINTS = 5000
MAX_ALLOWED = 64
PRINTED = r"^[^\x00]*$"

Register = Annotated[int, Field(ge=0, le=65_535)]
Order = Literal["ABCD", "CDAB", "BADC", "DCBA", "AB", "BA"]
"""Of the bytes of a value."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class InternalSlaveFields(_Strict):
    """How masters reach the gateway's internal slave. tcp: on host and port; device: RTU frames on a serial
    line.

    allow: addresses and networks of masters. bad_values: what a read of a point without a good value is
    answered with; max_age_s: when a value is no good one any more, 0 for the gateway's own rule.
    """

    enable: bool = True
    id: Annotated[int, Field(ge=1, le=254)] = 1
    tcp: bool = True
    host: Annotated[str, StringConstraints(max_length=253, pattern=PRINTED)] = "127.0.0.1"
    port: Annotated[int, Field(ge=1, le=65_535)] = 1502
    allow: Annotated[
        list[Annotated[str, StringConstraints(max_length=64, pattern=PRINTED)]],
        Field(max_length=MAX_ALLOWED),
    ] = []
    max_clients: Annotated[int, Field(ge=1, le=MAX_MASTERS)] = 8
    idle_timeout_s: Annotated[int, Field(ge=1, le=86_400)] = 60
    device: Annotated[str, StringConstraints(max_length=300, pattern=PRINTED)] = ""
    baud: Annotated[int, Field(ge=300, le=921_600)] = 9600
    parity: Literal["N", "O", "E"] = "N"
    stop_bits: Literal[1, 2] = 1
    bad_values: Literal["exception", "last", "fill"] = "exception"
    max_age_s: Annotated[int, Field(ge=0, le=86_400)] = 0
    max_writes_per_min: Annotated[int, Field(ge=1, le=6000)] = 60


class MappedPointFields(_Strict):
    """A point and the registers in which a master finds it: (value - bias) / ratio.

    offset: from 0. data_type: null in 0X and 1X, where it is one bit, else uint16 when not given; length:
    registers of a string.
    """

    slave: Name
    name: PointName
    reg_type: Literal["0X", "1X", "3X", "4X"]
    offset: Register
    data_type: (
        Literal["uint16", "int16", "uint32", "int32", "uint64", "int64", "float", "double", "string"] | None
    ) = None
    endian: Order = "ABCD"
    length: Annotated[int, Field(ge=1, le=123)] | None = None
    ratio: Number = 1.0
    bias: Number = 0.0
    writable: bool = False


class InternalSlaveBody(_Strict):
    """Both sections as they are to be. internal_slave: null for a gateway without one."""

    base: Base = None
    internal_slave: InternalSlaveFields | None
    points: Annotated[list[MappedPointFields], Field(max_length=MAX_POINTS)]


class LoopWriteFields(_Strict):
    """A message that goes to a slave every interval_s. message modbus: content into registers or one coil;
    custom: content as bytes on the slave's port, then checksum, and an answer that begins with expect.

    value: the number, the text, the bytes as hex, or the bytes around {time}. data_type, endian: of a number
    and of unix time. time_zone: of the IANA database, empty for the gateway's own.
    """

    name: Name
    enable: bool = True
    interval_s: Annotated[int, Field(ge=1, le=86_400)]
    slave: Name
    message: Literal["modbus", "custom"] = "modbus"
    content: Literal["number", "real_time", "hex", "string"]
    value: Number | Annotated[str, StringConstraints(max_length=1024, pattern=PRINTED)] | None = None
    reg_type: Literal["0X", "4X"] = "4X"
    offset: Annotated[int, Field(ge=0, le=65_536)] | None = None
    data_type: Literal[
        "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float", "double"
    ] = "uint16"
    endian: Order = "ABCD"
    time_format: Literal["registers", "bcd_registers", "bytes", "bcd_bytes", "unix"] = "registers"
    time_zone: Annotated[str, StringConstraints(max_length=64, pattern=PRINTED)] = ""
    checksum: Literal["none", "crc16", "sum8"] = "none"
    expect: Annotated[str, StringConstraints(max_length=200, pattern=PRINTED)] = ""
    answer_timeout_ms: Annotated[int, Field(ge=10, le=10_000)] = 1000


class LoopWritesBody(_Strict):
    """The section as it is to be."""

    base: Base = None
    tasks: Annotated[list[LoopWriteFields], Field(max_length=MAX_LOOP_WRITES)]


class InternalSlaveDraft(BaseModel):
    """base: name of the version that this is of, null while there is none yet. Fields as the document has
    them: what is not there has its default. internal_slave: null where there is none.
    """

    base: Hash | None
    changeable: bool
    internal_slave: dict[str, Any] | None
    points: list[dict[str, Any]]


class LoopWritesDraft(BaseModel):
    """As InternalSlaveDraft. Places of tasks are those by which the gateway's faults name them."""

    base: Hash | None
    changeable: bool
    tasks: list[dict[str, Any]]


class _Reported(BaseModel):
    """A field that the gateway left out has its default; none is left out of a reply."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)


class ReportedMaster(_Reported):
    """A connection to the internal slave."""

    peer: str
    since_ms: int
    requests: int = 0


class ReportedInternalSlave(_Reported):
    """fault: why masters cannot reach it, empty when they can. Counts since it began to run.

    exceptions: answers that refuse a request; refused: connections; bad_frames: connections that ended by
    bytes that are no frame; discarded_bytes: of a serial line. last_error_ms: 0 for none.
    """

    id: int
    points: int
    listens: str = ""
    fault: str = ""
    masters: list[ReportedMaster] = []
    requests: int = 0
    exceptions: int = 0
    values_written: int = 0
    refused: int = 0
    bad_frames: int = 0
    discarded_bytes: int = 0
    last_error: str = ""
    last_error_ms: int = 0


class ReportedLoopWrite(_Reported):
    """outcome: done, waiting, disabled, clock_not_set, or the code of what went wrong. Counts since it began
    to run: missed are intervals without a message, because the one before was under way.
    """

    name: str
    outcome: str
    last_ms: int = 0
    sent: int = 0
    failed: int = 0
    missed: int = 0
    last_error: str = ""
    last_error_ms: int = 0


class FieldbusReport(_Reported):
    """What the gateway said at reported_ms, 0 when it has neither, or has not said yet."""

    reported_ms: int = 0
    internal_slave: ReportedInternalSlave | None = None
    loop_writes: list[ReportedLoopWrite] = []
