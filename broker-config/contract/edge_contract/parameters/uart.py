"""Serial lines: the rows of section ports whose type is COM. How often they are polled is no part of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

import msgspec

from edge_contract.deployment import Fault
from edge_contract.parameters.model import ParameterGroup, Parameters, RowName, fault, label
from edge_contract.parameters.views import rows


class Uart(Parameters, frozen=True, kw_only=True):
    """read_timeout_ms: silence that ends a packet of a network channel on this line."""

    name: Annotated[RowName, label("名称", "Name")]
    enable: Annotated[bool, label("启用", "Enable")] = True
    device: Annotated[str, label("串口设备", "Serial device")]
    baud: Annotated[int, msgspec.Meta(ge=300, le=921_600), label("波特率", "Baud rate")] = 9600
    parity: Annotated[Literal["N", "O", "E"], label("校验位", "Parity")] = "N"
    data_bits: Annotated[Literal[7, 8], label("数据位", "Data bits")] = 8
    stop_bits: Annotated[Literal[1, 2], label("停止位", "Stop bits")] = 1
    min_interval_ms: Annotated[
        int, msgspec.Meta(ge=0, le=10_000), label("请求最小间隔（毫秒）", "Pause between requests (ms)")
    ] = 5
    read_timeout_ms: Annotated[
        int, msgspec.Meta(ge=10, le=2000), label("串口读超时（毫秒）", "UART read time-out (ms)")
    ] = 25


def _dependencies(line: Uart) -> Iterator[Fault]:
    if not line.device or "\0" in line.device:
        yield fault("device", "must be given for a COM port, such as /dev/ttyS1")


def _between(lines: Sequence[Uart]) -> Iterator[Fault]:
    first: dict[str, str] = {}
    for at, line in enumerate(lines):
        if line.enable and first.setdefault(line.device, line.name) != line.name:
            yield fault(f"[{at}].device", f"must not be the device of {first[line.device]} too")


_read, _write = rows("ports", {field: (field,) for field in Uart.__struct_fields__}, {"type": "COM"})
GROUP = ParameterGroup(
    "uart",
    "串口",
    "Serial lines (UART)",
    Uart,
    _read,
    _write,
    key=("name",),
    max_rows=1000,
    dependencies=_dependencies,
    between=_between,
)
