"""Packets of ISO on TCP at the limits of their fields."""

from __future__ import annotations

import pytest

from edge_agent.errors import BadFrame
from edge_agent.protocols.s7.codec import Value, decode_values, encode_values
from edge_agent.protocols.s7.iso import CONFIRM, REQUEST, Connect, Decoder, encode_connect, encode_data

LONGEST = 8199  # a TPDU of 8192 bytes, its header of three, and the header of the packet


def packet(cotp: bytes, *, version: int = 3) -> bytes:
    return bytes((version, 0)) + (4 + len(cotp)).to_bytes(2, "big") + cotp


def data(number: int, pdu: bytes) -> bytes:
    """A packet with part of a PDU; the highest bit of the number says that it is the last part."""
    return packet(bytes((2, 0xF0, number)) + pdu)


def test_a_pdu_ends_with_the_part_that_says_so() -> None:
    for last in (0x80, 0x81, 0xFF):
        decoder = Decoder()
        assert decoder.feed(data(0x00, b"ab") + data(0x01, b"cd") + data(0x7F, b"ef")) == []
        assert decoder.pending == 6
        assert decoder.feed(data(last, b"gh") + data(0x80, b"")) == [b"abcdefgh", b""]
        assert decoder.pending == 0
    assert Decoder().feed(encode_data(b"pdu")) == [b"pdu"]


def test_bytes_of_a_packet_that_is_not_whole_wait() -> None:
    whole = encode_data(b"pdu")
    for cut in range(len(whole)):
        decoder = Decoder()
        assert decoder.feed(whole[:cut]) == [] and decoder.pending == cut
        assert decoder.feed(whole[cut:] + whole) == [b"pdu", b"pdu"]


def test_the_shortest_and_the_longest_packet() -> None:
    assert Decoder().feed(data(0x80, b"")) == [b""]
    (pdu,) = Decoder().feed(data(0x80, b"x" * (LONGEST - 7)))
    assert len(pdu) == LONGEST - 7  # type: ignore[arg-type]
    for wrong in (data(0x80, b"x" * (LONGEST - 6)), packet(b"\x02\xf0"), packet(b"", version=3)):
        with pytest.raises(BadFrame, match="no TPKT header"):
            Decoder().feed(wrong)
    for version in (2, 4):
        with pytest.raises(BadFrame, match=f"no TPKT header: 0{version} 00 00 07"):
            Decoder().feed(packet(b"\x02\xf0\x80", version=version))
    assert Decoder().feed(b"\x02\x00\x00") == [], "three bytes are no header yet"


def test_parts_are_together_no_longer_than_the_longest() -> None:
    half = b"x" * 4000
    decoder = Decoder()
    assert decoder.feed(data(0, half)) == []
    assert decoder.feed(data(0x80, b"x" * (LONGEST - 4000 - 3))) == [b"x" * (LONGEST - 3)]
    decoder.feed(data(0, half))
    with pytest.raises(BadFrame, match="PDU of more than 8199 bytes"):
        decoder.feed(data(0x80, b"x" * (LONGEST - 4000 - 2)))


@pytest.mark.parametrize(("cotp", "words"), [
    (b"\x01\xf0\x80", "COTP header of 2 bytes in a packet of 3"),
    (b"\x03\xf0\x80", "COTP header of 4 bytes in a packet of 3"),
])  # fmt: skip
def test_headers_that_do_not_fit(cotp: bytes, words: str) -> None:
    with pytest.raises(BadFrame, match=words):
        Decoder().feed(packet(cotp))


def test_connections() -> None:
    """A request of RFC 1006 with both TSAPs and a size of 1024 bytes."""
    wire = encode_connect(Connect(REQUEST, 0x0100, 0x0302))
    assert wire.hex() == "0300001611e00000000100c1020100c2020302c0010a"
    assert Decoder().feed(wire) == [Connect(REQUEST, 0x0100, 0x0302)]
    bare = encode_connect(Connect(CONFIRM), destination=0x0102, source=0x0304)
    assert bare.hex() == "0300000e09d00102030400c0010a"
    assert Decoder().feed(bare) == [Connect(CONFIRM)]
    numbered = packet(b"\x0a\xd5\x00\x01\x00\x02\x00\xc1\x02\x01\x02")
    assert Decoder().feed(numbered) == [Connect(CONFIRM, 0x0102)], "a credit is no part of the code"
    assert Decoder().feed(packet(b"\x07\x80\x00\x01\x00\x02\x00\xc1")) == [Connect(0x80)], "half a parameter"
    with pytest.raises(BadFrame, match="parameter longer than its packet"):
        Decoder().feed(packet(b"\x09\xd0\x00\x01\x00\x02\x00\xc1\x02\x01"))


@pytest.mark.parametrize(("transport", "length"), [(3, 2), (4, 16), (5, 16), (6, 2), (7, 2), (9, 2)])
def test_the_length_of_a_value_is_in_bits_or_in_bytes(transport: int, length: int) -> None:
    wire = encode_values([Value(0xFF, transport, b"ab")])
    assert wire == bytes((0xFF, transport, 0, length)) + b"ab"
    assert decode_values(wire, 1, 0xFF) == [Value(0xFF, transport, b"ab")]
