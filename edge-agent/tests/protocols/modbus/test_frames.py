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

ROOMS = {"tcp": PROTOCOLS["modbus_tcp"], "rtu": PROTOCOLS["modbus_rtu"]}
EITHER_WAY = (5, 6)


def frame_of(carrier: str, unit: int, pdu: bytes) -> bytes:
    return frames.mbap(1, unit, pdu) if carrier == "tcp" else frames.rtu(unit, pdu)


@pytest.mark.parametrize("golden", goldens(), ids=str)
def test_built_from_its_fields(golden: Golden) -> None:
    assert frame_of(golden.carrier, golden.unit, golden.pdu) == golden.frame


@pytest.mark.parametrize("golden", goldens(), ids=str)
def test_described(golden: Golden) -> None:
    room = ROOMS[golden.carrier]
    shown = room.describe(golden.frame, golden.direction)
    assert next(iter(shown.items())) == ("direction", golden.direction)
    assert shown | golden.fields == shown
    found = room.describe(golden.frame)["direction"]
    assert found == ("request or answer" if golden.function in EITHER_WAY else golden.direction)
    if golden.carrier == "rtu":
        assert PROTOCOLS["modbus_rtu_tcp"].describe(golden.frame, golden.direction) == shown
        assert shown["checksum"] == golden.frame[-2:].hex()
    else:
        assert shown["transaction"] == 1


@pytest.mark.parametrize("golden", goldens(), ids=str)
def test_every_cut_and_every_tail_is_refused(golden: Golden) -> None:
    room = ROOMS[golden.carrier]
    for size in range(len(golden.frame)):
        with pytest.raises(BadFrame):
            room.describe(golden.frame[:size])
    for tail in (b"\0", b"\0\0", b"\xff\xff", golden.frame):
        with pytest.raises(BadFrame, match=r"behind it|what follows"):
            room.describe(golden.frame + tail, golden.direction)


@pytest.mark.parametrize(
    "row", rows("malformed.csv"), ids=lambda row: f"{row['carrier']}-{row['words'][:30]}"
)
def test_malformed(row: dict[str, str]) -> None:
    direction: Any = row["direction"] or None
    with pytest.raises(BadFrame) as refusal:
        ROOMS[row["carrier"]].describe(bytes.fromhex(row["frame"]), direction)
    assert row["words"] in str(refusal.value)


def test_values_are_shown() -> None:
    tcp = ROOMS["tcp"]
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
    tcp = ROOMS["tcp"]
    either = bytes.fromhex("0001 0000 0006 01 01 03 12 00 12")
    assert tcp.describe(either)["direction"] == "request"
    assert tcp.describe(either, "answer")["data"] == "120012"
    assert tcp.describe(bytes.fromhex("0001 0000 0006 01 01 03 12 FF 12"))["direction"] == "answer"


def test_identification() -> None:
    tcp, rtu = ROOMS["tcp"], ROOMS["rtu"]
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
    shown = ROOMS[carrier].describe(frame_of(carrier, unit, pdu))
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
