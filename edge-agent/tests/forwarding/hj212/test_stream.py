"""Streams: packets however they are cut, noise between them, and a bound on what is held."""

from __future__ import annotations

import pytest
from hj212_packets import KEY, golden, goldens, packets, strict, wire
from hypothesis import given
from hypothesis import strategies as st

from edge_agent.forwarding.hj212.crc import CrcVariant
from edge_agent.forwarding.hj212.frame import AROUND
from edge_agent.forwarding.hj212.packet import BadPacket, Packet
from edge_agent.forwarding.hj212.profile import Tolerance
from edge_agent.forwarding.hj212.sm4 import Encryption, Side

GOOD = golden("H01").data
FIRST = strict().decode(GOOD)
TAILLESS = frozenset({Tolerance.MISSING_TAIL})
CHARACTERS = frozenset({Tolerance.LENGTH_IN_CHARACTERS})
SHORT_LENGTH = golden("H27").data.replace(b"##0152", b"##0144")


def read(data: bytes, *sizes: int, **options: object) -> list[str]:
    """Packets, as their bytes, and errors, as text, of a stream in chunks of these sizes and a rest."""
    codec = strict(**options)  # type: ignore[arg-type]
    reader = codec.reader()
    out: list[Packet | BadPacket] = []
    at = 0
    for size in sizes:
        out += reader.feed(data[at : at + size])
        assert reader.pending <= codec.max_segment + AROUND
        at += size
    out += reader.feed(data[at:])
    assert reader.pending <= codec.max_segment + AROUND
    out += reader.give_up()
    assert reader.pending == 0
    return [codec.encode(each).decode() if isinstance(each, Packet) else str(each) for each in out]


@pytest.mark.parametrize("packet", goldens(), ids=lambda each: each.name)
def test_golden_packet_byte_by_byte(packet: object) -> None:
    reader = packet.codec().reader()  # type: ignore[attr-defined]
    data: bytes = packet.data  # type: ignore[attr-defined]
    out = [each for n in range(len(data)) for each in reader.feed(data[n : n + 1])]
    assert out == [packet.codec().decode(data)]  # type: ignore[attr-defined]
    assert reader.pending == reader.discarded_bytes == 0


@pytest.mark.parametrize(
    ("noise", "discarded"),
    [(b"", 0), (b"x#12###", 7), (b"#", 1), (b"##", 2), (b"##01A1", 6), (b"##9999QN", 8)],
)
def test_noise_before_a_packet(noise: bytes, discarded: int) -> None:
    reader = strict().reader()
    assert reader.feed(noise + GOOD) == [FIRST]
    assert reader.discarded_bytes == discarded


def test_two_packets_in_one_chunk_and_one_in_two() -> None:
    reader = strict().reader()
    assert reader.feed(GOOD + GOOD) == [FIRST, FIRST]
    assert reader.feed(GOOD[:40]) == []
    assert reader.pending == 40
    assert reader.feed(GOOD[40:]) == [FIRST]


def test_a_lone_mark_is_held() -> None:
    reader = strict().reader()
    assert reader.feed(b"abc#") == []
    assert (reader.pending, reader.discarded_bytes) == (1, 3)
    assert reader.feed(GOOD[1:]) == [FIRST]


def test_wrong_lengths_cost_the_packet_and_no_other() -> None:
    for name in (b"##0103", b"##0099"):
        damaged = GOOD.replace(b"##0101", name)
        reader = strict().reader()
        assert reader.feed(damaged + GOOD + GOOD) == [FIRST, FIRST]
        assert reader.discarded_bytes == len(damaged)


def test_a_length_that_is_too_long_is_not_waited_for() -> None:
    reader = strict().reader()
    reader.feed(b"##9999")
    assert reader.pending == 0


def test_a_promise_that_is_not_kept_ends_with_give_up() -> None:
    reader = strict().reader()
    assert reader.feed(b"##1024" + GOOD) == []
    assert reader.give_up() == [FIRST]
    assert (reader.pending, reader.discarded_bytes) == (0, 6)


def test_what_is_framed_and_wrong_is_said() -> None:
    wrong_crc = GOOD.replace(b"1C80", b"1C81")
    wrong_field = strict(tolerances=frozenset({Tolerance.ANY_ST})).encode(
        Packet(qn=FIRST.qn, st="3", cn="1011", pw="1", mn=FIRST.mn, flag=5)
    )
    out = strict().reader().feed(wrong_crc + wrong_field + GOOD)
    assert [type(each) for each in out] == [BadPacket, BadPacket, Packet]
    assert "CRC at byte 107: '1C81', must be 1C80" in str(out[0])
    assert "ST at byte 30: '3'" in str(out[1])


def test_wrong_digits_hide_no_packet_inside() -> None:
    inner = GOOD
    outer = b"##%04d" % (len(inner) + 4) + b"abcd" + inner + b"0000\r\n"
    assert [type(each) for each in strict().reader().feed(outer)] == [BadPacket, Packet]


def test_no_tail() -> None:
    bare = GOOD[:-2]
    assert read(bare) == []
    assert read(bare, tolerances=TAILLESS) == [GOOD.decode()]
    assert read(bare + bare + GOOD + bare + b"\r", tolerances=TAILLESS) == [GOOD.decode()] * 4
    assert read(bare + b"\rx" + GOOD, tolerances=TAILLESS) == [GOOD.decode()] * 2
    reader = strict(tolerances=TAILLESS).reader()
    assert reader.feed(bare) == []
    assert reader.feed(b"\r") == []
    assert reader.feed(b"\n") == [FIRST]
    assert reader.discarded_bytes == 0
    assert read(bare.replace(b"1C80", b"1C81"), tolerances=TAILLESS) == []


def test_a_length_in_characters() -> None:
    whole = golden("H27").data.decode()
    assert read(SHORT_LENGTH) == []
    assert read(SHORT_LENGTH + GOOD, tolerances=CHARACTERS) == [whole, GOOD.decode()]
    assert read(SHORT_LENGTH.replace(b"0144", b"0145") + GOOD, tolerances=CHARACTERS) == [GOOD.decode()]
    reader = strict(tolerances=CHARACTERS).reader()
    assert reader.feed(SHORT_LENGTH[:-2]) == []
    assert len(reader.feed(SHORT_LENGTH[-2:])) == 1


PIECES = st.lists(
    st.one_of(
        st.sampled_from([each.data for each in goldens() if each.version == "2017" and not each.tolerances]),
        st.sampled_from([b"#", b"##", b"\r", b"\r\n", b"##0010", GOOD[:-2], GOOD[:50], SHORT_LENGTH]),
        st.binary(max_size=20),
        packets("2017").map(lambda drawn: strict(max_segment=9999).encode(drawn[1])),
    ),
    max_size=6,
).map(b"".join)


@given(PIECES, st.lists(st.integers(1, 200), max_size=12), st.sampled_from([(), *Tolerance]))
def test_a_stream_gives_the_same_however_it_is_cut(
    data: bytes, sizes: list[int], tolerance: Tolerance | tuple[()]
) -> None:
    tolerances = frozenset({tolerance} if tolerance else ())
    assert read(data, *sizes, tolerances=tolerances) == read(data, tolerances=tolerances)
    assert read(data, *[1] * len(data), tolerances=tolerances) == read(data, tolerances=tolerances)


@given(PIECES, st.lists(st.integers(1, 200), max_size=12))
def test_nothing_is_lost_without_being_counted(data: bytes, sizes: list[int]) -> None:
    reader = strict(crc=CrcVariant.UNCHECKED).reader()
    taken = sum(
        len(strict().encode(each)) if isinstance(each, Packet) else 0
        for each in [*reader.feed(data), *reader.give_up()]
    )
    assert taken <= len(data) - reader.discarded_bytes


def test_encrypted_packets_are_cut_by_their_length() -> None:
    """Their areas hold CR LF, ## and &&."""
    data = golden("J50").data + golden("J51").data
    reader = strict("2025", encryption=Encryption(KEY, Side.PLATFORM)).reader()
    out = [each for n in range(len(data)) for each in reader.feed(data[n : n + 1])]
    assert [each.rf for each in out if isinstance(each, Packet)] == [None, "1"]
    assert reader.discarded_bytes == 0


def test_wire_is_what_it_says() -> None:
    assert wire("a<hex:0D0A>b") == b"a\r\nb\r\n"
