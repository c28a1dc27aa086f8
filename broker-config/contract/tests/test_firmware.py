"""The file of firmware: golden bytes, every byte changed, every rule by its code and field."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from msgspec.structs import replace

from edge_contract.firmware import (
    MAGIC,
    PREFIX_BYTES,
    SIGNATURE_BYTES,
    FirmwareError,
    FirmwareHeader,
    FirmwareRefusal,
    FirmwareTarget,
    Manifest,
    PayloadCheck,
    UpgradeType,
    canonical_manifest,
    check_signature,
    header_size,
    read_header,
    refusals,
    write_header,
)
from edge_contract.limits import MAX_MANIFEST_BYTES
from edge_contract.upgrade import in_window

GOLDEN = Path(__file__).parent / "golden" / "firmware.bin"
KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OTHER_KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33)))
PUBLIC = {"release-1": KEY.public_key(), "release-2": OTHER_KEY.public_key()}
PAYLOAD = bytes(range(64))
MANIFEST = Manifest(
    name="edge-agent",
    models=["gw-100", "gw-200"],
    version=7,
    version_text="1.2.0",
    security_version=2,
    upgrade_type=UpgradeType.PACKAGE,
    size=len(PAYLOAD),
    sha256=hashlib.sha256(PAYLOAD).hexdigest(),
    min_agent="1.0",
    key_id="release-1",
)
GATEWAY = FirmwareTarget(
    name="edge-agent", model="gw-200", version=6, security_version=2, agent="1.0.3", upgrade_types=[1]
)


def verify(key_id: str, signed: bytes, signature: bytes) -> bool:
    key: Ed25519PublicKey = PUBLIC[key_id]
    try:
        key.verify(signature, signed)
    except InvalidSignature:
        return False
    return True


def file_of(manifest: Manifest = MANIFEST, payload: bytes = PAYLOAD, key: Ed25519PrivateKey = KEY) -> bytes:
    return write_header(manifest, key.sign) + payload


def taken(data: bytes) -> Manifest:
    """As a gateway does it: header, signature, payload. FirmwareError for what is not right."""
    header = read_header(data)
    check_signature(header, PUBLIC.keys(), verify)
    check = PayloadCheck(header.manifest)
    for at in range(header.size, len(data), 7):
        check.update(data[at : at + 7])
    check.finish()
    return header.manifest


def refusal(work: Callable[[], object]) -> tuple[FirmwareRefusal, str]:
    with pytest.raises(FirmwareError) as caught:
        work()
    assert caught.value.rule
    return caught.value.code, caught.value.field


@pytest.mark.clause("C-200")
def test_golden_bytes() -> None:
    assert file_of() == GOLDEN.read_bytes()
    assert taken(GOLDEN.read_bytes()) == MANIFEST
    header = read_header(GOLDEN.read_bytes())
    assert (header.size, header.file_size) == (GOLDEN.stat().st_size - len(PAYLOAD), GOLDEN.stat().st_size)
    assert header_size(GOLDEN.read_bytes()[:PREFIX_BYTES]) == header.size


@pytest.mark.clause("C-200")
@pytest.mark.parametrize("flip", [0x01, 0x80, 0xFF])
def test_every_changed_byte_is_noticed(flip: int) -> None:
    good = file_of()
    codes: dict[str, set[FirmwareRefusal]] = {
        "magic": set(),
        "manifest": set(),
        "signature": set(),
        "payload": set(),
    }
    size = header_size(good)
    for at in range(len(good)):
        changed = bytearray(good)
        changed[at] ^= flip
        code, _ = refusal(lambda changed=changed: taken(bytes(changed)))  # type: ignore[misc]
        region = (
            "magic" if at < len(MAGIC)
            else "manifest" if at < size - SIGNATURE_BYTES
            else "signature" if at < size
            else "payload"
        )  # fmt: skip
        codes[region].add(code)
    assert codes["magic"] == {FirmwareRefusal.FORMAT}
    assert codes["signature"] == {FirmwareRefusal.SIGNATURE}
    assert codes["payload"] == {FirmwareRefusal.HASH}
    assert codes["manifest"] <= {FirmwareRefusal.FORMAT, FirmwareRefusal.SIGNATURE, FirmwareRefusal.KEY}


@pytest.mark.clause("C-200")
def test_what_is_missing_or_too_much_is_noticed() -> None:
    good = file_of()
    for length in range(len(good)):
        assert refusal(lambda length=length: taken(good[:length]))[0] in (  # type: ignore[misc]
            FirmwareRefusal.FORMAT, FirmwareRefusal.SIZE,
        )  # fmt: skip
    assert refusal(lambda: taken(good + b"x")) == (FirmwareRefusal.SIZE, "payload")


@pytest.mark.clause("C-200")
@pytest.mark.parametrize(
    ("content", "field"),
    [
        (b"{}", "name"),
        (b"[]", "manifest"),
        (b"\xff", "manifest"),
        (b'{"a":' * 2000, "a"),
        (canonical_manifest(MANIFEST).replace(b'"version":7', b'"version":0'), "version"),
        (canonical_manifest(MANIFEST).replace(b'"version":7', b'"version":7.5'), "version"),
        (canonical_manifest(MANIFEST).replace(b'"size":64', b'"size":0'), "size"),
        (canonical_manifest(MANIFEST).replace(b'"size":64', b'"size":1073741825'), "size"),
        (canonical_manifest(MANIFEST).replace(b'"gw-100"', b'"../gw"'), "models[0]"),
        (canonical_manifest(MANIFEST).replace(b'"upgrade_type":1', b'"upgrade_type":3'), "upgrade_type"),
        (canonical_manifest(MANIFEST).replace(b'"min_agent":"1.0"', b'"min_agent":"x"'), "min_agent"),
        (canonical_manifest(MANIFEST)[:-1] + b',"extra":1}', "extra"),
        (canonical_manifest(MANIFEST)[:-1] + b',"version":7}', "manifest"),
        (canonical_manifest(MANIFEST).replace(b":", b": ", 1), "manifest"),
        (json.dumps(dict(reversed(json.loads(canonical_manifest(MANIFEST)).items()))).encode(), "manifest"),
    ],
)
def test_a_manifest_that_is_none_names_its_field(content: bytes, field: str) -> None:
    """Also when it is signed."""
    signed = MAGIC + len(content).to_bytes(4, "big") + content
    assert refusal(lambda: read_header(signed + KEY.sign(signed))) == (FirmwareRefusal.FORMAT, field)


@pytest.mark.clause("C-200")
def test_the_length_of_a_manifest_is_bounded_before_it_is_read() -> None:
    for length in (0, MAX_MANIFEST_BYTES + 1, 2**32 - 1):
        start = MAGIC + length.to_bytes(4, "big")
        assert refusal(lambda start=start: header_size(start)) == (FirmwareRefusal.FORMAT, "manifest")  # type: ignore[misc]
    assert header_size(MAGIC + MAX_MANIFEST_BYTES.to_bytes(4, "big")) == 12 + MAX_MANIFEST_BYTES + 64
    assert refusal(lambda: header_size(b"")) == (FirmwareRefusal.FORMAT, "magic")
    assert refusal(lambda: header_size(MAGIC + b"\0\0\0")) == (FirmwareRefusal.FORMAT, "magic")


@pytest.mark.clause("C-201")
def test_keys_change_by_their_id() -> None:
    new = replace(MANIFEST, key_id="release-2")
    assert taken(file_of(new, key=OTHER_KEY)) == new
    by_other = read_header(file_of(MANIFEST, key=OTHER_KEY))
    assert refusal(lambda: check_signature(by_other, PUBLIC.keys(), verify)) == (
        FirmwareRefusal.SIGNATURE, "signature",
    )  # fmt: skip
    header = read_header(file_of(new, key=OTHER_KEY))
    assert refusal(lambda: check_signature(header, {"release-1"}, verify)) == (FirmwareRefusal.KEY, "key_id")
    assert refusal(lambda: check_signature(header, (), verify)) == (FirmwareRefusal.KEY, "key_id")


@pytest.mark.clause("C-201")
def test_a_signature_is_of_its_manifest_alone() -> None:
    """Mix and match: the header of one release before the payload of another, or its signature."""
    other = replace(MANIFEST, version=8)
    ours, theirs = read_header(file_of()), read_header(file_of(other))
    swapped = FirmwareHeader(ours.manifest, ours.signed, theirs.signature)
    assert refusal(lambda: check_signature(swapped, PUBLIC.keys(), verify))[0] is FirmwareRefusal.SIGNATURE
    assert refusal(lambda: taken(ours.signed + ours.signature + bytes(64)))[0] is FirmwareRefusal.HASH


@pytest.mark.clause("C-201", "C-202")
@pytest.mark.parametrize(
    ("change", "code", "field"),
    [
        ({"name": "other-agent"}, FirmwareRefusal.NAME, "name"),
        ({"models": ["gw-100", "gw-300"]}, FirmwareRefusal.MODEL, "models"),
        ({"upgrade_type": UpgradeType.IMAGE}, FirmwareRefusal.TYPE, "upgrade_type"),
        ({"version": 5}, FirmwareRefusal.OLDER, "version"),
        ({"security_version": 1}, FirmwareRefusal.SECURITY, "security_version"),
        ({"min_agent": "1.0.4"}, FirmwareRefusal.AGENT, "min_agent"),
        ({"min_agent": "1.1"}, FirmwareRefusal.AGENT, "min_agent"),
        ({"min_agent": "2"}, FirmwareRefusal.AGENT, "min_agent"),
    ],
)
def test_each_rule_of_a_gateway(change: dict[str, object], code: FirmwareRefusal, field: str) -> None:
    assert refusals(MANIFEST, GATEWAY) == []
    [error] = refusals(replace(MANIFEST, **change), GATEWAY)
    assert (error.code, error.field) == (code, field)


@pytest.mark.clause("C-202")
def test_an_older_version_needs_an_order_and_an_older_security_version_never_comes_back() -> None:
    older = replace(MANIFEST, version=5)
    assert refusals(older, GATEWAY, allow_older=True) == []
    assert refusals(replace(MANIFEST, version=6), GATEWAY) == []
    insecure = replace(older, security_version=1)
    [error] = refusals(insecure, GATEWAY, allow_older=True)
    assert error.code is FirmwareRefusal.SECURITY


def test_every_rule_that_is_broken_is_named() -> None:
    worst = replace(
        MANIFEST, name="x", models=["y"], version=1, security_version=0, upgrade_type=2, min_agent="9"
    )
    assert [error.code for error in refusals(worst, GATEWAY)] == [
        FirmwareRefusal.NAME, FirmwareRefusal.MODEL, FirmwareRefusal.TYPE, FirmwareRefusal.SECURITY,
        FirmwareRefusal.OLDER, FirmwareRefusal.AGENT,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("agent", "least", "fits"),
    [
        ("1.0", "1.0.0", True),
        ("1.0.0", "1", True),
        ("1.10", "1.9", True),
        ("1.9", "1.10", False),
        ("1.2.0rc1", "1.2", True),
        ("unknown", "0", True),
        ("unknown", "0.1", False),
    ],
)
def test_versions_of_agents_are_compared_by_number(agent: str, least: str, fits: bool) -> None:
    gateway = FirmwareTarget("edge-agent", "gw-200", 6, 2, agent, [1])
    assert (refusals(replace(MANIFEST, min_agent=least), gateway) == []) is fits


@pytest.mark.clause("C-204")
@pytest.mark.parametrize(
    ("window", "inside", "outside"),
    [
        ((60, 120), [60, 119], [59, 120, 0, 1439]),
        ((1320, 240), [1320, 1439, 0, 239], [240, 1319, 720]),
        ((0, 0), [0, 1, 1439], []),
    ],
)
def test_a_window_of_the_day(window: tuple[int, int], inside: list[int], outside: list[int]) -> None:
    day_ms = 20_000 * 86_400_000
    assert all(in_window(window, day_ms + minute * 60_000 + 59_999) for minute in inside)
    assert not any(in_window(window, day_ms + minute * 60_000) for minute in outside)
    assert in_window(None, day_ms)
