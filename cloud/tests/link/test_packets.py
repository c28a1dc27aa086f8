"""Packets of MQTT 3.1.1, byte by byte (OASIS, sections 2 and 3)."""

from __future__ import annotations

import pytest

from cloud.link import packets
from cloud.link.packets import PacketError, header

LENGTHS = [
    (0, b"\x00"),
    (127, b"\x7f"),
    (128, b"\x80\x01"),
    (16_383, b"\xff\x7f"),
    (16_384, b"\x80\x80\x01"),
    (2_097_151, b"\xff\xff\x7f"),
    (2_097_152, b"\x80\x80\x80\x01"),
]


def test_the_numbers_of_mqtt() -> None:
    assert (packets.CONNACK, packets.PUBLISH, packets.PUBACK) == (2, 3, 4)
    assert (packets.SUBACK, packets.PINGRESP) == (9, 13)
    assert (packets.QOS, packets.RETAIN, packets.GRANTED) == (6, 1, 2)
    assert list(packets.REFUSALS) == [1, 2, 3, 4, 5]


def test_connect() -> None:
    assert packets.connect("id", "user", "pw", 300) == (
        b"\x10\x18\x00\x04MQTT\x04\xc2\x01\x2c\x00\x02id\x00\x04user\x00\x02pw"
    )


def test_subscribe_publish_and_puback() -> None:
    assert packets.subscribe(0x1234, ["a/b", "c"]) == b"\x82\x0c\x12\x34\x00\x03a/b\x01\x00\x01c\x01"
    assert packets.publish("a/b", 0x1234, b"xyz") == b"\x32\x0a\x00\x03a/b\x12\x34xyz"
    assert packets.puback(0x1234) == b"\x40\x02\x12\x34"


@pytest.mark.parametrize(("size", "length"), LENGTHS)
def test_a_length_in_both_directions(size: int, length: bytes) -> None:
    made = packets.packet(0x30, bytes(size))
    assert made[: 1 + len(length)] == b"\x30" + length
    assert len(made) == 1 + len(length) + size
    data = b"??" + made
    assert header(data, 2, len(data)) == (3 + len(length), size)
    assert header(data, 2, 3 + len(length)) == (3 + len(length), size), "the body may be missing"
    for end in range(2, 3 + len(length)):
        assert header(data, 2, end) == (0, 0), "the length is cut off"


def test_a_length_has_four_bytes_at_most() -> None:
    assert header(b"\x30\xff\xff\xff\x7f", 0, 5) == (5, 268_435_455)
    assert header(b"\x30\xff\xff\xff", 0, 4) == (0, 0)
    with pytest.raises(PacketError, match="at most four bytes"):
        header(b"\x30\xff\xff\xff\x80\x01", 0, 6)


def test_a_text_has_at_most_65535_bytes() -> None:
    assert packets.publish("a" * 65_535, 1, b"")[4:6] == b"\xff\xff"
    with pytest.raises(PacketError, match="65535"):
        packets.publish("a" * 65_536, 1, b"")
