"""Shapes of tunnels. Times are UTC milliseconds."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from edge_contract.tunnel import LONGEST_S


class VcomBody(BaseModel):
    """Port of the gateway's configuration. Serial settings that are left out stay as the port has them,
    or, where others are given, at 9600 8N1."""

    port: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")
    mode: Literal["rfc2217", "raw"] = "rfc2217"
    baud: int | None = Field(default=None, ge=300, le=921_600)
    parity: Literal["N", "O", "E"] | None = None
    data_bits: Literal[7, 8] | None = None
    stop_bits: Literal[1, 2] | None = None
    idle_s: int = Field(default=600, ge=5, le=LONGEST_S)
    longest_s: int = Field(default=3600, ge=5, le=LONGEST_S)


class VcomTunnel(BaseModel):
    """Where to connect, within a minute and from the address that asked."""

    lease: str
    host: str
    port: int
    expires_ms: int


class TunnelRow(BaseModel):
    """A tunnel, open or past. ended_ms: None while it is open; why, detail: what ended it."""

    lease: str
    port: str
    mode: str
    user: str
    address: str
    opened_ms: int
    expires_ms: int
    ended_ms: int | None
    why: str
    detail: str
    bytes_to_gateway: int
    bytes_from_gateway: int


class GatewayTunnel(TunnelRow):
    """A tunnel in a list of all gateways."""

    device_id: int
    device_title: str
    gateway_id: str


class ProxyState(BaseModel):
    """The way to a gateway's page. url: to be opened once, given to whoever opened it; empty otherwise."""

    open: bool
    lease: str = ""
    url: str = ""
    user: str = ""
    expires_ms: int | None = None
