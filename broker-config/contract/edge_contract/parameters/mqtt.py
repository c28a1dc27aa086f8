"""A third-party MQTT platform: the rows of section forwarders whose kind is mqtt. The password is set on the
gateway and never stands in a document.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec

from edge_contract.deployment import Fault
from edge_contract.parameters.model import ParameterGroup, Parameters, RowName, TcpPort, fault, label
from edge_contract.parameters.views import rows
from edge_contract.targets import MAX_TARGETS

Topic = Annotated[str, msgspec.Meta(max_length=300)]


class Variable(Parameters, frozen=True, kw_only=True):
    """One value at the platform: its name there, slave.point here."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=128), label("变量名", "Variable")]
    point: Annotated[str, msgspec.Meta(min_length=1, max_length=129), label("数据点", "Data point")]
    write: Annotated[bool, label("平台可写", "Writable by the platform")] = False


class MqttPlatform(Parameters, frozen=True, kw_only=True):
    """format: NV lists of name and value, KV an object. variables: none means every point."""

    name: Annotated[RowName, label("名称", "Name")]
    enable: Annotated[bool, label("启用", "Enable")] = True
    server: Annotated[str, msgspec.Meta(max_length=253), label("平台地址", "Server")]
    port: Annotated[TcpPort, label("端口", "Port")] | None = None
    tls: Annotated[Literal["verify", "none"], label("TLS", "TLS")] = "verify"
    ca_file: (
        Annotated[str, msgspec.Meta(min_length=1, max_length=300), label("CA 证书文件", "CA file")] | None
    ) = None
    client_id: Annotated[
        str, msgspec.Meta(min_length=1, max_length=256), label("客户端标识", "Client id")
    ] = "{gateway}-{target}"
    username: Annotated[str, msgspec.Meta(max_length=256), label("用户名", "Username")] = ""
    keep_alive_s: Annotated[int, msgspec.Meta(ge=10, le=3600), label("保活时间（秒）", "Keep-alive (s)")] = 60
    clean_session: Annotated[bool, label("清除会话", "Clean session")] = True
    format: Annotated[Literal["NV", "KV"], label("主题格式", "Topic format")] = "NV"
    up_topic: Annotated[Topic, label("上行主题", "Up topic")]
    down_topic: Annotated[Topic, label("下行主题", "Down topic")] = ""
    result_topic: Annotated[Topic, label("结果主题", "Result topic")] = ""
    variables: Annotated[
        tuple[Variable, ...], msgspec.Meta(max_length=20_000), label("变量对应", "Variables")
    ] = ()
    send: Annotated[Literal["samples", "changes", "interval"], label("发送方式", "Send")] = "samples"
    interval_s: Annotated[int, msgspec.Meta(ge=1, le=86_400), label("发送间隔（秒）", "Interval (s)")] = 60
    bad_values: Annotated[Literal["null", "omit"], label("无效值", "Bad values")] = "null"
    qos: Annotated[Literal[1, 2], label("QoS", "QoS")] = 1
    max_message_bytes: Annotated[
        int, msgspec.Meta(ge=1000, le=1_000_000), label("报文最大字节数", "Largest message (bytes)")
    ] = 60_000


def _dependencies(target: MqttPlatform) -> Iterator[Fault]:
    writes = any(variable.write for variable in target.variables)
    if target.ca_file is not None and target.tls == "none":
        yield fault("ca_file", "must not be given without TLS")
    if writes and not target.down_topic:
        yield fault("down_topic", "must be given, a variable has write = true")
    if target.down_topic and not writes:
        yield fault("down_topic", "must be empty unless a variable has write = true")
    if target.result_topic and not target.down_topic:
        yield fault("result_topic", "must be empty without down_topic")
    points = [variable.point for variable in target.variables]
    seen: set[str] = set()
    for at, point in enumerate(points):
        if point in seen:
            yield fault(f"variables[{at}].point", f"must be unique, {point} stands there twice")
        seen.add(point)


_BESIDE_OPTIONS = ("name", "enable")
_read, _write = rows(
    "forwarders",
    {
        field: (field,) if field in _BESIDE_OPTIONS else ("options", field)
        for field in MqttPlatform.__struct_fields__
    },
    {"kind": "mqtt"},
)
GROUP = ParameterGroup(
    "mqtt",
    "第三方 MQTT 平台",
    "Third-party MQTT platform",
    MqttPlatform,
    _read,
    _write,
    key=("name",),
    max_rows=MAX_TARGETS,
    dependencies=_dependencies,
)
