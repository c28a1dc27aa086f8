"""Options of an S7-200 over PPI, and the kinds of option that it has in common with the others."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from edge_agent.config.model import Section
from edge_agent.protocols.base import label

Encoding = Annotated[Literal["utf-8", "gb18030", "latin-1"], label("字符编码", "Character encoding")]
MaxGap = Annotated[
    int, msgspec.Meta(ge=0, le=200), label("合并读取的最大间隔(字节)", "Largest gap read along, bytes")
]
AreaCode = Annotated[int, msgspec.Meta(ge=1, le=255), label("S 区代码", "Code of area S")]


class Options(Section, frozen=True, kw_only=True):
    """master: this gateway's own station address. s_area: 4 by most sources, 3 by others."""

    master: Annotated[int, msgspec.Meta(ge=0, le=126), label("主站地址", "Master address")] = 0
    max_gap: MaxGap | None = None
    encoding: Encoding = "latin-1"
    s_area: AreaCode = 4
