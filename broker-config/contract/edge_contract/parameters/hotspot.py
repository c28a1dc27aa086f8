"""WiFi hotspot of the machine: section hotspot. Without it the gateway leaves its WiFi alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import msgspec

from edge_contract.deployment import Fault
from edge_contract.parameters.model import ParameterGroup, Parameters, fault, label
from edge_contract.parameters.views import section

MAX_SSID_BYTES = 32
"""IEEE 802.11-2020, 9.4.2.2."""


class Hotspot(Parameters, frozen=True, kw_only=True):
    """password: of WPA2-PSK, 8 to 63 printable ASCII characters. channel: in 2.4 GHz, 0 chooses one."""

    enable: Annotated[bool, label("启用热点", "Enable the hotspot")] = True
    ssid: Annotated[str, msgspec.Meta(max_length=32), label("热点名称", "SSID")] = ""
    password: Annotated[
        str, msgspec.Meta(pattern=r"^([ -~]{8,63})?$(?!\n)"), label("热点密码", "Password", secret=True)
    ] = ""
    channel: Annotated[int, msgspec.Meta(ge=0, le=13), label("信道（0 自动）", "Channel (0 chooses one)")] = 0


def hotspot_faults(hotspot: Hotspot) -> Iterator[Fault]:
    """Between its fields."""
    if len(hotspot.ssid.encode()) > MAX_SSID_BYTES:
        yield fault("ssid", f"must have at most {MAX_SSID_BYTES} bytes in UTF-8")
    if not hotspot.enable:
        return
    if not hotspot.ssid:
        yield fault("ssid", "must be given for a hotspot that is enabled")
    if not hotspot.password:
        yield fault("password", "must be given for a hotspot that is enabled")


_read, _write = section("hotspot", Hotspot.__struct_fields__)
GROUP = ParameterGroup(
    "hotspot", "WiFi 热点", "WiFi hotspot", Hotspot, _read, _write, dependencies=hotspot_faults
)
