"""Shapes of keys and files of firmware. Times are UTC ms."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, StringConstraints

from cloud.domains.firmware.schemas import FirmwareFields

ReleaseName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")]


class FirmwareKeyBody(FirmwareFields):
    """public_key: Ed25519, 32 bytes in base64, as `scripts/firmware key` prints it."""

    key_id: ReleaseName
    public_key: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9+/]{43}=$")]


class FirmwareKeyRow(BaseModel):
    """is_own: you may delete it; others are of the installation or of who is above you. files: that it signed
    and you see; running: plans with these files that are under way, which pause without it.
    """

    id: int
    key_id: str
    public_key: str
    is_own: bool
    is_platform: bool
    user_name: str
    created_ms: int
    files: int
    running: int


class FirmwareFileRow(BaseModel):
    """A file. size: bytes of it; sha256: of the file; trusted: its key still counts for you. plans: that have
    it; gateways: that you see and that run it.
    """

    id: int
    file_name: str
    size: int
    sha256: str
    name: str
    models: list[str]
    version: int
    version_text: str
    security_version: int
    upgrade_type: int
    min_agent: str
    key_id: str
    trusted: bool
    plans: int
    gateways: int
    user_name: str
    created_ms: int
