"""Golden frames of the specification and of vendors' tables: built, described, and refused when changed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from modbus_golden import Golden, goldens, rows

from edge_agent.errors import BadFrame
from edge_agent.protocols import PROTOCOLS
from edge_agent.protocols.modbus import frames

BY_CARRIER = {"tcp": PROTOCOLS["modbus_tcp"], "rtu": PROTOCOLS["modbus_rtu"]}
EITHER_WAY = (5, 6)


def frame_of(carrier: str, unit: int, pdu: bytes) -> bytes:
    return frames.mbap(1, unit, pdu) if carrier == "tcp" else frames.rtu(unit, pdu)


@pytest.mark.parametrize("golden", goldens(), ids=str)
def test_built_from_its_fields(golden: Golden) -> None:
    assert frame_of(golden.carrier, golden.unit, golden.pdu) == golden.frame


@pytest.mark.parametrize("golden", goldens(), ids=str)
def test_described(golden: Golden) -> None:
    protocol = BY_CARRIER[golden.carrier]
    shown = protocol.describe(golden.frame, golden.direction)
    assert next(iter(shown.items())) == ("direction", golden.direction)
    assert shown | golden.fields == shown
    found = protocol.describe(golden.frame)["direction"]
    assert found == ("request or answer" if golden.function in EITHER_WAY else golden.direction)
    if golden.carrier == "rtu":
        assert PROTOCOLS["modbus_rtu_tcp"].describe(golden.frame, golden.direction) == shown
        assert shown["checksum"] == golden.frame[-2:].hex()
    else:
        assert shown["transaction"] == 1


@pytest.mark.parametrize("golden", goldens(), ids=str)
def test_every_cut_and_every_tail_is_refused(golden: Golden) -> None:
    protocol = BY_CARRIER[golden.carrier]
    for size in range(len(golden.frame)):
        with pytest.raises(BadFrame):
            protocol.describe(golden.frame[:size])
    for tail in (b"\0", b"\0\0", b"\xff\xff", golden.frame):
        with pytest.raises(BadFrame, match=r"behind it|what follows"):
            protocol.describe(golden.frame + tail, golden.direction)


@pytest.mark.parametrize(
    "row", rows("malformed.csv"), ids=lambda row: f"{row['carrier']}-{row['words'][:30]}"
)
def test_malformed(row: dict[str, str]) -> None:
    direction: Any = row["direction"] or None
    with pytest.raises(BadFrame) as refusal:
        BY_CARRIER[row["carrier"]].describe(bytes.fromhex(row["frame"]), direction)
    assert row["words"] in str(refusal.value)


def test_values_are_printed() -> None:
    tcp = BY_CARRIER["tcp"]
    shown = tcp.describe(bytes.fromhex("0001 0000 0007 01 03 04 41480000"))
    assert shown["registers"] == [0x4148, 0]
    assert shown["name"] == "read holding registers"
    shown = tcp.describe(bytes.fromhex("0001 0000 0009 01 0F 0013 000A 02 CD01"))
    assert shown["bits"] == [1, 0, 1, 1, 0, 0, 1, 1, 1, 0]
    assert tcp.describe(bytes.fromhex("0001 0000 0003 01 83 63"))["meaning"] == "unknown"
    assert (
        tcp.describe(bytes.fromhex("0001 0000 0003 01 83 0B"))["meaning"] == "gateway target did not answer"
    )


def test_a_read_of_coils_that_could_be_an_answer() -> None:
    """01 01 03 xx 00 12: 18 coils from 03xx, or three bytes of coils. The longer read cannot be a request."""
    tcp = BY_CARRIER["tcp"]
    either = bytes.fromhex("0001 0000 0006 01 01 03 12 00 12")
    assert tcp.describe(either)["direction"] == "request"
    assert tcp.describe(either, "answer")["data"] == "120012"
    assert tcp.describe(bytes.fromhex("0001 0000 0006 01 01 03 12 FF 12"))["direction"] == "answer"


def test_identification() -> None:
    tcp, rtu = BY_CARRIER["tcp"], BY_CARRIER["rtu"]
    pdu = bytes.fromhex("2B 0E 01 01 00 00 03 00 04") + b"ACME" + b"\1\x03P-1" + b"\2\x04V2.1"
    shown = tcp.describe(frames.mbap(1, 1, pdu))
    assert (shown["direction"], shown["text"]) == ("answer", "ACME P-1 V2.1")
    assert tcp.describe(frames.mbap(1, 1, bytes.fromhex("2B0E0100")))["direction"] == "request"
    assert rtu.describe(frames.rtu(1, b"\x11\x07\xb4\xffLMB 3"))["text"] == "LMB 3"
    for cut in range(7, len(pdu)):
        with pytest.raises(BadFrame, match="identification"):
            tcp.describe(frames.mbap(1, 1, pdu[:cut]))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["tcp", "rtu"]), st.integers(0, 255), st.data())
def test_build_and_describe_are_inverse(carrier: str, unit: int, data: Any) -> None:
    function = data.draw(st.sampled_from([1, 2, 3, 4, 15, 16]))
    most = {1: 2000, 2: 2000, 3: 125, 4: 125, 15: 1968, 16: 123}[function]
    count = data.draw(st.integers(1, most))
    start = data.draw(st.integers(0, 65536 - count))
    if function == 15:
        size = (count + 7) // 8
        payload = data.draw(st.binary(min_size=size, max_size=size))
        pdu = frames.write_coils(start, count, payload)
    elif function == 16:
        payload = data.draw(st.binary(min_size=2 * count, max_size=2 * count))
        pdu = frames.write_registers(start, payload)
    else:
        pdu, payload = frames.read_request(function, start, count), b""
    shown = BY_CARRIER[carrier].describe(frame_of(carrier, unit, pdu))
    assert (shown["unit"], shown["function"], shown["start"], shown["count"]) == (
        unit,
        function,
        start,
        count,
    )
    assert shown["direction"] == "request"
    if payload:
        assert bytes.fromhex(shown["data"]) == payload


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=300))
def test_checksum_finds_every_changed_bit(data: bytes) -> None:
    sound = data + frames.crc(data)
    assert frames.crc(sound) == b"\0\0"  # a property of this CRC that the table does not use
    for at in range(0, 8 * len(sound), max(1, len(sound) // 4)):
        changed = bytearray(sound)
        changed[at // 8] ^= 1 << at % 8
        assert frames.crc(bytes(changed[:-2])) != bytes(changed[-2:])


def test_the_shortest_frame_ends_where_it_is_sound_and_never_below_four_bytes() -> None:
    shortest = frames.rtu(1, b"\x11")
    assert len(shortest) == 4
    assert frames.shortest_sound(shortest) == 4
    assert frames.shortest_sound(shortest + shortest) == 4, "not the longer one that is sound as well"
    assert frames.shortest_sound(shortest[:3]) == 0
    bare = frames.rtu(1, b"")
    assert frames.shortest_sound(frames.crc(b"")) == frames.shortest_sound(bare) == 0, (
        "a unit needs a function"
    )
    long = frames.rtu(17, frames.read_request(3, 0, 10))
    assert frames.shortest_sound(long + b"\0") == len(long)


COUNTED = [(1, 2000), (2, 2000), (3, 125), (4, 125), (15, 1968), (16, 123)]


def request_pdu(function: int, start: int, count: int) -> bytes:
    if function == 15:
        return frames.write_coils(start, count, bytes((count + 7) // 8))
    if function == 16:
        return frames.write_registers(start, bytes(2 * count))
    return frames.read_request(function, start, count)


@pytest.mark.parametrize(("function", "most"), COUNTED)
def test_how_many_one_request_may_ask_for_and_up_to_which_address(function: int, most: int) -> None:
    """Modbus application protocol 1.1b3, section 6."""
    rtu = BY_CARRIER["rtu"]
    for count in (2, most):
        found = rtu.describe(frames.rtu(1, request_pdu(function, 65536 - count, count)), "request")
        assert (found["start"], found["count"], found["function"]) == (65536 - count, count, function)
        with pytest.raises(
            BadFrame, match=f"start: {65537 - count} and count {count}, at most 65536 together"
        ):
            rtu.describe(frames.rtu(1, request_pdu(function, 65537 - count, count)), "request")
    for count in (0, most + 1):
        head = frames.REQUEST.pack(function, 0, count) + (b"\x02\0\0" if function > 4 else b"")
        with pytest.raises(BadFrame, match=f"count: {count}, 1 to {most} expected"):
            rtu.describe(frames.rtu(1, head), "request")


@pytest.mark.parametrize("function", [1, 2, 3, 4])
def test_how_long_the_answer_to_a_read_may_be(function: int) -> None:
    rtu = BY_CARRIER["rtu"]
    step = 1 if function < 3 else 2
    for size in (step, 250):
        answer = frames.rtu(1, bytes((function, size)) + bytes(size))
        assert rtu.describe(answer, "answer")["byte_count"] == size
        assert frames.answer_size(answer) == len(answer) == size + 5
        assert frames.answer_size(b"\xff" + answer, 1) == len(answer)
    with pytest.raises(BadFrame, match="byte count: 251, 1 to 250 expected"):
        rtu.describe(frames.rtu(1, bytes((function, 251)) + bytes(251)), "answer")
    for size in (0, 251, 252, 255):
        assert frames.answer_size(bytes((1, function, size))) == -1
    assert frames.answer_size(bytes((1, function, 3))) == (8 if function < 3 else -1), (
        "registers have two bytes"
    )


def test_the_size_of_an_answer_shows_in_its_first_three_bytes() -> None:
    for known in range(3):
        assert frames.answer_size(bytes((1, 3, 2))[:known]) == 0
    for function in (5, 6, 15, 16):
        assert frames.answer_size(bytes((1, function, 0))) == 8
    assert frames.answer_size(bytes((1, 0x11, 7))) == 12
    for function in (1, 2, 3, 4, 5, 6, 15, 16, 0x11):
        assert frames.answer_size(bytes((1, function | 0x80, 2))) == 5
    for function in (0, 7, 8, 0x2B, 0x80, 0x87, 0xAB):
        assert frames.answer_size(bytes((1, function, 2))) == -1


@pytest.mark.parametrize(
    ("function", "count", "size"),
    [
        (1, 1, 6), (1, 8, 6), (1, 9, 7), (2, 16, 7), (2, 17, 8), (3, 1, 7), (4, 125, 255), (5, 0xFF00, 8),
        (6, 1, 8), (15, 9, 8), (16, 2, 8),
    ],
)  # fmt: skip
def test_the_size_of_an_answer_is_that_of_its_request(function: int, count: int, size: int) -> None:
    assert frames.expected_size(frames.rtu(1, frames.REQUEST.pack(function, 0, count))) == size
    assert frames.expected_size(frames.rtu(1, b"\x11")) == 0, "the answer itself says it"


def test_the_shortest_and_the_longest_frame() -> None:
    rtu, tcp = BY_CARRIER["rtu"], BY_CARRIER["tcp"]
    assert rtu.describe(frames.rtu(1, b"\x11"))["function"] == 0x11
    for size in (3, 257):
        with pytest.raises(BadFrame, match=f"length: {size} bytes, 4 to 256 expected"):
            rtu.describe(bytes(size))
    with pytest.raises(BadFrame, match="data bytes: 247, 2 expected"):
        rtu.describe(frames.rtu(1, bytes((16, 0, 0, 0, 1, 2)) + bytes(247)))
    with pytest.raises(BadFrame, match="length: 7 bytes, at least 8 expected"):
        tcp.describe(bytes.fromhex("0001 0000 0001 01"))
    for length in (1, 255):
        with pytest.raises(BadFrame, match=f"length: {length}, 2 to 254 expected"):
            tcp.describe(frames.MBAP.pack(1, 0, length, 1) + bytes(length))
    assert tcp.describe(frames.mbap(1, 1, b"\x11"))["length"] == 2
    with pytest.raises(BadFrame, match="data bytes: 247, 2 expected"):
        tcp.describe(frames.mbap(1, 1, bytes((16, 0, 0, 0, 1, 2)) + bytes(247)))


def test_every_exception_has_the_meaning_of_the_specification() -> None:
    meanings = {
        1: "illegal function", 2: "illegal data address", 3: "illegal data value", 4: "device failure",
        5: "acknowledged, still working", 6: "device busy", 7: "negative acknowledge",
        8: "memory parity error", 10: "gateway path unavailable", 11: "gateway target did not answer",
    }  # fmt: skip
    for code in range(256):
        found = BY_CARRIER["rtu"].describe(frames.rtu(1, bytes((0x83, code))))
        assert (found["direction"], found["exception"], found["function"]) == ("answer", code, 0x83)
        assert found["meaning"] == meanings.get(code, "unknown")
        assert found["name"] == "read holding registers"


def test_no_words_about_bytes_behind_a_frame_that_has_none() -> None:
    with pytest.raises(BadFrame) as refusal:
        BY_CARRIER["rtu"].describe(frames.rtu(1, frames.read_request(3, 0, 126)), "request")
    assert str(refusal.value) == "count: 126, 1 to 125 expected"


def test_writes_of_one_coil_and_one_register() -> None:
    """A coil is switched on by FF00 and off by 0000, as the specification has it."""
    assert frames.write_coil(0xAC, True).hex() == "0500acff00"
    assert frames.write_coil(0xAC, False).hex() == "0500ac0000"
    assert frames.write_register(1, b"\x00\x03").hex() == "0600010003"
    assert frames.write_registers(1, b"\x00\x0a\x01\x02").hex() == "100001000204000a0102"
