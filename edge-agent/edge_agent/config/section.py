"""What every part of the configuration is made of: its base, names, and the words of a form."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from edge_contract.limits import MAX_POSITION_TEXT, MAX_TEXT

Name = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{1,64}$(?!\n)")]
PointName = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_]{1,64}$(?!\n)")]
Title = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
LongTitle = Annotated[str, msgspec.Meta(max_length=MAX_TEXT)]
PositionText = Annotated[str, msgspec.Meta(max_length=MAX_POSITION_TEXT)]
TcpPort = Annotated[int, msgspec.Meta(ge=1, le=65535)]


class Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of every part of the configuration."""


def label(zh: str, en: str, *, secret: bool = False) -> msgspec.Meta:
    """Words of a configuration form for one field. secret: its value is not shown to every reader."""
    marks: dict[str, Any] = {"x-label": {"zh": zh, "en": en}}
    return msgspec.Meta(extra_json_schema=marks | ({"x-secret": True} if secret else {}))
