"""What the linkages of an alarm did. Times are UTC milliseconds."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import BaseModel

from cloud.domains.devices.schemas import ValueFacts

Scalar = float | int | bool | str | None


class LinkageState(StrEnum):
    """Of a linkage. DONE: its writes say what came of each; REFUSED: nothing was written; LEFT_OUT:
    the rule's linkages rested, because they wrote too often; UNREPORTED: nothing is known of it (yet).
    """

    WAITING = "waiting"
    DONE = "done"
    REFUSED = "refused"
    LEFT_OUT = "left_out"
    UNREPORTED = "unreported"


class WriteState(StrEnum):
    """Of a write: as its linkage's, or what came of it. UNKNOWN: it may have been carried out."""

    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"
    UNKNOWN = "unknown"
    REFUSED = "refused"
    LEFT_OUT = "left_out"
    UNREPORTED = "unreported"


class LinkageWriteRow(BaseModel):
    """A write to a point. result_value: what was read back; code: why it is not done, as of commands; at_ms:
    when it ended or, before that, began; null when it was not made. command_id: in the command log.
    """

    dsid: int | None
    device_id: int
    device_title: str
    slave_title: str
    ds_title: str
    point: ValueFacts | None
    value: Scalar
    result_value: Scalar
    state: WriteState
    code: str
    at_ms: int | None
    command_id: str | None


class AlarmLinkage(BaseModel):
    """A preset that an alarm, or its end, had carried out. trigger: what the trigger was called then, which
    may have another name or be deleted by now; empty when that was not noted. preset_title: empty when it is
    gone or not yours to see. at_ms: when it was due, or at the gateway ended. problem: why nothing was
    written, as of LinkageRow.

    writes: the first 100; of what was not carried out those that its preset has, unless it is another one by
    now. more: how many others there are; hidden: writes to gateways that you do not see.
    """

    on: Literal["raised", "cleared"]
    trigger: str
    preset_id: int
    preset_title: str
    at_ms: int
    at_gateway: bool
    state: LinkageState
    problem: str
    writes: list[LinkageWriteRow]
    more: int
    hidden: int
