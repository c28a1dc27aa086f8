"""Frames of the manuals, and hostile input, through both frame types in both codes."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_agent.errors import BadFrame
from edge_agent.protocols.mc.codec import (
    Answer,
    Command,
    Frame,
    Reader,
    Request,
    Route,
    data_size,
    digits,
    pack,
    to_numbers,
    unpack,
)
from edge_agent.protocols.mc.config import FRAMES, Code
from edge_agent.protocols.mc.tables import areas, end_codes

HERE = Path(__file__).parent
CODES = ("binary", "ascii")


def rows(name: str) -> dict[str, dict[str, str]]:
    return {row["id"]: row for row in csv.DictReader((HERE / name).read_text().splitlines())}


GOLDEN = rows("frames.csv")
MALFORMED = rows("malformed.csv")


def wire(row: dict[str, str], text: str) -> bytes:
    return bytes.fromhex(text) if row["code"] == "binary" else text.encode()


def frame_of(row: dict[str, str]) -> Frame:
    return FRAMES[row["frame"], row["code"]]  # type: ignore[index]


def request_of(row: dict[str, str]) -> Request:
    return Request(
        command=row["command"],  # type: ignore[arg-type]
        bits=row["bits"] == "1",
        device=int(row["device"], 16),
        start=int(row["start"]),
        count=int(row["count"]),
        timer=int(row["timer"]),
        data=bytes.fromhex(row["data"]),
    )


def answer_of(row: dict[str, str]) -> Answer:
    return Answer(int(row["end_code"], 16), bytes.fromhex(row["answer_data"]))


def data_bytes(request: Request) -> int:
    """Bytes of data in a good answer."""
    if request.command == "model":
        return 2 if request.timer == 10 else 18
    return 0 if request.command == "write" else request.count * (1 if request.bits else 2)


def test_tables_are_complete() -> None:
    assert (len(GOLDEN), len(MALFORMED)) == (31, 30)
    assert len(areas("1e")) == 14
    assert {code.effect for frame in ("1e", "3e") for code in end_codes(frame).values()} == {
        "cut",
        "refuse",
        "silent",
    }


@pytest.mark.parametrize("row", GOLDEN.values(), ids=GOLDEN)
def test_golden_request(row: dict[str, str]) -> None:
    frame, request, sent = frame_of(row), request_of(row), wire(row, row["request"])
    assert frame.encode_request(request) == sent
    assert frame.decode_request(sent) == request
    sizes = [frame.request_size(sent[:count]) for count in range(len(sent) + 1)]
    assert sizes[0] is None
    assert {size for size in sizes if size is not None} == {len(sent)}
    assert frame.request_size(sent + sent) == len(sent)
    with pytest.raises(BadFrame):
        frame.decode_request(sent + b"0")


@pytest.mark.parametrize("row", GOLDEN.values(), ids=GOLDEN)
def test_golden_answer(row: dict[str, str]) -> None:
    frame, request, answer, sent = frame_of(row), request_of(row), answer_of(row), wire(row, row["answer"])
    assert frame.encode_answer(request, answer) == sent
    assert frame.decode_answer(request, sent) == answer
    sizes = [frame.answer_size(request, sent[:count]) for count in range(len(sent) + 1)]
    assert sizes[0] is None
    assert {size for size in sizes if size is not None} == {len(sent)}
    assert frame.answer_size(request, sent + b"\x99") == len(sent)
    for cut in range(len(sent)):
        with pytest.raises(BadFrame):
            frame.decode_answer(request, sent[:cut])
    for tail in (b"\0", b"0", sent):
        with pytest.raises(BadFrame):
            frame.decode_answer(request, sent + tail)


@pytest.mark.parametrize("row", MALFORMED.values(), ids=MALFORMED)
def test_malformed_answer_names_the_field(row: dict[str, str]) -> None:
    of = GOLDEN[row["of"]]
    with pytest.raises(BadFrame, match=f"^{row['field']}:"):
        frame_of(of).decode_answer(request_of(of), wire(of, row["answer"]))


@pytest.mark.parametrize("key", FRAMES, ids="-".join)
@pytest.mark.parametrize("command", ["read", "write"])
@pytest.mark.parametrize("bits", [False, True])
@settings(max_examples=25, deadline=None)
@given(chance=st.data())
def test_round_trip(key: tuple[str, str], command: Command, bits: bool, chance: st.DataObject) -> None:
    frame = FRAMES[key]  # type: ignore[index]
    count = chance.draw(st.integers(1, 256 if key[0] == "1e" else 960))
    data = chance.draw(
        st.binary(min_size=count, max_size=count).map(lambda raw: bytes(byte & 1 for byte in raw))
        if bits
        else st.binary(min_size=2 * count, max_size=2 * count)
    )
    area = chance.draw(st.sampled_from([area for area in areas(frame.name) if area.bit == bits]))
    route = Route(
        network=chance.draw(st.integers(0, 255)) if key[0] == "3e" else 0,
        pc=chance.draw(st.integers(0, 255)),
        io=chance.draw(st.integers(0, 65535)) if key[0] == "3e" else 0x3FF,
    )
    request = Request(
        command,
        bits,
        area.code,
        chance.draw(st.integers(0, 999_999)),
        count,
        7,
        route,
        data if command == "write" else b"",
    )
    sent = frame.encode_request(request)
    assert frame.decode_request(sent) == request
    assert frame.request_size(sent) == len(sent)
    answer = Answer(data=b"" if command == "write" else data)
    back = frame.encode_answer(request, answer)
    assert frame.decode_answer(request, back) == answer
    assert frame.answer_size(request, back) == len(back)


@given(st.booleans(), st.binary(max_size=64), st.sampled_from(CODES), st.booleans())
@settings(max_examples=100, deadline=None)
def test_data_round_trip(bits: bool, raw: bytes, code: str, even: bool) -> None:
    data = bytes(byte & 1 for byte in raw) if bits else raw[: len(raw) // 2 * 2]
    count = len(data) if bits else len(data) // 2
    packed = pack(data, bits, code, even=even)  # type: ignore[arg-type]
    assert unpack(packed, bits, count, code, even=even) == data  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("raw", "bits", "count", "code", "words"),
    [
        (b"1" * 3, False, 1, "binary", "data: 2 bytes must be there for 1 words, 3 are"),
        (b"1" * 3, True, 3, "ascii", "data: 4 bytes must be there for 3 bits, 3 are"),
        (b"\x10", True, 3, "binary", "data: 2 bytes must be there for 3 bits, 1 are"),
        (b"x" * 60, False, 15, "ascii", f"data: must be upper-case hexadecimal digits, is {b'x' * 40!r}"),
        (b"\x12" * 60, True, 120, "binary", f"data: bits must be 0 or 1, are {' '.join(['12'] * 40)}"),
        (b"2" * 60, True, 60, "ascii", f"data: bits must be 0 or 1, are {' '.join(['32'] * 40)}"),
        (b"10" * 29 + b"12", True, 60, "ascii", f"data: bits must be 0 or 1, are {' '.join(['31 30'] * 20)}"),
    ],
)
def test_data_that_are_none(raw: bytes, bits: bool, count: int, code: Code, words: str) -> None:
    """At most 40 bytes of what came are quoted."""
    with pytest.raises(BadFrame) as refusal:
        unpack(raw, bits, count, code, even=True)
    assert str(refusal.value) == words


def test_data_on_the_wire() -> None:
    for bits, code, even, data, raw in (
        (True, "binary", True, b"\1\0\1", b"\x10\x10"), (True, "binary", False, b"\1\0", b"\x10"),
        (True, "ascii", True, b"\1\0\1", b"1010"), (True, "ascii", False, b"\1\0\1", b"101"),
        (True, "ascii", True, b"\1\0", b"10"), (False, "binary", True, b"\x34\x12", b"\x34\x12"),
        (False, "ascii", True, b"\x34\x12\xcd\xab", b"1234ABCD"),
    ):  # fmt: skip
        count = len(data) if bits else len(data) // 2
        assert pack(data, bits, code, even=even) == raw  # type: ignore[arg-type]
        assert data_size(bits, count, code, even=even) == len(raw)  # type: ignore[arg-type]
        assert unpack(raw, bits, count, code, even=even) == data  # type: ignore[arg-type]
    assert to_numbers(b"\x34\x12\xff\xff", False) == [0x1234, 0xFFFF] and to_numbers(b"\1\0", True) == [1, 0]


def test_fields_are_taken_from_the_front() -> None:
    binary, text = Reader(b"\x34\x12\x56", "binary"), Reader(b"123456", "ascii")
    assert (binary.number("n", 2), text.number("n", 2)) == (0x1234, 0x1234)
    assert (binary.left, text.left) == (1, 2)
    with pytest.raises(BadFrame, match="n: 2 bytes must follow, 1 do"):
        binary.number("n", 2)
    with pytest.raises(BadFrame, match="n: 4 bytes must follow, 2 do"):
        text.number("n", 2)
    with pytest.raises(BadFrame, match="length: 1 bytes follow the frame, none may"):
        binary.end()
    with pytest.raises(BadFrame, match="head: must be 50 00, is 35 36"):
        text.expect("head", b"\x50\x00")
    assert text.left == 0 and binary.rest() == b"\x56" and binary.left == 0
    binary.end()
    for raw, base, words in ((b"1A", 10, "decimal"), (b"1a", 16, "hexadecimal"), (b"1G", 16, "hexadecimal")):
        with pytest.raises(BadFrame, match=f"n: must be upper-case {words} digits"):
            digits("n", raw, base)
    assert (digits("n", b"10", 10), digits("n", b"1F", 16)) == (10, 31)


def test_a_request_that_says_nothing_else_is_to_the_plc_of_the_connection() -> None:
    request = Request("read")
    assert (request.bits, request.device, request.start, request.count, request.timer) == (False, 0, 0, 0, 4)
    route = request.route
    assert (route.network, route.pc, route.io, route.station) == (0, 0xFF, 0x3FF, 0)
    assert Answer() == Answer(0, b"")


def test_a_model_that_no_table_has_is_named_by_its_code() -> None:
    frame = FRAMES["1e", "binary"]
    assert (frame.model_of(b"\xf3\x00"), frame.model_of(b"\x99\x12")) == ("FX3U", "model 99")
