"""Loop-write tasks: rows of section loop_writes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec

from edge_contract.deployment import Fault
from edge_contract.parameters.model import ParameterGroup, Parameters, RowName, fault, label
from edge_contract.parameters.views import rows

MAX_CONTENT = 1024


class LoopWrite(Parameters, frozen=True, kw_only=True):
    """A message that goes to a slave again and again; what its content may be the gateway says."""

    name: Annotated[RowName, label("名称", "Name")]
    enable: Annotated[bool, label("启用", "Enable")] = True
    interval_s: Annotated[int, msgspec.Meta(ge=1, le=86_400), label("间隔（秒）", "Interval (s)")]
    slave: Annotated[RowName, label("从机", "Slave")]
    message: Annotated[Literal["modbus", "custom"], label("报文类型", "Message type")] = "modbus"
    content: Annotated[Literal["number", "real_time", "hex", "string"], label("内容类型", "Content type")]
    value: Annotated[
        float | int | Annotated[str, msgspec.Meta(max_length=MAX_CONTENT)] | None, label("内容", "Content")
    ] = None
    reg_type: Annotated[Literal["0X", "4X"], label("寄存器类型", "Register type")] = "4X"
    offset: Annotated[int, msgspec.Meta(ge=0, le=65_536), label("寄存器地址", "Register address")] | None = (
        None
    )
    data_type: Annotated[
        Literal[
            "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float", "double"
        ],
        label("数据类型", "Data type"),
    ] = "uint16"  # fmt: skip
    endian: Annotated[
        Literal["ABCD", "CDAB", "BADC", "DCBA", "AB", "BA"], label("字节顺序", "Byte order")
    ] = "ABCD"
    time_format: Annotated[
        Literal["registers", "bcd_registers", "bytes", "bcd_bytes", "unix"], label("时间格式", "Time format")
    ] = "registers"
    time_zone: Annotated[str, msgspec.Meta(max_length=64), label("时区", "Time zone")] = ""
    checksum: Annotated[Literal["none", "crc16", "sum8"], label("校验和", "Checksum")] = "none"
    expect: Annotated[
        str, msgspec.Meta(max_length=200), label("期望应答（十六进制）", "Expected answer (hex)")
    ] = ""
    answer_timeout_ms: Annotated[
        int, msgspec.Meta(ge=10, le=10_000), label("应答超时（毫秒）", "Answer time-out (ms)")
    ] = 1000


def _dependencies(task: LoopWrite) -> Iterator[Fault]:
    alien = (
        {"checksum": "none", "expect": ""} if task.message == "modbus" else {"reg_type": "4X", "offset": None}
    )
    for name, usual in alien.items():
        if getattr(task, name) != usual:
            yield fault(name, f"must not be given for a message of type {task.message}")
    if task.message == "modbus" and task.offset is None:
        yield fault("offset", "must be given for a message of type modbus")
    if task.message == "modbus" and task.data_type in ("uint8", "int8"):
        yield fault("data_type", f"must fill whole registers, {task.data_type} does not")
    if task.content != "real_time" and task.value is None:
        yield fault("value", f"must be given for content {task.content}")


_read, _write = rows("loop_writes", {field: (field,) for field in LoopWrite.__struct_fields__})
GROUP = ParameterGroup(
    "loop_write",
    "循环写任务",
    "Loop-write tasks",
    LoopWrite,
    _read,
    _write,
    key=("name",),
    max_rows=100,
    dependencies=_dependencies,
)
