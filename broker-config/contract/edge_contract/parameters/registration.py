"""Registration package: section registration. A channel sends it first on every connection."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec

from edge_contract.deployment import Fault
from edge_contract.parameters.model import ParameterGroup, Parameters, fault, label
from edge_contract.parameters.packets import MAX_PACKET, packet_bytes
from edge_contract.parameters.views import section


class Registration(Parameters, frozen=True, kw_only=True):
    """format: of content; gateway_id sends the serial number of the gateway and has no content."""

    enable: Annotated[bool, label("启用", "Enable")] = True
    format: Annotated[Literal["gateway_id", "text", "hex"], label("格式", "Format")] = "gateway_id"
    content: Annotated[str, msgspec.Meta(max_length=MAX_PACKET), label("注册包", "Registration package")] = ""


def registration_faults(registration: Registration) -> Iterator[Fault]:
    """Between its fields."""
    if registration.format == "gateway_id":
        if registration.content:
            yield fault("content", "must be empty for format gateway_id")
        return
    if not registration.content:
        yield fault("content", f"must be given for format {registration.format}")
    try:
        packet_bytes(registration.content, registration.format)
    except ValueError as error:
        yield fault("content", str(error))


_read, _write = section("registration", Registration.__struct_fields__)
GROUP = ParameterGroup(
    "registration",
    "注册包",
    "Registration package",
    Registration,
    _read,
    _write,
    dependencies=registration_faults,
)
