"""The gateway as a Modbus slave of another master: section internal_slave of the document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec

from edge_contract.deployment import Fault
from edge_contract.parameters.model import ParameterGroup, Parameters, TcpPort, fault, label
from edge_contract.parameters.views import section


class InternalSlave(Parameters, frozen=True, kw_only=True):
    """How masters reach it: over TCP, or as RTU frames on a serial line of its own (device)."""

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
    baud: Annotated[int, msgspec.Meta(ge=300, le=921_600), label("波特率", "Baud rate")] = 9600
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


def _dependencies(slave: InternalSlave) -> Iterator[Fault]:
    if not slave.tcp and not slave.device:
        yield fault("tcp", "must be true, or device be given")


_read, _write = section("internal_slave", InternalSlave.__struct_fields__)
GROUP = ParameterGroup(
    "internal_slave", "内部从机", "Internal slave", InternalSlave, _read, _write, dependencies=_dependencies
)
