"""What a file says of a platform: its stations, what it refuses and how, what it requests. Pure."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

import msgspec

from edge_agent.forwarding.hj212.crc import CrcVariant
from edge_agent.forwarding.hj212.profile import Tolerance
from edge_agent.forwarding.hj212.sm4 import CipherForm

PLATFORM, UNKNOWN = "platform", "unknown"
"""What faults are put on besides stations: everything, and answers to packets of no station."""

EXPECTATION = "^((done|failed|refused)( [0-9]{1,3})?|no_answer|no_result|not_connected)$"
Seconds = Annotated[float, msgspec.Meta(gt=0, le=86_400)]
Minutes = Annotated[int, msgspec.Meta(ge=1, le=1440)]


class Reaction(StrEnum):
    """To a packet that is refused. ANSWER: 9011 with the QnRtn of what is wrong, whatever the packet was."""

    SILENT = "silent"
    ANSWER = "answer"
    CLOSE = "close"


class Reactions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """By what is wrong with a packet. other: what QnRtn has no number of its own for."""

    crc: Reaction = Reaction.SILENT
    mn: Reaction = Reaction.SILENT
    pw: Reaction = Reaction.SILENT
    st: Reaction = Reaction.SILENT
    flag: Reaction = Reaction.SILENT
    qn: Reaction = Reaction.SILENT
    cn: Reaction = Reaction.SILENT
    other: Reaction = Reaction.SILENT


class RequestEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request of a station. items: the area as text; {now} and {now-SECONDS} stand for times of 14 digits,
    {stamp} and {stamp-SECONDS} for such of 17.

    every_s: how often it is made; without it once for each connection of the station.
    """

    cn: Annotated[str, msgspec.Meta(pattern="^[0-9]{4}$")]
    items: str = ""
    every_s: Seconds | None = None


class ScriptStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One step of a station's script: a request (cn), an upload that must come (upload), or a fault alone.

    at_s: not before so many seconds since the script began, which is when the station is connected first.
    fault: on the station; of a request until it has ended or for fault_s, else until another step's. expect:
    outcome of the request, and behind a blank QnRtn or ExeRtn; records: that it fetches at least; reply: is
    within an area that answers it. within_s: for the upload, from the begin of the step.
    """

    cn: Annotated[str, msgspec.Meta(pattern="^[0-9]{4}$")] | None = None
    items: str = ""
    upload: Annotated[str, msgspec.Meta(pattern="^[0-9]{4}$")] | None = None
    fault: str | None = None
    fault_s: Seconds | None = None
    at_s: Annotated[float, msgspec.Meta(ge=0, le=86_400)] = 0.0
    within_s: Seconds = 60.0
    expect: Annotated[str, msgspec.Meta(pattern=EXPECTATION)] = "done"
    records: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 0
    reply: str = ""

    @property
    def request(self) -> RequestEntry | None:
        """What it requests."""
        return None if self.cn is None else RequestEntry(self.cn, self.items)


class StationEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One data logger as the platform knows it.

    also_st: of its uploads besides st; minute_interval: minutes of its 2051, for gaps. key: of SM4 (2025), 16
    characters or 32 hexadecimal digits; new_key: given when it asks with 1014. logger_id: what it says with
    1001 before it has an MN, which it is then given with 1002. script: steps one after the other.
    """

    name: Annotated[str, msgspec.Meta(pattern="^[a-z][a-z0-9_]{0,31}$")]
    version: Literal["2005", "2017", "2025"]
    mn: str
    st: str
    pw: str
    also_st: list[str] = []
    crc: CrcVariant = CrcVariant.STANDARD
    tolerances: list[Tolerance] = []
    minute_interval: Minutes = 10
    key: str | None = None
    new_key: str | None = None
    cipher_form: CipherForm = CipherForm.RAW
    crc_over_cipher: bool = False
    logger_id: str | None = None
    requests: Annotated[list[RequestEntry], msgspec.Meta(max_length=64)] = []
    script: Annotated[list[ScriptStep], msgspec.Meta(max_length=500)] = []


class PlatformDescription(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file. over_time_s, re_count: wait for 9011 or 9013, and how often a request is sent again without
    one (table 1); result_time_s: wait for 9012 after each sign of progress; max_packets: that are stored,
    older ones give way; max_segment: bytes where it is not the standard's.
    """

    stations: Annotated[list[StationEntry], msgspec.Meta(min_length=1, max_length=10_000)]
    refusals: Reactions = Reactions()
    over_time_s: Seconds = 10.0
    re_count: Annotated[int, msgspec.Meta(ge=0, le=99)] = 3
    result_time_s: Seconds = 60.0
    max_packets: Annotated[int, msgspec.Meta(ge=100, le=10_000_000)] = 1_000_000
    max_segment: Annotated[int, msgspec.Meta(ge=128, le=9999)] | None = None
