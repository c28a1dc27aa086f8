"""Shapes of commands and presets. Times are UTC milliseconds."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints, model_validator

from cloud.core.secret import Secret

Scalar = float | int | bool | str | None
Number = Annotated[int, Field(ge=1, le=2**31 - 1)]

RequestId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{8,64}$")]
"""Made by the client for one request; who repeats it gets what the first one made."""

MAX_WRITES = 200
"""Of a batch or a preset."""

ONE_OF = "exactly one of dsid, batch and preset_id"


class Write(BaseModel):
    """A value for a data point."""

    dsid: Number
    value: Scalar


class CommandBody(BaseModel):
    """One of: dsid with action (W writes value, R reads the point now); batch; preset_id.

    The writes of a batch or preset are sent all or, when one of them breaks a rule, not at all, and the
    gateway carries those of one slave out in this order. wait: keep it for an offline gateway.
    password: the gateway's access password, where it has one. request_id: made by the client; a request
    that comes again with it (a retry, a second press) sends nothing and gets what the first one made.
    """

    dsid: Number | None = None
    action: Literal["W", "R"] = "W"
    value: Scalar = None
    batch: Annotated[list[Write], Field(min_length=1, max_length=MAX_WRITES)] | None = None
    preset_id: Number | None = None
    expires_s: int = Field(default=20, ge=1, le=300)
    wait: bool = False
    password: Annotated[str, Secret()] | None = None
    request_id: RequestId | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> CommandBody:
        if sum(given is not None for given in (self.dsid, self.batch, self.preset_id)) != 1:
            raise ValueError(ONE_OF)
        return self


class CommandRef(BaseModel):
    """What was taken. id: the command, of a batch the first one; status: that command's, when answered.

    repeated: the request came before, and nothing was sent now.
    """

    id: str
    status: str
    batch_id: str | None = None
    ids: list[str] = []
    repeated: bool = False


class CommandTarget(BaseModel):
    """Whom a command was for, as things were called then. point and ds_title: of a read or write."""

    gateway_id: str
    device_title: str
    slave: str | None = None
    slave_title: str = ""
    point: str | None = None
    ds_title: str = ""
    unit: str = ""


OriginFilter = Literal["people", "trigger", "exchange", "task"]
"""What commands come from. people: requests of somebody, not of the cloud itself."""


class CommandOrigin(BaseModel):
    """The trigger whose linkage wrote, the rule of data exchange or the timed task, as it was called then;
    title: empty when that is not known.
    """

    kind: Literal["trigger", "exchange", "task"]
    id: int
    title: str


class CommandStatus(BaseModel):
    """create, send, then resp, fail, networkError, notAuthorized or error.

    result_value: what the gateway read back; result_values: of a try, outputs and state by name; code and
    detail: why it failed, in the gateway's words.
    dsid: None when action is one of the gateway itself. address: where the request came from; origin: the
    rule that it came from, null for a request of somebody; sent_ms: null of what a gateway wrote by itself.
    outcome: what is known of the effect, empty while it waits: done; failed; unknown, it may have been
    carried out; settled_written and settled_other, it was unknown until result_value was read at seen_ms.
    """

    id: str
    status: str
    device_id: int
    dsid: int | None
    action: str
    slave: str | None = None
    arguments: dict[str, Scalar] | None = None
    value: Scalar
    result_value: Scalar
    result_values: dict[str, Scalar] | None = None
    quality: int | None
    latency_ms: int | None
    code: str
    detail: str
    created_ms: int
    sent_ms: int | None
    finished_ms: int | None
    user: str
    address: str = ""
    batch_id: str | None = None
    preset_id: int | None = None
    outcome: str = ""
    seen_ms: int | None = None
    target: CommandTarget | None = None
    origin: CommandOrigin | None = None


class BatchStatus(BaseModel):
    """How far a batch is. counts: commands by status; finished: those in a final one; outcomes: of these."""

    batch_id: str
    total: int
    finished: int
    counts: dict[str, int]
    outcomes: dict[str, int] = {}


class SignalStrength(BaseModel):
    """csq of a gateway's modem, 0 to 31, 99 unknown; None while, or because, there is no answer."""

    id: str
    status: str
    code: str
    value: int | None


class PresetBody(BaseModel):
    """A preset command: writes in the order of execution."""

    title: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=64, pattern=r"^[^\x00]*$")
    ]
    writes: list[Write] = Field(min_length=1, max_length=MAX_WRITES)


class PresetWrite(Write):
    """problem: why the write cannot be carried out now, as field and rule; empty when it can."""

    problem: str = ""


class NamedPreset(BaseModel):
    """A preset and its gateway, in words."""

    id: int
    title: str
    device_id: int
    device_title: str


class Preset(BaseModel):
    """A preset command of a gateway."""

    id: int
    title: str
    writes: list[PresetWrite]
    changed_ms: int
    user: str
