"""Frames of public traces and manuals, whole, byte by byte, with bytes around them, and mutated."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_agent.errors import BadFrame
from edge_agent.protocols.fx.areas import commands
from edge_agent.protocols.fx.codec import (
    LONGEST,
    NAK,
    Decoder,
    Request,
    Token,
    answer_data,
    decode,
    digits_of,
    encode,
    framed,
)
from edge_agent.protocols.fx.frame_description import describe


def rows(name: str) -> list[dict[str, str]]:
    with (Path(__file__).parent / name).open(newline="") as file:
        return list(csv.DictReader(file))


FRAMES = rows("frames.csv")
MALFORMED = rows("malformed.csv")
REQUESTS = st.one_of(
    st.builds(
        Request,
        st.just("read"),
        st.sampled_from(["classic", "extended"]),
        st.integers(0, 0xFFFF),
        st.integers(1, 255),
    ),
    st.builds(
        Request,
        st.just("write"),
        st.sampled_from(["classic", "extended"]),
        st.integers(0, 0xFFFF),
        st.just(0),
        st.binary(min_size=1, max_size=255),
    ),
    st.builds(
        Request,
        st.sampled_from(["force_on", "force_off"]),
        st.sampled_from(["classic", "extended"]),
        st.integers(0, 0xFFFF),
    ),
)


def by_id(row: dict[str, str]) -> str:
    return row["id"]


def request_of(row: dict[str, str]) -> Request:
    return Request(
        row["operation"],  # type: ignore[arg-type]
        row["set"],  # type: ignore[arg-type]
        int(row["address"], 16),
        int(row["count"]),
        bytes.fromhex(row["written"]),
        row["memory"],  # type: ignore[arg-type]
    )


def in_bytes(wire: bytes) -> tuple[list[Token], Decoder]:
    """Tokens of bytes that come one at a time."""
    decoder = Decoder()
    return [token for byte in wire for token in decoder.feed(bytes((byte,)))], decoder


@pytest.mark.parametrize("row", FRAMES, ids=by_id)
def test_golden_request(row: dict[str, str]) -> None:
    wire, request = bytes.fromhex(row["request"]), request_of(row)
    assert encode(request) == wire
    assert Decoder().feed(wire) == [wire[1:-3]]
    assert decode(wire[1:-3]) == request
    assert in_bytes(wire)[0] == [wire[1:-3]]
    assert Decoder().feed(b"\xff\x00" + wire + b"\x30\x02") == [wire[1:-3]]


@pytest.mark.parametrize("row", FRAMES, ids=by_id)
def test_golden_answer(row: dict[str, str]) -> None:
    wire, data = bytes.fromhex(row["answer"]), bytes.fromhex(row["data"])
    if not data:
        assert Decoder().feed(wire) == [wire[0]]
        return
    assert framed(digits_of(data)) == wire
    for tokens in (Decoder().feed(wire), in_bytes(wire)[0], Decoder().feed(b"\x00" + wire + b"\x02\x30")):
        (digits,) = tokens
        assert isinstance(digits, bytes)
        assert answer_data(digits) == data


@pytest.mark.parametrize("row", MALFORMED, ids=by_id)
def test_malformed(row: dict[str, str]) -> None:
    wire = bytes.fromhex(row["bytes"])
    whole = Decoder()
    tokens = whole.feed(wire)
    assert (len(tokens), whole.checksum_errors, whole.discarded_bytes) == (
        int(row["tokens"]),
        int(row["checksum_errors"]),
        int(row["discarded"]),
    )
    bit_by_bit, decoder = in_bytes(wire)
    assert bit_by_bit == tokens
    assert decoder.discarded_bytes == whole.discarded_bytes
    with pytest.raises(BadFrame) as wrong:
        describe(wire)
    assert row["rule"] in str(wrong.value)


@pytest.mark.parametrize(
    ("digits", "rule"),
    [
        ("9000002", "command 900: must be one of E00"),
        ("0100", "address and count: must be 6 digits, 3 came"),
        ("0100000", "count: must be from 1 to 255 bytes"),
        ("01000021", "data: must be 0 digits, 1 came"),
        ("1100002123", "data: must be 4 digits, 3 came"),
        ("7640", "address: must be 4 digits, 3 came"),
        ("A22", "rate: must be 1 digits, 2 came"),
    ],
)
def test_wrong_requests_name_the_field(digits: str, rule: str) -> None:
    with pytest.raises(BadFrame) as wrong:
        decode(digits.encode())
    assert rule in str(wrong.value)
    with pytest.raises(BadFrame):
        describe(framed(digits.encode()), "request")


@pytest.mark.parametrize(
    ("request_", "rule"),
    [
        (Request("read", "classic", 0x10000, 1), "address 0x10000: must fit four digits"),
        (Request("read", "classic", 0, 0), "count 0: must be from 1 to 255"),
        (Request("write", "extended", 0, data=bytes(256)), "count 256"),
        (Request("read", "classic", 0, 1, memory="program"), "no command for read of program"),
    ],
)
def test_what_cannot_be_encoded(request_: Request, rule: str) -> None:
    with pytest.raises(ValueError, match=rule):
        encode(request_)


def test_describe() -> None:
    def described(text: str, **words: Any) -> dict[str, Any]:
        return describe(bytes.fromhex(text), **words)

    assert described("02 30 31 30 46 36 30 34 03 37 34") == {
        "direction": "request", "command": "read", "set": "classic", "memory": "device",
        "address": "10F6", "count": 4, "checksum": "74",
    }  # fmt: skip
    assert described("02 31 31 30 32 38 30 32 30 30 31 30 03 32 32")["data"] == "00 10"
    assert described("02 37 36 34 30 38 03 30 43")["bit_address"] == "0864"
    assert described("02 41 32 03 37 36", direction="request")["rate"] == 2
    answer = {"direction": "answer", "count": 2, "data": "34 12", "checksum": "CD"}
    assert described("02 33 34 31 32 03 43 44") == answer
    assert described("05") == {"direction": "request", "control": "ENQ"}
    assert described("15", direction="answer") == {"direction": "answer", "control": "NAK"}
    with pytest.raises(BadFrame, match="direction: must be answer, which ACK always is"):
        described("06", direction="request")
    with pytest.raises(BadFrame, match="start: must be 02"):
        described("")


def test_a_frame_that_may_be_both_says_so() -> None:
    wire = bytes.fromhex("02 45 37 30 30 35 45 03 35 39")
    assert describe(wire)["direction"] == "request or answer"
    assert describe(wire)["data"] == "E7 00 5E"
    assert describe(wire, "request")["bit_address"] == "5E00"
    assert describe(wire, "answer")["data"] == "E7 00 5E"


@pytest.mark.parametrize("row", FRAMES, ids=by_id)
def test_describe_knows_every_golden_frame(row: dict[str, str]) -> None:
    request = bytes.fromhex(row["request"])
    assert describe(request, "request")["command"] == row["operation"]
    assert describe(request)["direction"].startswith("request")
    assert describe(bytes.fromhex(row["answer"]), "answer")["direction"] == "answer"


def test_commands_are_distinguished_by_their_beginning() -> None:
    sizes = [len(command.prefix) for command in commands()]
    assert sizes == sorted(sizes, reverse=True)
    assert len({command.prefix for command in commands()}) == len(commands())


def test_a_frame_longer_than_any_is_given_up() -> None:
    sound = bytes.fromhex("02 30 41 03 37 34")
    endless = b"\x02" + b"0" * (3 * LONGEST) + sound
    decoder = Decoder()
    for _ in range(3):
        decoder.feed(b"\x02" + b"0" * LONGEST)
        assert decoder.pending <= LONGEST + 1
        decoder.feed(b"0")
        assert decoder.pending == 0
    decoder = Decoder()
    assert decoder.feed(endless) == [b"0A"]
    tokens, slow = in_bytes(endless)
    assert tokens == [b"0A"]
    assert slow.discarded_bytes == decoder.discarded_bytes
    assert slow.pending == 0


@settings(max_examples=60, deadline=None)
@given(REQUESTS)
def test_request_identity(request_: Request) -> None:
    (digits,) = Decoder().feed(encode(request_))
    assert isinstance(digits, bytes)
    assert decode(digits) == request_


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.one_of(st.binary(min_size=1, max_size=40), st.sampled_from([5, 6, 21])), max_size=8),
    st.data(),
)
def test_tokens_survive_any_cutting(sent: list[bytes | int], data: st.DataObject) -> None:
    tokens: list[Token] = [digits_of(each) if isinstance(each, bytes) else each for each in sent]
    wire = b"".join(framed(each) if isinstance(each, bytes) else bytes((each,)) for each in tokens)
    decoder, found = Decoder(), []
    while wire:
        cut = data.draw(st.integers(1, len(wire)))
        found += decoder.feed(wire[:cut])
        wire = wire[cut:]
    assert found == tokens
    assert (decoder.discarded_bytes, decoder.pending) == (0, 0)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=80))
def test_any_bytes_mean_the_same_at_once_and_byte_by_byte(wire: bytes) -> None:
    decoder = Decoder()
    tokens = decoder.feed(wire)
    found, slow = in_bytes(wire)
    assert found == tokens
    assert (slow.discarded_bytes, slow.pending) == (decoder.discarded_bytes, decoder.pending)


def test_a_changed_digit_is_always_detected() -> None:
    for row in FRAMES:
        wire = bytes.fromhex(row["request"])
        for at in range(1, len(wire)):
            for byte in b"0123456789ABCDEF":
                changed = wire[:at] + bytes((byte,)) + wire[at + 1 :]
                if changed != wire:
                    assert wire[1:-3] not in Decoder().feed(changed)
                    with pytest.raises(BadFrame):
                        describe(changed)


def test_nak_is_no_frame() -> None:
    assert Decoder().feed(b"\x15\x06") == [NAK, 6]


@pytest.mark.parametrize("portion", [1, 2, 7, 1000])
def test_a_frame_has_at_most_519_digits(portion: int) -> None:
    """E10, address, count and two digits for each of 255 bytes; more is noise."""

    def found(digits: int) -> tuple[list[Token], int]:
        decoder, wire = Decoder(), framed(b"0" * digits)
        parts = [wire[at : at + portion] for at in range(0, len(wire), portion)]
        tokens = [one for part in parts for one in decoder.feed(part)]
        return tokens, decoder.pending

    assert found(519) == ([b"0" * 519], 0)
    tokens, pending = found(520)
    assert not any(isinstance(token, bytes) for token in tokens) and pending == 0


def test_a_rate_is_one_digit_of_sixteen() -> None:
    """The number of a rate of the line, 0 to F."""
    speed = next(each for each in commands() if each.operation == "speed")
    for rate, wire in ((0, "0"), (9, "9"), (10, "A"), (15, "F")):
        request = Request("speed", speed.set, rate, memory=speed.memory)
        digits = encode(request)[1:-3]
        assert digits.endswith(wire.encode())
        assert decode(digits).address == rate
