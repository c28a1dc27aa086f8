"""Network channels: rows of section channels. The gateway connects to a server and passes on the bytes of a
serial line, with heartbeat packets while nothing else is sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import msgspec

from edge_contract.deployment import Fault
from edge_contract.hosts import HOST_RULES, host_fault
from edge_contract.parameters.model import ParameterGroup, Parameters, RowName, TcpPort, fault, label
from edge_contract.parameters.packets import MAX_PACKET, PacketFormat, packet_bytes
from edge_contract.parameters.views import rows

MAX_CHANNELS = 16


class Channel(Parameters, frozen=True, kw_only=True):
    """port: the line whose bytes it carries. heartbeat_interval_s: 60 to 300 is usual, 0 closes it.

    read_timeout_ms: silence of the server that ends a packet of it, 0 takes each as it comes.
    """

    name: Annotated[RowName, label("名称", "Name")]
    enable: Annotated[bool, label("启用", "Enable")] = True
    server: Annotated[str, msgspec.Meta(max_length=253), label("服务器地址", "Socket address")]
    server_port: Annotated[TcpPort, label("服务器端口", "Socket port")]
    port: Annotated[RowName, label("绑定串口", "Bound UART")]
    heartbeat: Annotated[str, msgspec.Meta(max_length=MAX_PACKET), label("心跳包", "Heartbeat packet")] = ""
    heartbeat_format: Annotated[PacketFormat, label("心跳包格式", "Format of the heartbeat")] = "text"
    heartbeat_interval_s: Annotated[
        int,
        msgspec.Meta(ge=0, le=3600),
        label("心跳间隔（秒，0 关闭）", "Heartbeat interval (s, 0 for none)"),
    ] = 120
    read_timeout_ms: Annotated[
        int, msgspec.Meta(ge=0, le=2000), label("网络读超时（毫秒）", "Network read time-out (ms)")
    ] = 0


def channel_faults(channel: Channel) -> Iterator[Fault]:
    """Between the fields of one channel."""
    if (kind := host_fault(channel.server)) is not None:
        yield fault("server", HOST_RULES[kind])
    if channel.heartbeat_interval_s and not channel.heartbeat:
        yield fault("heartbeat", "must be given unless heartbeat_interval_s is 0")
    try:
        packet_bytes(channel.heartbeat, channel.heartbeat_format)
    except ValueError as error:
        yield fault("heartbeat", str(error))


_read, _write = rows("channels", {field: (field,) for field in Channel.__struct_fields__})
GROUP = ParameterGroup(
    "channels",
    "网络通道",
    "Network channels",
    Channel,
    _read,
    _write,
    key=("name",),
    max_rows=MAX_CHANNELS,
    dependencies=channel_faults,
)
