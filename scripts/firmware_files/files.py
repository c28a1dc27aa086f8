"""What scripts/firmware does with keys and files."""

from __future__ import annotations

import base64
import hashlib
import os
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from edge_agent.firmware.inspection import Trust
from edge_agent.firmware.inspection import verify as verified
from edge_contract.firmware import Manifest, UpgradeType, write_header

PART_BYTES = 1024 * 1024
MODE = 0o600
WHEEL_DATE = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Release:
    """What of a manifest does not follow from payload and key."""

    name: str = "edge-agent"
    models: Sequence[str] = field(default_factory=list)
    version: int = 1
    version_text: str = "1"
    security_version: int = 0
    upgrade_type: int = UpgradeType.PACKAGE
    min_agent: str = "0"


def make_key(key_id: str, folder: Path) -> str:
    """Write KEY_ID.key (PKCS 8 in PEM, which nobody takes for a public key), which must not be there; the
    line of [keys] in firmware.toml. Raises OSError.
    """
    key = Ed25519PrivateKey.generate()
    handle = os.open(folder / f"{key_id}.key", os.O_WRONLY | os.O_CREAT | os.O_EXCL, MODE)
    with os.fdopen(handle, "wb") as file:
        file.write(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return f'{key_id} = "{public_text(key)}"'


def public_text(key: Ed25519PrivateKey) -> str:
    """As firmware.toml has it."""
    return base64.b64encode(key.public_key().public_bytes_raw()).decode()


def read_key(path: Path) -> tuple[str, Ed25519PrivateKey]:
    """Key id and key. Raises OSError and ValueError."""
    key = load_pem_private_key(path.read_bytes(), password=None)
    if not isinstance(key, Ed25519PrivateKey):
        raise ValueError(f"{path} holds no Ed25519 key")
    return path.stem, key


def pack(wheels: Sequence[Path], out: Path) -> None:
    """A zip of wheels, the same bytes for the same wheels. Raises OSError."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for wheel in sorted(wheels, key=lambda path: path.name):
            archive.writestr(zipfile.ZipInfo(wheel.name, WHEEL_DATE), wheel.read_bytes())


def sign(payload: Path, key_file: Path, out: Path, release: Release) -> Manifest:
    """Write a file of firmware. Raises OSError and ValueError."""
    key_id, key = read_key(key_file)
    digest = hashlib.sha256()
    with payload.open("rb") as source:
        while part := source.read(PART_BYTES):
            digest.update(part)
    manifest = manifest_of(release, payload.stat().st_size, digest.hexdigest(), key_id)
    with payload.open("rb") as source, out.open("wb") as file:
        file.write(write_header(manifest, key.sign))
        while part := source.read(PART_BYTES):
            file.write(part)
    return manifest


def manifest_of(release: Release, size: int, sha256: str, key_id: str) -> Manifest:
    """Raises ValueError for a field that breaks its rule."""
    return msgspec.convert(
        {
            "name": release.name,
            "models": list(release.models),
            "version": release.version,
            "version_text": release.version_text,
            "security_version": release.security_version,
            "upgrade_type": int(release.upgrade_type),
            "size": size,
            "sha256": sha256,
            "min_agent": release.min_agent,
            "key_id": key_id,
        },
        type=Manifest,
    )


def verify(path: Path, public: Mapping[str, str]) -> Manifest:
    """public: keys in base64 by id. Raises FirmwareError, OSError and ValueError."""
    trust = Trust({key_id: base64.b64decode(text, validate=True) for key_id, text in public.items()})
    return verified(path, trust).manifest
