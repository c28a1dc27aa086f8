"""HJ 212 of all versions for scripts/fuzz. Which packets are sound is worked out here, not by the codec."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path
from random import Random

import msgspec

from edge_agent.forwarding.hj212.codec import PacketCodec, PacketOptions
from edge_agent.forwarding.hj212.crc import CrcVariant
from edge_agent.forwarding.hj212.description import describe
from edge_agent.forwarding.hj212.fields import factors, parameters
from edge_agent.forwarding.hj212.packet import BadPacket, Packet
from edge_agent.forwarding.hj212.profile import Tolerance, profile
from edge_agent.forwarding.hj212.sm4 import Encryption, Side, Sm4Key
from fuzzing.engine import Mutator
from fuzzing.line import chunks

GOLDEN = Path(__file__).resolve().parents[2] / "edge-agent" / "tests" / "forwarding" / "hj212" / "packets.csv"
KEY = Sm4Key("0" * 16)
LENGTH_DIGITS = (2, 3, 4, 5)
MAX_HELD = 1024 + 12


class Hj212:
    """One version: strict, with every tolerance, and in 2025 also with a key."""

    def __init__(self, version: str) -> None:
        self._version = version
        with GOLDEN.open(encoding="utf-8", newline="") as file:
            rows = [
                row for row in csv.DictReader(file) if row["version"] == version and not row["tolerances"]
            ]
        self._frames = [_wire(row["packet"]) for row in rows]
        self._encrypted = [b"<hex" in row["packet"].encode() for row in rows]
        self.mutant = Mutator(self._frames, len(rows) // 2, LENGTH_DIGITS, _repair)
        rules = profile(version)
        self._strict = PacketCodec(rules)
        options = [
            PacketOptions(tolerances=frozenset(Tolerance)),
            PacketOptions(crc=CrcVariant.UNCHECKED, tolerances=frozenset(Tolerance), max_segment=9999),
        ]
        if version == "2025":
            options.append(PacketOptions(encryption=Encryption(KEY, Side.PLATFORM)))
        self._others = [PacketCodec(rules, each) for each in options]

    def check(self, origin: int, data: bytes, chance: Random) -> Counter[str]:
        counts: Counter[str] = Counter()
        untouched = data == self._frames[origin] and not self._encrypted[origin]
        packet = self._decoded(data)
        assert packet is not None or not untouched, "a sound packet was refused"
        if packet is not None:
            counts["values"] += bool(factors(packet.area) or parameters(packet.area))
        counts["decoded"] += self._read(self._strict, data, chance)
        counts["tolerated"] += self._read(chance.choice(self._others), data, chance)
        for codec in self._others:
            try:
                tolerated = codec.decode(data)
            except BadPacket as error:
                assert str(error)
                continue
            assert packet is None or tolerated == packet, "a tolerance changes a sound packet"
        try:
            msgspec.json.encode(describe(data, self._version))
        except BadPacket as error:
            assert str(error)
            assert packet is None, "a sound packet was not described"
        else:
            counts["described"] += 1
        return counts

    def _decoded(self, data: bytes) -> Packet | None:
        try:
            packet = self._strict.decode(data)
        except BadPacket as error:
            assert error.at is None or 0 <= error.at <= len(data), error
            return None
        assert _size(data, 0) == len(data), "a broken packet was decoded"
        again = self._strict.encode(packet)
        assert again[:-6] == data[:-6], "it is encoded otherwise"
        assert again[-6:] == data[-6:].upper(), "its check digits are others"
        return packet

    def _read(self, codec: PacketCodec, data: bytes, chance: Random) -> int:
        """Packets of the data as a stream; the same in chunks."""
        out = []
        for parts in ([data], chunks(data, chance)):
            reader = codec.reader()
            read: list[Packet | str] = []
            for part in parts:
                read += [each if isinstance(each, Packet) else str(each) for each in reader.feed(part)]
                assert reader.pending <= max(MAX_HELD, codec.max_segment + 12), (
                    f"holds {reader.pending} bytes"
                )
            read += [each if isinstance(each, Packet) else str(each) for each in reader.give_up()]
            assert reader.pending == 0, "holds bytes that are given up"
            out.append(read)
        assert out[0] == out[1], f"whole: {out[0]}; in chunks: {out[1]}"
        packets = [each for each in out[0] if isinstance(each, Packet)]
        if codec is self._strict:
            at = 0
            for packet in packets:
                at = _after(data, codec.encode(packet), at)
        return len(packets)


def _wire(text: str) -> bytes:
    parts = re.split("(<hex:[0-9A-F]*>)", text)
    return b"".join(bytes.fromhex(p[5:-1]) if p.startswith("<hex:") else p.encode() for p in parts) + b"\r\n"


def _crc(segment: bytes) -> int:
    register = 0xFFFF
    for byte in segment:
        register = (register >> 8) ^ byte
        for _ in range(8):
            register = (register >> 1) ^ 0xA001 if register & 1 else register >> 1
    return register


def _size(data: bytes, at: int) -> int:
    """Bytes of the sound packet that begins there, 0 when none does."""
    head = data[at : at + 6]
    if len(head) < 6 or head[:2] != b"##" or not all(digit in b"0123456789" for digit in head[2:]):
        return 0
    size = int(head[2:]) + 12
    packet = data[at : at + size]
    if len(packet) < size or packet[-2:] != b"\r\n" or not re.fullmatch(b"[0-9A-Fa-f]{4}", packet[-6:-2]):
        return 0
    return size if int(packet[-6:-2], 16) == _crc(packet[6:-6]) else 0


def _after(data: bytes, packet: bytes, at: int) -> int:
    """Where the packet ends in the data, looked for from `at` on."""
    start = data.find(packet[:-6], at)
    while start >= 0 and _size(data, start) != len(packet):
        start = data.find(packet[:-6], start + 1)
    assert start >= 0, "a packet that is not in the data"
    return start + len(packet)


def _repair(data: bytearray) -> None:
    if len(data) >= 12:
        data[:2], data[-2:] = b"##", b"\r\n"
        data[2:6] = b"%04d" % (len(data) - 12)
        data[-6:-2] = b"%04X" % _crc(bytes(data[6:-6]))
