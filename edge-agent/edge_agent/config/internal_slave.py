"""[internal_slave] and [[internal_slave_points]]: the gateway as a Modbus slave of another master."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from edge_agent.config.section import Name, PointName, Section, TcpPort, label

Endian = Literal["ABCD", "CDAB", "BADC", "DCBA", "AB", "BA"]
"""Order of the bytes of a value, as in the address of a point."""


class InternalSlave(Section, frozen=True, kw_only=True):
    """How masters reach the slave. tcp: on host and port; device: RTU frames on a serial line of its own.

    allow: addresses and networks of masters, needed outside loopback. bad_values: what a read of a point
    without a good value is answered with: exception 04, the last good value, or the fill value of its type.
    max_age_s: an older value is no good one; 0: the rule of the bus alone, three periods.
    """

    enable: Annotated[bool, label("启用", "Enable")] = True
    id: Annotated[int, msgspec.Meta(ge=1, le=254), label("内部从机地址", "Internal slave id")] = 1
    tcp: Annotated[bool, label("监听 TCP", "Listen on TCP")] = True
    host: Annotated[str, msgspec.Meta(max_length=253), label("监听地址", "Listen address")] = "127.0.0.1"
    port: Annotated[TcpPort, label("监听端口", "Listen port")] = 1502
    allow: Annotated[list[str], msgspec.Meta(max_length=64), label("允许的主站", "Allowed masters")] = []
    max_clients: Annotated[int, msgspec.Meta(ge=1, le=64), label("最大连接数", "Connections")] = 8
    idle_timeout_s: Annotated[
        int, msgspec.Meta(ge=1, le=86_400), label("空闲断开时间（秒）", "Idle time-out (s)")
    ] = 60
    device: Annotated[str, msgspec.Meta(max_length=300), label("串口设备", "Serial device")] = ""
    baud: Annotated[int, msgspec.Meta(ge=300, le=921600), label("波特率", "Baud rate")] = 9600
    parity: Annotated[Literal["N", "O", "E"], label("校验位", "Parity")] = "N"
    stop_bits: Annotated[Literal[1, 2], label("停止位", "Stop bits")] = 1
    bad_values: Annotated[
        Literal["exception", "last", "fill"], label("无有效值时", "Without a good value")
    ] = "exception"
    max_age_s: Annotated[
        int, msgspec.Meta(ge=0, le=86_400), label("数值最长有效时间（秒）", "Values expire after (s)")
    ] = 0
    max_writes_per_min: Annotated[
        int, msgspec.Meta(ge=1, le=6000), label("每分钟最多写入数", "Values written per minute")
    ] = 60


class InternalSlavePoint(Section, frozen=True, kw_only=True):
    """A point and the registers of the internal slave in which a master finds it.

    register value = (value - bias) / ratio, the nearest integer of an integer type. data_type: None in 0X and
    1X, where it is one bit, else uint16 when not given. offset: from 0; length: registers of a string.
    """

    slave: Annotated[Name, label("从机", "Slave")]
    name: Annotated[PointName, label("数据点", "Point")]
    reg_type: Annotated[Literal["0X", "1X", "3X", "4X"], label("寄存器类型", "Register type")]
    offset: Annotated[int, msgspec.Meta(ge=0, le=65535), label("寄存器地址", "Register address")]
    data_type: (
        Annotated[
            Literal[
                "uint16", "int16", "uint32", "int32", "uint64", "int64", "float", "double", "string"
            ],
            label("数据类型", "Data type"),
        ]
        | None
    ) = None  # fmt: skip
    endian: Annotated[Endian, label("字节顺序", "Byte order")] = "ABCD"
    length: (
        Annotated[int, msgspec.Meta(ge=1, le=123), label("长度（寄存器数）", "Length (registers)")] | None
    ) = None
    ratio: Annotated[float, label("系数", "Ratio")] = 1.0
    bias: Annotated[float, label("偏移", "Bias")] = 0.0
    writable: Annotated[bool, label("主站可写", "Writable by masters")] = False
