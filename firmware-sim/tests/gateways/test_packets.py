"""MQTT packets of the simulated gateways: whole, byte by byte, with trailing bytes, and from nowhere."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_sim.gateways import packets
from firmware_sim.gateways.packets import PacketError, Will

GOLDEN = [
    (
        packets.connect("gw-1", "pw", Will("t", b"w"), 30),
        "102000044d51545404ee001e000467772d3100017400017700046777 2d3100027077",
    ),
    (packets.subscribe(65_535, "v1/gw-1/down/+"), "8213ffff000e76312f67772d312f646f776e2f2b01"),
    (packets.publish(b"t", 258, b"abc"), "320800017401026162 63"),
    (packets.publish(b"t", 258, b"abc", retain=True), "330800017401026162 63"),
    (packets.puback(258), "40020102"),
    (packets.PINGREQ, "c000"),
    (packets.DISCONNECT, "e000"),
]


@pytest.mark.parametrize(("made", "wanted"), GOLDEN)
def test_golden_packets(made: bytes, wanted: str) -> None:
    assert made.hex() == wanted.replace(" ", "")


@given(st.binary(max_size=50), st.integers(1, 65_535), st.binary(max_size=20_000), st.binary(max_size=1))
def test_a_publication_comes_back(name: bytes, packet_id: int, payload: bytes, trailing: bytes) -> None:
    whole, rest = packets.split(packets.publish(name, packet_id, payload) + trailing)
    ((first, body),) = whole
    assert rest == trailing
    assert packets.message(first, body) == (name, packet_id, payload)


def test_a_stream_cut_anywhere_gives_the_same_packets() -> None:
    stream = b"".join(made for made, _ in GOLDEN) + packets.publish(b"long", 7, b"x" * 200)
    whole, rest = packets.split(stream)
    assert (len(whole), rest) == (len(GOLDEN) + 1, b"")
    taken, kept = [], b""
    for number in range(len(stream)):
        some, kept = packets.split(kept + stream[number : number + 1])
        taken += some
    assert (taken, kept) == (whole, b"")


@given(st.binary(max_size=64))
def test_any_bytes_are_packets_or_an_error(data: bytes) -> None:
    with contextlib.suppress(PacketError):
        for first, body in packets.split(data)[0]:
            packets.message(first, body)


def test_a_length_of_five_bytes_is_refused() -> None:
    with pytest.raises(PacketError, match="remaining length"):
        packets.split(b"\x30\xff\xff\xff\xff\x01")
