"""Shapes of uploads."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel

from cloud.domains.files.kinds import Kind

PREFIX = "/api/v1/file/"


class FileInfo(BaseModel):
    """What was kept. id: SHA-256 of its bytes. size: bytes. width, height: pixels, 0 for an svg."""

    id: str
    url: str
    kind: Kind
    form: str
    size: int
    width: int
    height: int


@dataclass(frozen=True)
class Content:
    """A file to send."""

    data: bytes
    media_type: str
    public: bool
