"""Firmware of gateways: the file that carries it, and whether a gateway takes it (C-200 to C-203). Pure.

    magic (8)  length of the manifest (4, big-endian)  manifest (canonical JSON)  signature (64)  payload

The signature is Ed25519 (RFC 8032) over every byte before it, the payload's size and SHA-256 are in the
manifest, and a file ends with its payload: no bit of it can be another one without being noticed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Annotated

import msgspec

from edge_contract.errors import ContractError
from edge_contract.fields import Hash
from edge_contract.limits import MAX_FIRMWARE_BYTES, MAX_MANIFEST_BYTES

MAGIC = b"EDGEFW1\n"
LENGTH_BYTES = 4
PREFIX_BYTES = len(MAGIC) + LENGTH_BYTES
SIGNATURE_BYTES = 64
MAX_HEADER_BYTES = PREFIX_BYTES + MAX_MANIFEST_BYTES + SIGNATURE_BYTES

ReleaseName = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$(?!\n)")]
VersionNumber = Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]
VersionText = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.+-]{0,39}$(?!\n)")]
AgentVersion = Annotated[str, msgspec.Meta(pattern=r"^\d{1,6}(\.\d{1,6}){0,3}$(?!\n)")]
SecurityVersion = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]


class UpgradeType(IntEnum):
    """What the payload is. The numbers are part of the contract."""

    PACKAGE = 1  # wheels of the agent, a zip of them
    IMAGE = 2  # the complete content of a slot


class FirmwareRefusal(StrEnum):
    """Why a gateway does not take firmware."""

    FORMAT = "format"
    KEY = "key"  # it trusts no key of this name
    SIGNATURE = "signature"
    SIZE = "size"
    HASH = "hash"
    NAME = "name"
    MODEL = "model"
    TYPE = "upgrade_type"
    OLDER = "older"
    SECURITY = "security_version"
    AGENT = "min_agent"


class FirmwareError(ContractError):
    """A file of firmware cannot be taken. code: for programs."""

    def __init__(self, code: FirmwareRefusal, field: str, rule: str) -> None:
        super().__init__(field, rule)
        self.code = code


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is signed. version: rises with every release (0 is what a gateway was delivered with).

    security_version: rises when an older release must never run again; no order overrides it.
    min_agent: the oldest agent that can install it.
    """

    name: ReleaseName
    models: Annotated[list[ReleaseName], msgspec.Meta(min_length=1, max_length=64)]
    version: VersionNumber
    version_text: VersionText
    security_version: SecurityVersion
    upgrade_type: UpgradeType
    size: Annotated[int, msgspec.Meta(ge=1, le=MAX_FIRMWARE_BYTES)]
    sha256: Hash
    min_agent: AgentVersion
    key_id: ReleaseName


@dataclass(frozen=True)
class FirmwareHeader:
    """All of a file before its payload. signed: what the signature is over; size: in bytes."""

    manifest: Manifest
    signed: bytes
    signature: bytes

    @property
    def size(self) -> int:
        """Bytes before the payload."""
        return len(self.signed) + SIGNATURE_BYTES

    @property
    def file_size(self) -> int:
        """Bytes of the file."""
        return self.size + self.manifest.size


@dataclass(frozen=True)
class FirmwareTarget:
    """The gateway that is to take it. version 0: as it was delivered. security_version: the highest that was
    ever confirmed on it.
    """

    name: str
    model: str
    version: int
    security_version: int
    agent: str
    upgrade_types: Collection[int]


def canonical_manifest(manifest: Manifest) -> bytes:
    """JSON with sorted names and without blanks."""
    return msgspec.json.encode(manifest, order="sorted")


def write_header(manifest: Manifest, sign: Callable[[bytes], bytes]) -> bytes:
    """The bytes before the payload. sign: Ed25519 by the key that the manifest names."""
    content = canonical_manifest(manifest)
    signed = MAGIC + len(content).to_bytes(LENGTH_BYTES, "big") + content
    return signed + sign(signed)


def header_size(start: bytes) -> int:
    """Bytes before the payload, by the first PREFIX_BYTES of a file. Raises FirmwareError."""
    if start[: len(MAGIC)] != MAGIC or len(start) < PREFIX_BYTES:
        raise FirmwareError(FirmwareRefusal.FORMAT, "magic", f"a file of firmware begins with {MAGIC!r}")
    length = int.from_bytes(start[len(MAGIC) : PREFIX_BYTES], "big")
    if not 1 <= length <= MAX_MANIFEST_BYTES:
        rule = f"1 to {MAX_MANIFEST_BYTES} bytes, not {length}"
        raise FirmwareError(FirmwareRefusal.FORMAT, "manifest", rule)
    return PREFIX_BYTES + length + SIGNATURE_BYTES


def read_header(data: bytes) -> FirmwareHeader:
    """The header of a file that begins with data. Raises FirmwareError. The signature is not checked yet."""
    size = header_size(data)
    if len(data) < size:
        raise FirmwareError(FirmwareRefusal.FORMAT, "manifest", f"{size} bytes, the file has {len(data)}")
    signed, signature = data[: size - SIGNATURE_BYTES], data[size - SIGNATURE_BYTES : size]
    content = signed[PREFIX_BYTES:]
    try:
        manifest = msgspec.json.decode(content, type=Manifest)
    except msgspec.ValidationError as error:
        raise FirmwareError(FirmwareRefusal.FORMAT, *_field_and_rule(str(error))) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FirmwareError(FirmwareRefusal.FORMAT, "manifest", f"not JSON: {error}") from None
    if canonical_manifest(manifest) != content:
        raise FirmwareError(FirmwareRefusal.FORMAT, "manifest", "sorted names once each, without blanks")
    return FirmwareHeader(manifest, signed, signature)


def check_signature(
    header: FirmwareHeader, trusted: Collection[str], verify: Callable[[str, bytes, bytes], bool]
) -> None:
    """verify: whether a signature over bytes is of the key of this id. Raises FirmwareError."""
    key_id = header.manifest.key_id
    if key_id not in trusted:
        names = ", ".join(sorted(trusted)) or "none"
        raise FirmwareError(FirmwareRefusal.KEY, "key_id", f"a trusted key ({names}), not {key_id}")
    if not verify(key_id, header.signed, header.signature):
        rule = f"not the signature of {key_id} over this manifest"
        raise FirmwareError(FirmwareRefusal.SIGNATURE, "signature", rule)


class PayloadCheck:
    """Of a payload that comes in parts."""

    def __init__(self, manifest: Manifest) -> None:
        self._manifest = manifest
        self._digest = hashlib.sha256()
        self._size = 0

    def update(self, part: bytes) -> None:
        """Raises FirmwareError as soon as there is more than the manifest says."""
        self._size += len(part)
        if self._size > self._manifest.size:
            rule = f"{self._manifest.size} bytes, and there are more"
            raise FirmwareError(FirmwareRefusal.SIZE, "payload", rule)
        self._digest.update(part)

    def finish(self) -> None:
        """Raises FirmwareError unless what came is what the manifest says."""
        if self._size != self._manifest.size:
            rule = f"{self._manifest.size} bytes, there are {self._size}"
            raise FirmwareError(FirmwareRefusal.SIZE, "payload", rule)
        if self._digest.hexdigest() != self._manifest.sha256:
            rule = f"SHA-256 {self._manifest.sha256}, it has {self._digest.hexdigest()}"
            raise FirmwareError(FirmwareRefusal.HASH, "payload", rule)


def refusals(manifest: Manifest, target: FirmwareTarget, *, allow_older: bool = False) -> list[FirmwareError]:
    """Every rule by which this gateway does not take it. allow_older: an older version is wanted."""
    rules = [
        (FirmwareRefusal.NAME, "name", manifest.name == target.name, f"{target.name}, not {manifest.name}"),
        (
            FirmwareRefusal.MODEL,
            "models",
            target.model in manifest.models,
            f"for {', '.join(manifest.models)}, this gateway is {target.model}",
        ),
        (
            FirmwareRefusal.TYPE,
            "upgrade_type",
            manifest.upgrade_type in target.upgrade_types,
            f"{manifest.upgrade_type:d} cannot be installed here, "
            f"{' and '.join(map(str, sorted(target.upgrade_types))) or 'none'} can",
        ),
        (
            FirmwareRefusal.SECURITY,
            "security_version",
            manifest.security_version >= target.security_version,
            f"at least {target.security_version}, not {manifest.security_version}",
        ),
        (
            FirmwareRefusal.OLDER,
            "version",
            allow_older or manifest.version >= target.version,
            f"at least {target.version}, which is installed, not {manifest.version}",
        ),
        (
            FirmwareRefusal.AGENT,
            "min_agent",
            _numbers(target.agent) >= _numbers(manifest.min_agent),
            f"{manifest.min_agent} is needed, this gateway has {target.agent}",
        ),
    ]
    return [FirmwareError(code, field, rule) for code, field, holds, rule in rules if not holds]


def _numbers(version: str) -> tuple[int, ...]:
    """Of a dotted version; what follows the numbers does not count: 1.2.0rc1 is 1.2.0."""
    match = re.match(r"\d+(?:\.\d+)*", version)
    numbers = [int(part) for part in match[0].split(".")] if match else [0]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def _field_and_rule(text: str) -> tuple[str, str]:
    rule, _, where = text.partition(" - at `$.")
    named = re.search(r"field `(\w+)`", rule)
    return where.rstrip("`") or (named[1] if named else "manifest"), rule
