"""Shapes of uploads."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel

from cloud.domains.files.kinds import FileKind

PREFIX = "/api/v1/file/"


class FileInfo(BaseModel):
    """A stored file. id: SHA-256 of its bytes. size: bytes. width, height: pixels, 0 for an svg."""

    id: str
    url: str
    kind: FileKind
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
