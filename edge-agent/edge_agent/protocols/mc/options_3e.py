"""Options of a PLC that speaks frames 3E, and address of one of its points."""

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
    """series: FX5 prints X and Y in octal, the others in hexadecimal. network, pc, module_io, station: the
    way to the PLC, the default is the one that is connected. max_words, max_bits: None, what the code allows.
    """

    series: Annotated[Literal["FX5", "Q", "L", "iQ-R"], label("PLC 系列", "PLC series")]
    code: DataCode = "binary"
    network: Annotated[int, msgspec.Meta(ge=0, le=255), label("网络号", "Network number")] = 0
    pc: PcNumber = 255
    module_io: Annotated[
        int, msgspec.Meta(ge=0, le=0xFFFF), label("请求目标模块 I/O 编号", "Module I/O number")
    ] = 0x03FF
    station: Annotated[int, msgspec.Meta(ge=0, le=255), label("请求目标站号", "Station number")] = 0
    timer: Timer | None = None
    max_words: (
        Annotated[int, msgspec.Meta(ge=1, le=960), label("单次最大字数", "Words per request")] | None
    ) = None
    max_bits: (
        Annotated[int, msgspec.Meta(ge=1, le=3584), label("单次最大位数", "Bits per request")] | None
    ) = None
    max_gap: (
        Annotated[
            int, msgspec.Meta(ge=0, le=958), label("合并读取的最大间隔(字)", "Largest gap read along, words")
        ]
        | None
    ) = None
    encoding: Encoding = "utf-8"


class Address(Section, frozen=True, kw_only=True):
    """Of a point. offset: number as printed, B W SB SW in hexadecimal, X and Y as the series has it.

    bit: of a word, 0 lowest; byte: of an 8-bit type; length: bytes of a string, two in a word.
    """

    area: Annotated[
        Literal[
            "X", "Y", "M", "L", "F", "B", "SB", "S", "SM", "T", "C", "D", "W", "SW", "SD", "R", "TV", "CV"
        ],
        label("软元件", "Device"),
    ]  # fmt: skip
    offset: Offset
    bit: Bit | None = None
    byte: Byte = "low"
    length: Length | None = None
