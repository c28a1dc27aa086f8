"""Framing and check digits of the platform, on the fact sheets' packets and beside the agent's codec."""

from __future__ import annotations

import re
from random import Random

import pytest
from data_logger import digits, golden, golden_rows, wire
from hypothesis import given
from hypothesis import strategies as st

from edge_agent.forwarding.hj212 import crc
from edge_agent.forwarding.hj212.codec import PacketCodec, PacketOptions
from edge_agent.forwarding.hj212.packet import BadPacket
from edge_agent.forwarding.hj212.profile import Tolerance, profile
from firmware_sim.hj212_platform.packet_bytes import (
    CHECKS,
    PacketCutter,
    crc16,
    crc16_modbus,
    fits,
    header,
    items,
    with_field,
)

CLEAR = [row for row in golden_rows() if "<hex:" not in row["packet"]]
ACCEPTED = [wire(row["packet"]) for row in CLEAR]


def cut(*chunks: bytes) -> list[tuple[bytes, bool]]:
    cutter = PacketCutter(1024, lambda segment, given: int(given, 16) == crc16(segment))
    return [(framed.data, framed.sound) for chunk in chunks for framed in cutter.feed(chunk)]


@pytest.mark.parametrize(
    ("segment", "standard", "modbus"),
    [(b"", 0xFFFF, 0xFFFF), (b"A", 0x7080, 0x707F), (b"123456789", 0x2F80, 0x4B37), (b"\0", 0x4040, 0x40BF)],
)
def test_check_digits_of_the_fact_sheet(segment: bytes, standard: int, modbus: int) -> None:
    assert crc16(segment) == standard == digits(segment)
    assert crc16_modbus(segment) == modbus


@pytest.mark.parametrize("row", CLEAR, ids=lambda row: row["id"])
def test_golden_packets(row: dict[str, str]) -> None:
    data = wire(row["packet"])
    assert cut(data) == [(data, True)]
    assert cut(*(bytes([byte]) for byte in data)) == [(data, True)]
    assert fits("standard", data[6:-6], data[-6:-2])
    fields = header(data[6:-6])
    assert [f"{name}={value}" for name, value in fields.items()] == (
        data[6:-6].decode().partition(";CP=")[0].replace(" ", "").split(";")
    )


@pytest.mark.parametrize("area", ["", "QnRtn=1", "a=1;b=2,c=&3"])
def test_fields_behind_the_area(area: str) -> None:
    regular = f"QN=1;ST=32;Flag=5;CP=&&{area}&&".encode()
    behind = f"QN=1;ST=32;CP=&&{area}&&;Flag=5".encode()
    assert header(behind) == header(regular) == {"QN": "1", "ST": "32", "Flag": "5"}
    assert items(behind) == items(regular)
    assert header(b"QN=1;CP=&&a=1") == {"QN": "1"}
    assert items(b"QN=1;CP=&&a=1") == [("a", "1")]


@given(st.binary(max_size=200))
def test_every_variant_is_that_of_the_codec(segment: bytes) -> None:
    for variant in CHECKS:
        assert CHECKS[variant](segment) == crc.CRCS[crc.CrcVariant(variant)](segment)


def test_variants_and_exceptions() -> None:
    segment = golden("H01")[6:-6]
    for variant, given_digits in {
        "standard": b"1C80",
        "standard_swapped": b"801c",
        "crc16_modbus": b"0759",
        "crc16_modbus_swapped": b"5907",
    }.items():
        assert [each for each in CHECKS if fits(each, segment, given_digits)] == [variant]
        assert fits("unchecked", segment, given_digits)
    assert fits("standard", segment, b"A55A", universal=True)
    assert not fits("standard", segment, b"A55A")


STREAM = [*ACCEPTED, b"", b"#", b"##", b"x#12##", b"##0099", b"\r\n", b"##9999QN=", ACCEPTED[0][:40]]


@given(st.lists(st.sampled_from(STREAM), max_size=6), st.randoms(use_true_random=False), st.integers(0, 3))
def test_streams_are_cut_as_the_codec_cuts_them(parts: list[bytes], chance: Random, changes: int) -> None:
    """Two programs, one rule: cut by the length, a byte on where it is no packet."""
    stream = bytearray(b"".join(parts))
    for _ in range(min(changes, len(stream))):
        stream[chance.randrange(len(stream))] = chance.choice(b"#0123456789\r\n;&=A\xff")
    tolerances = frozenset(Tolerance) - {
        Tolerance.LENGTH_IN_CHARACTERS,
        Tolerance.MISSING_TAIL,
        Tolerance.UNIVERSAL_CRC,
    }
    reader = PacketCodec(profile("2017"), PacketOptions(tolerances=tolerances)).reader()
    theirs = [not (isinstance(each, BadPacket) and each.what == "CRC") for each in reader.feed(bytes(stream))]
    middle = chance.randrange(len(stream) + 1)
    own = cut(bytes(stream[:middle]), bytes(stream[middle:]))
    assert [sound for _, sound in own] == theirs
    assert own == cut(bytes(stream))


def test_fields_and_items_are_read_as_by_the_codec() -> None:
    for data in ACCEPTED:
        packet = codec_of(data).decode(data)
        assert items(data[6:-6]) == packet.items
        assert header(data[6:-6]).get("MN") == packet.mn


def codec_of(data: bytes) -> PacketCodec:
    """Of the version that takes it with every tolerance."""
    for version in ("2025", "2017", "2005"):
        codec = PacketCodec(profile(version), PacketOptions(tolerances=frozenset(Tolerance)))
        try:
            codec.decode(data)
        except BadPacket:
            continue
        return codec
    raise AssertionError(data)


def test_a_field_is_changed_with_its_check_digits() -> None:
    answer = golden("H09")
    changed = with_field(answer, "QN", lambda value: value[:-1] + "4")
    assert cut(changed) == [(changed, True)]
    assert changed == answer.replace(b"57223", b"57224")[:-6] + changed[-6:]
    assert with_field(answer, "RtdInterval", lambda value: "1") == answer
    assert re.search(b"QN=20040516010101009;QnRtn", with_field(golden("H32"), "QN", lambda qn: qn[:-1] + "9"))


def test_an_encrypted_packet_is_cut_by_its_length() -> None:
    for name in ("J50", "J51"):
        data = golden(name)
        cutter = PacketCutter(1024, lambda segment, given: True)
        assert [framed.data for framed in cutter.feed(b"junk" + data + data)] == [data, data]
        assert cutter.discarded_bytes == 4
