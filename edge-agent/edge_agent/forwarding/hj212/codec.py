"""Encode and decode packets of one version of HJ 212 as one platform wants them. Pure.

encode and decode are inverse: a packet comes back equal, and a packet's bytes come back the same, but for the
case of check digits and what a tolerance took.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from edge_agent.errors import ConfigError
from edge_agent.forwarding.hj212.crc import CRCS, UNIVERSAL, CrcVariant
from edge_agent.forwarding.hj212.frame import CRC, MAX_LENGTH, FrameRules, PacketReader
from edge_agent.forwarding.hj212.packet import BadPacket, Packet
from edge_agent.forwarding.hj212.profile import Profile, Tolerance
from edge_agent.forwarding.hj212.segment import HEAD, SegmentRules
from edge_agent.forwarding.hj212.sm4 import (
    GROUP,
    Encryption,
    Side,
    cipher_bytes,
    decrypt,
    encrypt,
    must_be_encrypted,
)

LOOKS_CLEAR = re.compile(rb"[ -<>-~]{1,32}=")
MIN_SEGMENT = 128


@dataclass(frozen=True)
class PacketOptions:
    """What a platform wants otherwise than the standard. max_segment: bytes, MIN_SEGMENT to MAX_LENGTH; None:
    the standard's.

    encryption: None: nothing is encrypted or decrypted.
    """

    crc: CrcVariant = CrcVariant.STANDARD
    tolerances: frozenset[Tolerance] = frozenset()
    max_segment: int | None = None
    encryption: Encryption | None = None


class PacketCodec:
    """ConfigError names an option that cannot be."""

    def __init__(self, profile: Profile, options: PacketOptions | None = None) -> None:
        options = options or PacketOptions()
        limit = options.max_segment
        if limit is not None and not MIN_SEGMENT <= limit <= MAX_LENGTH:
            raise ConfigError("max_segment", f"must be {MIN_SEGMENT} to {MAX_LENGTH} bytes, not {limit}")
        self.profile = profile
        self.max_segment = limit or profile.max_segment
        self._unchecked = options.crc is CrcVariant.UNCHECKED
        self._universal = Tolerance.UNIVERSAL_CRC in options.tolerances
        self._tolerances = options.tolerances
        self._crc = CRCS[options.crc]
        self._crc_clause = f"{profile.clause('crc')}, {options.crc}"
        self._encryption = options.encryption
        self._frame = FrameRules(self.max_segment, options.tolerances, profile.clause("packet"))
        self._max_area_sent = limit or profile.max_area_sent
        self._segment = SegmentRules(profile, options.tolerances, limit or profile.max_area)

    def encode(self, packet: Packet) -> bytes:
        """Bytes to send. BadPacket names the field and the rule that it breaks."""
        clear, sent = self._clear_and_sent(packet)
        start, end = self._segment.bounds(clear)
        self._segment.check_size(end - start, None)
        over_cipher = self._encryption is not None and self._encryption.crc_over_cipher
        return self._frame.join(sent, self._crc(sent if over_cipher else clear))

    def fits(self, packet: Packet) -> bool:
        """Whether it need not be split, with the safe reading of what CP may hold."""
        clear, sent = self._clear_and_sent(packet)
        start, end = self._segment.bounds(clear)
        return len(sent) <= self.max_segment and end - start <= self._max_area_sent

    def decode(self, data: bytes) -> Packet:
        """One packet with CR LF and nothing around it. BadPacket says what is wrong at which byte."""
        return self._opened(*self._frame.cut(data))

    def reader(self) -> PacketReader:
        """For a stream of packets, one for each connection."""
        return PacketReader(self._frame, self._opened)

    def clear_segment(self, data: bytes) -> tuple[bytes, bytes]:
        """Segment, decrypted, and check digits of a packet that decode takes."""
        segment, digits = self._frame.cut(data)
        if self._encryption is None:
            return segment, digits
        return self._decrypted(segment, digits, self._encryption)[1], digits

    def _clear_and_sent(self, packet: Packet) -> tuple[bytes, bytes]:
        """Segment before and after encryption."""
        clear = self._segment.format(packet)
        encryption = self._encryption
        if encryption is None or not must_be_encrypted(packet.cn, encryption.side):
            return clear, clear
        start, end = self._segment.bounds(clear)
        area = encrypt(clear[start:end], encryption.key, encryption.form)
        return clear, clear[:start] + area + clear[end:]

    def _opened(self, segment: bytes, digits: bytes) -> Packet:
        if self._encryption is not None:
            return self._decrypted(segment, digits, self._encryption)[0]
        self._check(segment, digits, len(segment))
        return self._segment.parse(segment)

    def _check(self, covered: bytes, digits: bytes, sent: int) -> None:
        """sent: bytes of the segment as it came."""
        if self._unchecked:
            return
        computed = self._crc(covered)
        given = int(digits, 16)
        if given != computed and not (self._universal and given == UNIVERSAL):
            raise BadPacket(CRC, HEAD + sent, digits.decode(), f"{computed:04X}", self._crc_clause)

    def _decrypted(self, segment: bytes, digits: bytes, encryption: Encryption) -> tuple[Packet, bytes]:
        """The packet and its clear segment. A CRC has 256 values only: it must also be items."""
        start, end = self._segment.bounds(segment)
        area = segment[start:end]
        clear = [area] if not area or LOOKS_CLEAR.match(area) else []
        cipher = cipher_bytes(area, encryption.form)
        areas = clear + [decrypt(cipher, key) for key in encryption.keys if cipher]
        failures: list[BadPacket] = []
        for number, candidate in enumerate(areas):
            joined = segment[:start] + candidate + segment[end:]
            try:
                self._check(segment if encryption.crc_over_cipher else joined, digits, len(segment))
                packet = self._segment.parse(joined)
            except BadPacket as error:
                failures.append(error)
                continue
            if number < len(clear):
                self._allow_clear(packet, area, encryption)
            return packet, joined
        if failures:
            raise failures[0]
        rule = f"cipher written as {encryption.form}"
        raise BadPacket("area", HEAD + start, "", rule, self.profile.clause("encryption"))

    def _allow_clear(self, packet: Packet, area: bytes, encryption: Encryption) -> None:
        sender = Side.PLATFORM if encryption.side is Side.FIELD else Side.FIELD
        if (
            len(area) >= GROUP
            and must_be_encrypted(packet.cn, sender)
            and Tolerance.CLEAR_AREA not in self._tolerances
        ):
            rule = f"encrypted in CN={packet.cn}"
            raise BadPacket("area", None, "", rule, self.profile.clause("encryption"))
