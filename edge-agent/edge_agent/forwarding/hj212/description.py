"""One packet as named fields, for people. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from edge_agent.forwarding.hj212 import fields
from edge_agent.forwarding.hj212.codec import PacketCodec, PacketOptions
from edge_agent.forwarding.hj212.commands import command_of
from edge_agent.forwarding.hj212.crc import UNIVERSAL, CrcVariant, fitting, standard
from edge_agent.forwarding.hj212.frame import CRC, TAIL
from edge_agent.forwarding.hj212.packet import HEADER, SECRETS, BadPacket, Packet
from edge_agent.forwarding.hj212.profile import VERSIONS, Profile, Tolerance, profile
from edge_agent.forwarding.hj212.segment import HEAD
from edge_agent.forwarding.hj212.sm4 import Encryption, Sm4Key

NAMES = {profile(version).name: version for version in VERSIONS}
"""What `edge-agent decode` calls the versions."""
STANDARDS = {profile(version).version_bits: profile(version).standard for version in VERSIONS}
HIDDEN = "***"
OVER_CIPHER = " over the cipher"


def packet_bytes(text: str) -> bytes | None:
    """A packet that was given as text, with CR LF if it was left out; None for what does not begin as one."""
    if not text.startswith("##"):
        return None
    return text.removesuffix("\\r\\n").rstrip("\r\n").encode() + TAIL


def describe(data: bytes, version: str, key: Sm4Key | None = None) -> dict[str, Any]:
    """Header, values by factor, flags, check digits, and what of it the version does not allow.

    tolerances: names of options without which the packet is refused; faults: values that break a rule.
    Passwords and keys are not shown. BadPacket when no option takes the packet.
    """
    rules = profile(version)
    codec, tolerances = _codec_for(data, rules, None if key is None else Encryption(key))
    try:
        packet = codec.decode(data)
    except BadPacket as error:
        if error.what == "area" and rules.version == "2025" and key is None:
            rule = "clear text, or encrypted with the key of --key-file"
            raise BadPacket("area", error.at, "", rule, rules.clause("encryption")) from None
        raise
    segment, digits = codec.clear_segment(data)
    crc = _crc(segment, digits, data, rules)
    return {
        "standard": rules.standard,
        "command": _command(packet, version),
        "header": {name: _text(name, getattr(packet, HEADER[name])) for name in _header_order(packet, rules)},
        "flag": _flag(packet),
        "parameters": _hidden(fields.parameters(packet.area)),
        "factors": fields.factors(packet.area),
        "faults": fields.faults(packet, rules),
        "tolerances": tolerances,
        "length": len(data) - len(TAIL) - HEAD - len(digits),
        "crc": crc,
    }


def crc_fault(described: dict[str, Any]) -> str:
    """What is wrong with the check digits of a described packet; empty when they are the standard's."""
    fits: str = described["crc"]["fits"]
    if fits.removesuffix(OVER_CIPHER) == CrcVariant.STANDARD:
        return ""
    return f"CRC {described['crc']['given']} is {fits}, not {CrcVariant.STANDARD}"


def _codec_for(data: bytes, rules: Profile, encryption: Encryption | None) -> tuple[PacketCodec, list[str]]:
    """A codec that takes the packet, and as few tolerances as it needs."""

    def takes(tolerances: Iterable[Tolerance]) -> bool:
        try:
            _codec(rules.version, frozenset(tolerances), encryption).decode(data)
        except BadPacket:
            return False
        return True

    needed = set(Tolerance)
    if takes(()) or not takes(needed):
        needed = set()
    for tolerance in list(needed):
        if takes(needed - {tolerance}):
            needed.discard(tolerance)
    return _codec(rules.version, frozenset(needed), encryption), sorted(map(str, needed))


@lru_cache(maxsize=64)
def _codec(version: str, tolerances: frozenset[Tolerance], encryption: Encryption | None) -> PacketCodec:
    return PacketCodec(profile(version), PacketOptions(CrcVariant.UNCHECKED, tolerances, None, encryption))


def _crc(segment: bytes, digits: bytes, data: bytes, rules: Profile) -> dict[str, str]:
    given, computed = int(digits, 16), standard(segment)
    fits: str | None = fitting(segment, given)
    sent = data[HEAD : data.index(digits, HEAD + len(segment))]
    if fits is None and sent != segment and fitting(sent, given):
        fits = f"{fitting(sent, given)}{OVER_CIPHER}"
    if fits is None and given != UNIVERSAL:
        raise BadPacket(
            CRC,
            HEAD + len(sent),
            digits.decode(),
            f"{computed:04X}; no other variant fits either",
            rules.clause("crc"),
        )
    return {"given": digits.decode(), "computed": f"{computed:04X}", "fits": str(fits or "universal")}


def _command(packet: Packet, version: str) -> dict[str, str]:
    use = command_of(packet, version)
    if use is None:
        return {"number": packet.cn, "name": "not in this version"}
    answers = " ".join(use.answers)
    return {
        "number": use.cn,
        "name": use.name,
        "kind": str(use.kind),
        "sent_by": use.sender,
        "answers": answers,
    }


def _header_order(packet: Packet, rules: Profile) -> list[str]:
    return [field.name for field in rules.fields if getattr(packet, HEADER[field.name]) is not None]


def _flag(packet: Packet) -> dict[str, Any]:
    return {
        "version_bits": packet.version,
        "version": STANDARDS.get(packet.version, "unknown"),
        "packet_numbers": packet.pnum is not None,
        "answer_wanted": packet.answer_wanted,
    }


def _hidden(values: dict[str, str]) -> dict[str, str]:
    return {name: HIDDEN if name in SECRETS else value for name, value in values.items()}


def _text(name: str, value: Any) -> Any:
    return HIDDEN if name in SECRETS else value
