"""Fields that the options and addresses of both frame types share, with the words of their forms."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from edge_agent.protocols.base import label

DataCode = Annotated[Literal["binary", "ascii"], label("通信数据代码", "Data code")]
PcNumber = Annotated[int, msgspec.Meta(ge=0, le=255), label("PC 号", "PC number")]
Timer = Annotated[int, msgspec.Meta(ge=1, le=240), label("监视定时器(250ms)", "Monitoring timer, 250 ms")]
Encoding = Annotated[Literal["utf-8", "gb18030", "shift_jis"], label("字符编码", "Character encoding")]

PrintedNumber = (
    Annotated[int, msgspec.Meta(ge=0, le=16_777_215)]
    | Annotated[str, msgspec.Meta(pattern=r"^[0-9A-Fa-f]{1,6}$(?!\n)")]
)
Offset = Annotated[PrintedNumber, label("软元件编号", "Device number")]
Bit = Annotated[int, msgspec.Meta(ge=0, le=15), label("位偏移", "Bit")]
Byte = Annotated[Literal["low", "high"], label("8 位类型取低/高字节", "Byte of an 8-bit type")]
Length = Annotated[int, msgspec.Meta(ge=1, le=1920), label("字符串字节数", "Bytes of a string")]
