"""Options of a PLC that speaks frames 1E, and address of one of its points."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from edge_agent.config.model import Section
from edge_agent.protocols.base import label
from edge_agent.protocols.mc.fields import (
    Bit,
    Byte,
    DataCode,
    Encoding,
    Length,
    Offset,
    PcNumber,
    Timer,
)


class Options(Section, frozen=True, kw_only=True):
    """max_gap: words (bits: times 4) read along to save a request; timer: None, from response_timeout_ms."""

    code: DataCode = "binary"
    pc: PcNumber = 255
    timer: Timer | None = None
    max_words: Annotated[int, msgspec.Meta(ge=1, le=64), label("单次最大字数", "Words per request")] = 64
    max_bits: Annotated[int, msgspec.Meta(ge=1, le=256), label("单次最大位数", "Bits per request")] = 256
    max_gap: (
        Annotated[
            int, msgspec.Meta(ge=0, le=62), label("合并读取的最大间隔(字)", "Largest gap read along, words")
        ]
        | None
    ) = None
    encoding: Encoding = "utf-8"


class Address(Section, frozen=True, kw_only=True):
    """Of a point. offset: number as printed, X and Y in octal.

    bit: of a word, 0 lowest; byte: of an 8-bit type; length: bytes of a string, two in a word.
    """

    area: Annotated[
        Literal["X", "Y", "M", "S", "T", "C", "D", "R", "TV", "CV", "CN"], label("软元件", "Device")
    ]
    offset: Offset
    bit: Bit | None = None
    byte: Byte = "low"
    length: Length | None = None
