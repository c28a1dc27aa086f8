"""4G of the machine and its routing: section mobile. Without it the gateway leaves its modem alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec

from edge_contract.deployment import Fault
from edge_contract.parameters.model import ParameterGroup, Parameters, fault, label
from edge_contract.parameters.views import section

Apn = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9.-]{0,100}$(?!\n)")]
"""Name of an access point (3GPP TS 23.003, 9.1), empty for the one of the card."""


class Mobile(Parameters, frozen=True, kw_only=True):
    """routing: devices on the other interfaces reach the network through it."""

    enable: Annotated[bool, label("启用 4G", "Enable 4G")] = True
    apn: Annotated[Apn, label("APN", "APN")] = ""
    authentication: Annotated[Literal["none", "pap", "chap"], label("认证方式", "Authentication")] = "none"
    username: Annotated[str, msgspec.Meta(max_length=64), label("用户名", "Username")] = ""
    password: Annotated[str, msgspec.Meta(max_length=64), label("密码", "Password", secret=True)] = ""
    routing: Annotated[bool, label("4G 路由", "4G routing")] = False


def mobile_faults(mobile: Mobile) -> Iterator[Fault]:
    """Between its fields."""
    if mobile.routing and not mobile.enable:
        yield fault("routing", "needs enable")
    if mobile.authentication == "none":
        for name in ("username", "password"):
            if getattr(mobile, name):
                yield fault(name, "must be left out without authentication")
    elif not mobile.username:
        yield fault("username", f"must be given for authentication {mobile.authentication}")


_read, _write = section("mobile", Mobile.__struct_fields__)
GROUP = ParameterGroup(
    "mobile", "4G 与路由", "4G and routing", Mobile, _read, _write, dependencies=mobile_faults
)
