"""Points to requests, words to values, and what a configuration may say."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_agent.config.model import Point, Port, Slave
from edge_agent.errors import BadValue, ConfigError, DeviceRefused
from edge_agent.protocols import PROTOCOLS
from edge_agent.protocols.mc.codec import Request
from edge_agent.protocols.mc.names import named, plain, printed
from edge_agent.protocols.mc.planner import McBlock, plan
from edge_agent.protocols.mc.values import insert
from edge_agent.protocols.word_values import WordDecoder, WordField, encode

PORT = Port(name="p", type="NET", host="192.0.2.1")


def slave(protocol: str = "mc_1e", **options: Any) -> Slave:
    if protocol == "mc_3e":
        options.setdefault("series", "FX5")
    return Slave(name="s", port="p", protocol=protocol, address="0", options=options)


def at(area: str, offset: int | str, data_type: str = "uint16", rw: str = "readonly", **more: Any) -> Point:
    return Point(
        slave="s",
        name=f"{area}{offset}",
        data_type=data_type,  # type: ignore[arg-type]
        rw=rw,  # type: ignore[arg-type]
        address={"area": area, "offset": offset, **more},
    )


def blocks(of: Slave, *points: Point, gap: int | None = None) -> list[McBlock]:
    return plan(of, points, gap)  # type: ignore[return-value]


def spans(result: list[McBlock]) -> list[tuple[int, int, int]]:
    return [(block.request.device, block.request.start, block.request.count) for block in result]


def test_adjacent_points_are_one_request_and_areas_are_not_joined() -> None:
    result = blocks(slave(), at("D", 10), at("D", 11, "float"), at("X", 17), at("M", 3), at("X", 20))
    assert spans(result) == [(0x4420, 10, 3), (0x4D20, 3, 1), (0x5820, 15, 2)]


def test_no_request_reaches_from_the_plain_to_the_special_devices() -> None:
    result = blocks(slave(), at("D", 7999), at("D", 8000), at("M", 7679), at("M", 8000), gap=62)
    assert spans(result) == [(0x4420, 7999, 1), (0x4420, 8000, 1), (0x4D20, 7679, 1), (0x4D20, 8000, 1)]


def test_counters_of_32_bits_are_two_words_each_and_are_never_joined() -> None:
    counters = [at("CN", 200 + n, "int32") for n in range(40)]
    result = blocks(slave(), at("CV", 199), *counters)
    assert spans(result) == [(0x434E, 200, 64), (0x434E, 232, 16), (0x434E, 199, 1)]
    data = struct.pack("<32i", *range(32))
    assert result[0].decode(data) == list(range(32))


@pytest.mark.parametrize(("protocol", "code", "words", "bits"), [
    ("mc_1e", "binary", 64, 256), ("mc_1e", "ascii", 64, 256),
    ("mc_3e", "binary", 960, 3584), ("mc_3e", "ascii", 480, 1792),
])  # fmt: skip
def test_limits_of_a_request(protocol: str, code: str, words: int, bits: int) -> None:
    one = slave(protocol, code=code)
    counts = [block.request.count for block in blocks(one, *(at("D", n) for n in range(words + 1)))]
    assert counts == [words, 1]
    counts = [block.request.count for block in blocks(one, *(at("M", n) for n in range(bits + 1)))]
    assert counts == [bits, 1]
    cut = [block.request.count for block in blocks(one, at("D", words - 1), at("D", 0), at("D", words))]
    assert all(count <= words for count in cut)


def test_a_hole_is_read_along_up_to_the_gap() -> None:
    pair = at("D", 0), at("D", 11)
    assert spans(blocks(slave(max_gap=10), *pair, gap=0)) == [(0x4420, 0, 12)]
    assert len(blocks(slave(max_gap=9), *pair)) == 2
    assert len(blocks(slave(), *pair, gap=9)) == 2
    assert len(blocks(slave(), *pair, gap=10)) == 1
    assert len(blocks(slave(), at("M", 0), at("M", 41), gap=10)) == 1
    assert len(blocks(slave(), at("M", 0), at("M", 42), gap=10)) == 2


def test_a_refused_block_is_cut_at_its_gaps_then_halved() -> None:
    (block,) = blocks(slave(), *(at("D", n) for n in (0, 1, 2, 3, 9)))
    first, second = block.split(DeviceRefused(0x58, "head"))
    assert (first.points, second.points) == ((0, 1, 2, 3), (4,))
    assert [piece.points for piece in first.split(DeviceRefused(0x56, "device"))] == [(0, 1), (2, 3)]
    assert block.split(DeviceRefused(0x5B10, "PLC")) == ()
    assert second.split(DeviceRefused(0x58, "head")) == ()


def test_values_of_every_type() -> None:
    words = struct.pack("<HhiIqQfd", 7, -7, -70000, 70000, -(2**40), 2**63, 1.5, -2.25)
    text = "锅炉1".encode("gb18030").ljust(8, b"\0")
    types = ["uint16", "int16", "int32", "uint32", "int64", "uint64", "float", "double"]
    offsets = [0, 1, 2, 4, 6, 10, 14, 16]
    points = [at("D", offset, kind) for offset, kind in zip(offsets, types, strict=True)]
    points += [at("D", 20, "string", length=7), at("D", 0, "uint16", bit=2), at("D", 1, "uint16", bit=15)]
    points += [at("D", 0, "uint8", byte="high"), at("D", 1, "int8"), at("D", 1, "uint8", byte="high")]
    (block,) = blocks(slave(encoding="gb18030"), *points)
    result = dict(zip(block.points, block.decode(words + text), strict=True))
    assert [result[index] for index in range(len(points))] == [
        7, -7, -70000, 70000, -(2**40), 2**63, 1.5, -2.25, "锅炉1", 1, 1, 0, -7, 255,
    ]  # fmt: skip


def test_text_that_is_no_text_is_no_value() -> None:
    (block,) = blocks(slave(), at("D", 0, "string", length=4))
    assert list(block.decode(b"\xff\xfeab")) == [None]


def test_wire_bytes_are_those_of_request_and_answer() -> None:
    (words,) = blocks(slave(), at("D", 100), at("D", 102))
    assert words.wire_bytes == 12 + 2 + 6
    (bits,) = blocks(slave("mc_3e", code="ascii"), at("M", 0), at("M", 4))
    assert bits.wire_bytes == 42 + 22 + 5


def test_route_and_timer_reach_the_request() -> None:
    (block,) = blocks(slave("mc_3e", network=1, pc=2, module_io=0x3E0, station=3, timer=9), at("D", 0))
    assert block.frame.encode_request(block.request).hex() == "50000102e003030c00090001040000000000a80100"
    (block,) = blocks(slave(), at("D", 0))
    assert block.request.timer == 3  # of a response time of 1000 ms


WRONG = [
    ("mc_1e", at("X", 18), "address.offset", "octal digits"),
    ("mc_1e", at("X", 400), "address.offset", "from 0 to 377"),
    ("mc_1e", at("D", 7999, "uint32"), "address.offset", "from 0 to 7999 or 8000 to 8511"),
    ("mc_1e", at("M", 7680), "address.offset", "or 8000 to 8511"),
    ("mc_1e", at("R", 32768), "address.offset", "from 0 to 32767"),
    ("mc_1e", at("CN", 199, "uint32"), "address.offset", "from 200 to 255"),
    ("mc_1e", at("CN", 200, "uint16"), "data_type", "uint32 or int32"),
    ("mc_1e", at("CN", 200, "uint32", bit=1), "data_type", "whole"),
    ("mc_1e", at("W", 1), "address.area", "must be one of"),
    ("mc_1e", at("M", 1, "float"), "address.area", "single bits"),
    ("mc_1e", at("M", 1, "uint16", bit=1), "address.area", "single bits"),
    ("mc_1e", at("D", 1, "var"), "data_type", "not a type"),
    ("mc_1e", at("D", 1, "float", bit=1), "address.bit", "integer data_type"),
    ("mc_1e", at("D", 1, "string"), "address.length", "must be given"),
    ("mc_1e", at("D", 1, "uint16", length=2), "address.length", "only a string"),
    ("mc_1e", at("D", 1, "string", length=130), "data_type", "needs 65 words"),
    ("mc_1e", at("X", 1, rw="readwrite"), "rw", "readonly in area X"),
    ("mc_1e", at("T", 1, rw="readwrite"), "rw", "readonly in area T"),
    ("mc_3e", at("W", 19), "address.offset", "text of hexadecimal digits"),
    ("mc_3e", at("CN", 200, "uint32"), "address.area", "must be one of"),
    ("mc_3e", at("X", "1F"), "address.offset", "octal digits"),
    ("mc_3e", at("D", "1G"), "address.offset", "fit the pattern"),
]


@pytest.mark.parametrize(
    ("protocol", "point", "field", "rule"), WRONG, ids=[f"{w[1].name}-{w[2]}" for w in WRONG]
)
def test_wrong_point(protocol: str, point: Point, field: str, rule: str) -> None:
    with pytest.raises(ConfigError) as error:
        PROTOCOLS[protocol].validate_point(point, slave(protocol))
    assert error.value.field == field
    assert rule in error.value.rule


def test_series_says_how_inputs_are_printed() -> None:
    assert spans(blocks(slave("mc_3e", series="Q"), at("X", "1F"), at("Y", "20"))) == [
        (0x9C, 31, 1),
        (0x9D, 32, 1),
    ]
    assert spans(blocks(slave("mc_3e", series="FX5"), at("X", 20))) == [(0x9C, 16, 1)]


@pytest.mark.parametrize(("protocol", "options", "field"), [
    ("mc_1e", {"max_words": 65}, "options.max_words"),
    ("mc_1e", {"network": 1}, "options"),
    ("mc_1e", {"timer": 0}, "options.timer"),
    ("mc_3e", {"code": "ascii", "max_words": 481}, "options.max_words"),
    ("mc_3e", {"series": "FX3U"}, "options.series"),
])  # fmt: skip
def test_wrong_options(protocol: str, options: dict[str, Any], field: str) -> None:
    with pytest.raises(ConfigError) as error:
        PROTOCOLS[protocol].validate_slave(slave(protocol, **options), PORT)
    assert error.value.field == field


def test_wrong_address() -> None:
    for address in ("256", "x", "1.2", "²"):
        one = Slave(name="s", port="p", protocol="mc_1e", address=address)
        with pytest.raises(ConfigError, match="0 to 255"):
            PROTOCOLS["mc_1e"].validate_slave(one, PORT)


@given(st.integers(0, 0xFFFFFF), st.sampled_from([8, 10, 16]))
def test_printed_numbers_round_trip(number: int, base: int) -> None:
    text = printed(number, base)
    assert plain(text, base) == number
    if base != 16:
        assert plain(int(text), base) == number


@given(
    st.sampled_from(["mc_1e", "mc_3e"]),
    st.lists(
        st.tuples(st.integers(0, 400), st.sampled_from(["uint16", "int32", "double", "uint8"])), max_size=40
    ),
    st.integers(0, 60),
    st.integers(4, 64),
)
@settings(max_examples=60, deadline=None)
def test_a_plan_reads_every_point_once_and_never_splits_it(
    protocol: str, places: list[tuple[int, str]], gap: int, limit: int
) -> None:
    points = [at("D", offset, kind) for offset, kind in places]
    result = blocks(slave(protocol, max_words=limit), *points, gap=gap)
    assert sorted(index for block in result for index in block.points) == list(range(len(points)))
    memory = bytes(n * 7 % 251 for n in range(1000))
    for block in result:
        start, count = block.request.start, block.request.count
        assert count <= limit
        values = block.decode(memory[2 * start : 2 * (start + count)])
        for index, value in zip(block.points, values, strict=True):
            offset, kind = places[index]
            form = {"uint16": "<H", "int32": "<i", "double": "<d", "uint8": "<B"}[kind]
            assert struct.pack(form, value) == memory[2 * offset : 2 * offset + struct.calcsize(form)]


@given(st.sampled_from([("uint16", 2), ("int32", 4), ("int64", 8), ("int8", 1)]), st.data())
@settings(max_examples=60, deadline=None)
def test_encode_is_the_inverse_of_decode(kind: tuple[str, int], chance: st.DataObject) -> None:
    name, size = kind
    low = 0 if name == "uint16" else -(1 << 8 * size - 1)
    value = chance.draw(st.integers(low, low + (1 << 8 * size) - 1))
    one = WordField(0, 0, size, name)
    assert list(WordDecoder([one])(encode(one, value).ljust(8, b"\0"))) == [value]
    with pytest.raises(BadValue):
        encode(one, low - 1)


def test_a_bit_and_a_byte_are_put_into_their_word() -> None:
    assert insert(WordField(0, 0, 2, "uint16", bit=9), b"\x01\x00", 1) == b"\x01\x02"
    assert insert(WordField(0, 0, 2, "uint16", bit=0), b"\x01\x02", 0) == b"\x00\x02"
    assert insert(WordField(0, 1, 1, "int8"), b"\x11\x22", -1) == b"\x11\xff"
    with pytest.raises(BadValue, match="no bit"):
        insert(WordField(0, 0, 2, "uint16", bit=9), b"\0\0", 2)
    with pytest.raises(BadValue, match="text of 5 bytes"):
        encode(WordField(0, 0, 4, "string"), "abcde")
    with pytest.raises(BadValue, match="shift_jis lacks"):
        encode(WordField(0, 0, 40, "string", encoding="shift_jis"), "锅炉")


@pytest.mark.parametrize(
    ("text", "base", "rule"),
    [
        ("18", 8, "octal"),
        ("A", 10, "decimal"),
        ("1G", 16, "hexadecimal"),
        ("", 16, "hexadecimal"),
        ("-1", 8, "octal"),
    ],
)
def test_a_digit_that_does_not_fit_is_refused_with_the_digits_that_do(
    text: str, base: int, rule: str
) -> None:
    with pytest.raises(ValueError, match=f"must be {rule} digits, '{text}' is not"):
        plain(text, base)


def test_the_first_and_the_last_device_of_an_area_have_its_name() -> None:
    def name(start: int) -> dict[str, Any]:
        return named("1e", Request("read", device=0x4420, start=start, count=1))

    assert name(0) == {"device": "D", "start": 0, "first": "D0"}
    assert name(7999) == {"device": "D", "start": 7999, "first": "D7999"}
    assert name(8000)["start"] == 8000
    assert name(8511)["first"].endswith("8511")
    assert name(8512) == {"device": "unknown code 4420", "start": 8512}
