"""Shapes of the portal's looks by host name."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

MAX_CAROUSEL = 8
DEFAULT = "default"
"""The entry of every host name that has none of its own."""

HOST = r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?){0,15}$"
"""Lower case, punycode for other scripts; also an IPv4 address; without a port."""

Text = Annotated[str, Field(max_length=100, pattern=r"^[^\x00-\x1f]*$")]
LongText = Annotated[str, Field(max_length=200, pattern=r"^[^\x00-\x1f]*$")]
FileUrl = Annotated[str, Field(pattern=r"^(|/api/v1/file/[0-9a-f]{64})$")]
CarouselUrl = Annotated[str, Field(pattern=r"^/api/v1/file/[0-9a-f]{64}$")]


class Looks(BaseModel):
    """What can be set. "" for the portal's own. Pictures: addresses of uploads. demo: offer demo sign-in."""

    model_config = ConfigDict(extra="forbid")

    platform_title: Text = ""
    browser_title: Text = ""
    tkloc: LongText = ""
    icp: Text = ""
    logo: FileUrl = ""
    background: FileUrl = ""
    carousel: list[CarouselUrl] = Field(default=[], max_length=MAX_CAROUSEL)
    demo: bool = False


class CustomizeInfo(Looks):
    """What the portal shows at a host name. demo: whether the demo sign-in works here."""

    domain: str


class CustomizeRow(Looks):
    """A stored entry. changed_ms: UTC milliseconds."""

    domain: str
    changed_ms: int
    user_name: str
