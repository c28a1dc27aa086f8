"""A file of firmware as it lies on this machine: read in parts, checked, and what a gateway would refuse."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from edge_contract.firmware import (
    MAX_HEADER_BYTES,
    FirmwareError,
    FirmwareHeader,
    FirmwareTarget,
    PayloadCheck,
    check_signature,
    read_header,
    refusals,
)

PART_BYTES = 256 * 1024


@dataclass(frozen=True)
class Trust:
    """Public keys by id."""

    keys: Mapping[str, bytes]

    def verify(self, key_id: str, signed: bytes, signature: bytes) -> bool:
        """Whether a signature over bytes is of this key."""
        try:
            Ed25519PublicKey.from_public_bytes(self.keys[key_id]).verify(signature, signed)
        except InvalidSignature:
            return False
        return True

    def check(self, header: FirmwareHeader) -> None:
        """Raises FirmwareError."""
        check_signature(header, self.keys.keys(), self.verify)


@dataclass
class Inspection:
    """What is known of a file. signature: valid, refused, or unknown without keys to compare it with.

    faults: of the file itself and of its signature; refused: by this gateway.
    """

    size: int = 0
    sha256: str = ""
    header: FirmwareHeader | None = None
    signature: str = "unknown"
    faults: list[FirmwareError] = field(default_factory=list)
    refused: list[FirmwareError] = field(default_factory=list)


def header_of(path: Path) -> FirmwareHeader:
    """Raises FirmwareError and OSError."""
    with path.open("rb") as file:
        return read_header(file.read(MAX_HEADER_BYTES))


def payload_parts(path: Path, header: FirmwareHeader) -> Iterator[bytes]:
    """Raises OSError."""
    with path.open("rb") as file:
        file.seek(header.size)
        while part := file.read(PART_BYTES):
            yield part


def verify(path: Path, trust: Trust) -> FirmwareHeader:
    """Header, signature and payload. Raises FirmwareError and OSError."""
    header = header_of(path)
    trust.check(header)
    check = PayloadCheck(header.manifest)
    for part in payload_parts(path, header):
        check.update(part)
    check.finish()
    return header


def file_digest(path: Path) -> str:
    """SHA-256 of a file. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def inspect(path: Path, trust: Trust | None, target: FirmwareTarget | None) -> Inspection:
    """Everything that is wrong, not only the first; nothing is changed. Raises OSError."""
    report = Inspection(path.stat().st_size, file_digest(path))
    try:
        report.header = header = header_of(path)
    except FirmwareError as error:
        report.faults.append(error)
        return report
    if trust is not None:
        try:
            trust.check(header)
            report.signature = "valid"
        except FirmwareError as error:
            report.signature = "refused"
            report.faults.append(error)
    check = PayloadCheck(header.manifest)
    try:
        for part in payload_parts(path, header):
            check.update(part)
        check.finish()
    except FirmwareError as error:
        report.faults.append(error)
    if target is not None:
        report.refused = refusals(header.manifest, target)
    return report
