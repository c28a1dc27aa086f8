"""A broker that accepts and forgets: it confirms publications of QoS 1 and passes only some of them on.

Made of a real broker and a proxy that reads the packets of MQTT 3.1.1 (2.2, 3.3, 3.4) on their way.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from faults.proxy import Rule

PUBLISH, PUBACK = 3, 4


class Memory:
    """share: part of the publications that is forgotten, changed at any time. forgotten: how many were."""

    def __init__(self, seed: int) -> None:
        self.share = 0.0
        self.forgotten = 0
        self._chance = random.Random(seed)

    def forgets(self) -> bool:
        lost = self._chance.random() < self.share
        self.forgotten += lost
        return lost


class Forgetful(Rule):
    """Between one client and the broker; both ways."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._held = {"up": b"", "down": b""}

    def up(self, data: bytes) -> tuple[bytes, bytes]:
        return self._pass("up", data)

    def down(self, data: bytes) -> tuple[bytes, bytes]:
        return self._pass("down", data)

    def _pass(self, way: str, data: bytes) -> tuple[bytes, bytes]:
        forward, answer = bytearray(), bytearray()
        held = self._held[way] + data
        for packet in packets(held):
            held = held[len(packet) :]
            number = packet_number(packet)
            if number is not None and self._memory.forgets():
                answer += bytes((PUBACK << 4, 2)) + number
            else:
                forward += packet
        self._held[way] = held
        return bytes(forward), bytes(answer)


def packets(data: bytes) -> Iterator[bytes]:
    """Whole packets at the beginning of data."""
    while (size := packet_size(data)) is not None and size <= len(data):
        yield data[:size]
        data = data[size:]


def packet_size(data: bytes) -> int | None:
    """Bytes of the packet that begins here; None while its length is not whole."""
    length = 0
    for at, byte in enumerate(data[1:5]):
        length |= (byte & 0x7F) << 7 * at
        if byte < 0x80:
            return 2 + at + length
    return None


def packet_number(packet: bytes) -> bytes | None:
    """Two bytes, of a PUBLISH of QoS 1; None for every other packet."""
    if packet[0] >> 4 != PUBLISH or packet[0] >> 1 & 3 != 1:
        return None
    start = 2
    while packet[start - 1] >= 0x80:
        start += 1
    topic = int.from_bytes(packet[start : start + 2], "big")
    return packet[start + 2 + topic : start + 4 + topic]


def forgetful(memory: Memory) -> Callable[[], Rule]:
    """For a proxy: a rule for each connection, one memory for all."""
    return lambda: Forgetful(memory)
