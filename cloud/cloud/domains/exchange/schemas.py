"""Shapes of exchange rules. Times are UTC milliseconds."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from cloud.core.gateway_work import HomeKind
from cloud.domains.devices.schemas import ValueFacts

Scalar = float | int | bool | str | None
Number = Annotated[int, Field(ge=1, le=2**31 - 1)]
Finite = Annotated[float, Field(allow_inf_nan=False, ge=-1e12, le=1e12)]

LONGEST_S = 86_400


class ExchangeBody(BaseModel):
    """A rule. every_s: 0 sends each change, else at most one value in so many seconds."""

    model_config = ConfigDict(extra="forbid")

    title: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100, pattern=r"^[^\x00]*$")
    ]
    source_dsid: Number
    target_dsid: Number
    ratio: Finite = 1
    bias: Finite = 0
    every_s: Annotated[int, Field(ge=0, le=LONGEST_S)] = 0
    enabled: bool = True


class ExchangePoint(ValueFacts):
    """An end of a rule, in words."""

    device_id: int
    device_title: str
    gateway_id: str
    slave_title: str
    dsid: int
    ds_name: str
    ds_title: str


class ExchangeRow(BaseModel):
    """A rule. status: of the newest command (create, send, resp, fail ...), empty before the first.

    problem: why the newest value became no command, as a code: no_right, no_user, not_a_number,
    not_a_position, not_a_text, refused, access_password. granted_ms, granted_user: who gave the access
    password of the target's gateway, and when.

    home: where it runs: cloud, gateway, or moving (nobody runs it until its gateway has confirmed).
    home_reason: why it is the cloud, as a code: two_gateways, unsupported (its gateway cannot), limit
    (more than a gateway takes), unconfirmed, command_open (until its newest command has ended), no_right,
    no_user, access_password, or the gateway's no_such_slave, no_such_point, read_only, unfit, other; empty of
    a rule that nobody has looked at yet. A problem at a gateway may be slave_offline too.
    """

    id: int
    title: str
    enabled: bool
    source: ExchangePoint
    target: ExchangePoint
    ratio: float
    bias: float
    every_s: int
    created_ms: int
    last_ms: int | None
    last_value: Scalar
    status: str
    outcome: str = ""
    problem: str
    home: HomeKind
    home_reason: str
    granted_ms: int | None = None
    granted_user: str = ""
