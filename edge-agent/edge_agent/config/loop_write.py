"""[[loop_writes]]: a message that goes to a slave again and again."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from edge_agent.config.section import Name, Section, label

MAX_CONTENT = 1024


class LoopWrite(Section, frozen=True, kw_only=True):
    """A loop-write task.

    message modbus: content into registers (4X, functions 06 and 10H) or one coil (0X, 05) of a Modbus slave,
    offset as in the address of its points. message custom: content as bytes on the port of the slave, then
    checksum; with expect (hex) the answer must begin so within answer_timeout_ms.

    value: the number; the text of a string; the bytes of a hex, "01 A0"; of a real_time in a custom message
    the bytes around it, "68 {time} 16", else nothing. time_format: loop_write/README.md. time_zone: a name of
    the IANA database, empty for the gateway's own. data_type, endian: of a number and of unix time.
    """

    name: Annotated[Name, label("名称", "Name")]
    enable: Annotated[bool, label("启用", "Enable")] = True
    interval_s: Annotated[int, msgspec.Meta(ge=1, le=86_400), label("间隔（秒）", "Interval (s)")]
    slave: Annotated[Name, label("从机", "Slave")]
    message: Annotated[Literal["modbus", "custom"], label("报文类型", "Message type")] = "modbus"
    content: Annotated[Literal["number", "real_time", "hex", "string"], label("内容类型", "Content type")]
    value: Annotated[
        float | int | Annotated[str, msgspec.Meta(max_length=MAX_CONTENT)] | None, label("内容", "Content")
    ] = None
    reg_type: Annotated[Literal["0X", "4X"], label("寄存器类型", "Register type")] = "4X"
    offset: Annotated[int, msgspec.Meta(ge=0, le=65536), label("寄存器地址", "Register address")] | None = (
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
