"""Telegrams of public captures, and hostile input, through the codecs of PDU, ISO-on-TCP and PPI."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_agent.errors import BadFrame
from edge_agent.protocols.s7 import codec, iso, ppi, szl
from edge_agent.protocols.s7.codec import Item, Message, Value
from edge_agent.protocols.s7.ppi import Telegram

HERE = Path(__file__).parent
PLC, MASTER = 2, 0


def rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((HERE / name).read_text().splitlines()))


PPI = rows("ppi-frames.csv")
ISO = rows("iso-frames.csv")
MALFORMED = rows("malformed.csv")
FILLED_UP = {"P18"}  # its sender fills up the last value too, which no PLC needs


def parts(text: str) -> list[list[str]]:
    return [part.split() for part in text.split(";")] if text else []


def items_of(row: dict[str, str]) -> tuple[Item, ...]:
    return tuple(
        Item(int(transport, 16), int(count), int(db), int(area, 16), int(address))
        for transport, count, db, area, address in parts(row["asked"])
    )


def job_of(row: dict[str, str]) -> Message:
    reference = int(row["reference"])
    match row["function"]:
        case "setup":
            return codec.setup_job(reference, int(row["asked"]))
        case "read":
            return codec.read_job(reference, items_of(row))
    values = [Value(0, int(transport, 16), bytes.fromhex(data)) for transport, data in parts(row["written"])]
    return codec.write_job(reference, items_of(row), values)


def read_values_of(row: dict[str, str]) -> list[Value]:
    return [
        Value(int(code, 16), int(transport[0], 16) if transport else 0, bytes.fromhex("".join(transport[1:])))
        for code, *transport in parts(row["answered"])
    ]


def answer_of(row: dict[str, str]) -> Message:
    reference, error = int(row["reference"]), int(row["error"], 16)
    if error:
        return Message(codec.ACK_DATA, reference, error=error)
    match row["function"]:
        case "setup":
            return codec.setup_answer(reference, int(row["answered"]))
        case "read":
            return codec.read_answer(reference, read_values_of(row))
    return codec.write_answer(reference, bytes.fromhex(row["answered"]))


def one_by_one(data: bytes) -> list[Telegram]:
    decoder = ppi.Decoder()
    return [telegram for byte in data for telegram in decoder.feed(bytes((byte,)))]


def test_tables_are_complete() -> None:
    assert (len(PPI), len(ISO), len(MALFORMED)) == (21, 5, 19)


@pytest.mark.parametrize("row", PPI, ids=lambda row: row["id"])
def test_golden_request(row: dict[str, str]) -> None:
    wire, job = bytes.fromhex(row["request"]), job_of(row)
    (telegram,) = ppi.Decoder().feed(wire)
    assert (telegram.to, telegram.by, telegram.control) == (PLC, MASTER, int(row["control"], 16))
    message = codec.decode(telegram.pdu)
    assert (message.kind, message.reference) == (codec.JOB, int(row["reference"]))
    if row["function"] == "setup":
        assert codec.setup_size(message) == int(row["asked"])
    else:
        assert codec.job_items(message) == items_of(row)
    if row["function"] == "write":
        assert codec.job_values(message) == codec.job_values(job)
    if row["id"] not in FILLED_UP:
        assert message == job
        assert ppi.encode(Telegram(PLC, MASTER, telegram.control, codec.encode(job))) == wire


@pytest.mark.parametrize("row", PPI, ids=lambda row: row["id"])
def test_golden_answer(row: dict[str, str]) -> None:
    wire, answer = bytes.fromhex(row["answer"]), answer_of(row)
    assert ppi.encode(Telegram(MASTER, PLC, ppi.ANSWER, codec.encode(answer))) == wire
    (telegram,) = ppi.Decoder().feed(wire)
    assert (telegram.to, telegram.by, telegram.control) == (MASTER, PLC, ppi.ANSWER)
    message = codec.decode(telegram.pdu)
    assert message == answer
    if row["function"] == "read" and not message.error:
        assert codec.read_values(message, items_of(row)) == read_values_of(row)
    if row["function"] == "write":
        assert codec.write_codes(message, 1) == [0xFF]
    for tail in (b"\xe5", b"\x68", b"\x68\x20\x20", b"\x10\x00\x02", wire[:-1]):
        decoder = ppi.Decoder()
        assert decoder.feed(wire + tail)[:1] == [telegram]
        again = decoder.feed(wire)
        assert telegram in again or telegram in decoder.give_up()
    assert one_by_one(b"\x00\x68" + wire + wire) == [telegram, telegram]


@pytest.mark.parametrize(("station", "control", "wire"), [
    (2, 0x5C, "10 02 00 5C 5E 16"), (2, 0x7C, "10 02 00 7C 7E 16"), (10, 0x5C, "10 0A 00 5C 66 16"),
])  # fmt: skip
def test_poll(station: int, control: int, wire: str) -> None:
    poll = Telegram(station, MASTER, control)
    assert ppi.encode(poll) == bytes.fromhex(wire)
    assert one_by_one(bytes.fromhex(wire)) == [poll]
    decoder = ppi.Decoder()
    assert decoder.feed(b"\xdc\x02\x00\xe5") == [ppi.ACKNOWLEDGE]  # a token is skipped, and is no noise
    assert decoder.feed(b"\xdc\x16\x16\xe5") == [ppi.ACKNOWLEDGE]  # of station 22, as an end is
    assert decoder.discarded_bytes == 0
    assert decoder.feed(b"\x01\x02\x03" + bytes.fromhex(wire)) == [poll]
    assert decoder.discarded_bytes == 3


def test_a_wrong_checksum_or_length_gives_no_telegram() -> None:
    wire = bytes.fromhex(PPI[0]["answer"])
    for at in range(len(wire)):
        spoiled = bytearray(wire)
        spoiled[at] ^= 0x01
        decoder = ppi.Decoder()
        found = [*decoder.feed(bytes(spoiled)), *decoder.give_up()]
        assert all(not telegram.pdu for telegram in found), at
    decoder = ppi.Decoder()
    decoder.feed(wire[:-2] + bytes((wire[-2] ^ 1, wire[-1])))
    assert decoder.checksum_errors == 1
    with pytest.raises(ValueError, match="at most 246 bytes"):
        ppi.encode(Telegram(2, 0, 0x6C, bytes(247)))


@pytest.mark.parametrize("row", ISO, ids=lambda row: row["id"])
def test_iso_frame(row: dict[str, str]) -> None:
    wire = bytes.fromhex(row["frame"])
    pdu_bytes: bytes | iso.Connect
    if row["kind"] == "data":
        pdu_bytes = bytes.fromhex(row["pdu"])
        assert iso.encode_data(pdu_bytes) == wire
        assert codec.encode(codec.decode(pdu_bytes)) == pdu_bytes
    else:
        code = iso.REQUEST if row["kind"] == "request" else iso.CONFIRM
        pdu_bytes = iso.Connect(code, int(row["calling"], 16), int(row["called"], 16))
        assert iso.encode_connect(pdu_bytes) == wire
    assert iso.Decoder().feed(wire) == [pdu_bytes]
    decoder = iso.Decoder()
    assert [found for byte in wire + wire for found in decoder.feed(bytes((byte,)))] == [pdu_bytes, pdu_bytes]
    assert iso.Decoder().feed(wire + wire[:5]) == [pdu_bytes]


def test_a_pdu_in_parts_is_joined() -> None:
    first, last = iso.tpkt(b"\x02\xf0\x00\x01\x02"), iso.tpkt(b"\x02\xf0\x80\x03")
    decoder = iso.Decoder()
    assert decoder.feed(first) == []
    assert decoder.pending == 2
    assert decoder.feed(last) == [b"\x01\x02\x03"]
    endless = iso.tpkt(b"\x02\xf0\x00" + bytes(2000))
    with pytest.raises(BadFrame, match="PDU of more than"):
        decoder.feed(endless * 6)


@pytest.mark.parametrize("row", MALFORMED, ids=lambda row: row["id"])
def test_malformed(row: dict[str, str]) -> None:
    data, says = bytes.fromhex(row["bytes"]), row["says"].replace(";", ",")
    item = (Item(codec.BYTE, 1, 1, 0x84, 0),)
    with pytest.raises(BadFrame, match=says):
        match row["kind"]:
            case "iso":
                iso.Decoder().feed(data)
            case "pdu":
                codec.decode(data)
            case "items":
                codec.job_items(Message(codec.JOB, 1, data))
            case "values":
                codec.read_values(Message(codec.ACK_DATA, 1, b"\x04\x01", data), item)


def test_an_answer_to_something_else_is_none() -> None:
    item = (Item(codec.BYTE, 1, 1, 0x84, 0),)
    good = codec.read_answer(1, [Value(codec.OK, codec.DATA_WORD, b"\x01")])
    for message in (
        Message(codec.ACK_DATA, 1, b"\x05\x01", good.data),
        Message(codec.JOB, 1, b"\x04\x01", good.data),
        Message(codec.ACK_DATA, 1, b"\x04", good.data),
        Message(codec.ACK_DATA, 1, b"\x04\x02", good.data),
    ):
        with pytest.raises(BadFrame):
            codec.read_values(message, item)
    with pytest.raises(BadFrame, match="2 return codes for 1 items"):
        codec.write_codes(Message(codec.ACK_DATA, 1, b"\x05\x01", b"\xff\xff"), 1)
    with pytest.raises(BadFrame, match="no setup parameters"):
        codec.setup_size(good)


def test_refused_items_have_no_data_whatever_their_length_says() -> None:
    items = [
        Item(codec.BYTE, 3, 1, 0x84, 0),
        Item(codec.BYTE, 2, 9, 0x84, 0),
        Item(codec.BYTE, 1, 1, 0x84, 8),
    ]
    data = bytes.fromhex("FF 04 00 18 01 02 03 00  0A 00 00 04  FF 04 00 08 07")
    values = codec.read_values(Message(codec.ACK_DATA, 1, b"\x04\x03", data), items)
    assert [(value.code, value.data) for value in values] == [(0xFF, b"\1\2\3"), (0x0A, b""), (0xFF, b"\7")]


ITEMS = st.builds(
    Item, st.sampled_from(sorted(codec.ELEMENT_BYTES)), st.integers(1, 200), st.integers(0, 65535),
    st.integers(0, 255), st.integers(0, 0xFFFFFF),
)  # fmt: skip
VALUES = st.builds(Value, st.just(0), st.sampled_from([3, 4, 5, 6, 7, 9]), st.binary(min_size=1, max_size=60))


@given(st.integers(0, 65535), st.lists(ITEMS, min_size=1, max_size=20))
@settings(max_examples=60, deadline=None)
def test_read_job_round_trip(reference: int, items: list[Item]) -> None:
    message = codec.decode(codec.encode(codec.read_job(reference, items)))
    assert message.reference == reference
    assert codec.job_items(message) == tuple(items)


@given(st.lists(st.tuples(ITEMS, VALUES), min_size=1, max_size=8), st.integers(0, 65535))
@settings(max_examples=60, deadline=None)
def test_write_job_round_trip(pairs: list[tuple[Item, Value]], reference: int) -> None:
    items, values = [item for item, _ in pairs], [value for _, value in pairs]
    message = codec.decode(codec.encode(codec.write_job(reference, items, values)))
    assert codec.job_items(message) == tuple(items)
    assert codec.job_values(message) == values


@given(st.lists(st.one_of(VALUES, st.builds(Value, st.integers(1, 254))), min_size=1, max_size=10))
@settings(max_examples=60, deadline=None)
def test_values_round_trip(values: list[Value]) -> None:
    sent = [Value(codec.OK, v.transport, v.data) if v.data else v for v in values]
    assert codec.decode_values(codec.encode_values(sent), len(sent), codec.OK) == sent


@given(st.binary(min_size=1, max_size=246), st.integers(0, 126), st.integers(0, 126), st.integers(0, 255))
@settings(max_examples=60, deadline=None)
def test_telegram_round_trip(pdu: bytes, to: int, by: int, control: int) -> None:
    telegram = Telegram(to, by, control, pdu)
    assert ppi.Decoder().feed(ppi.encode(telegram)) == [telegram]


def test_a_packet_is_as_long_as_its_head_says_and_at_most_8199_bytes() -> None:
    longest = b"\x02\xf0\x80" + bytes(8192)
    assert iso.Decoder().feed(iso.tpkt(longest)) == [bytes(8192)]
    with pytest.raises(BadFrame, match="no TPKT header: 03 00 20 08"):
        iso.Decoder().feed(iso.tpkt(longest + b"\0"))
    assert iso.Decoder().feed(b"\x03\x00\x00") == []
    with pytest.raises(BadFrame, match="no TPKT header"):
        iso.Decoder().feed(b"\x04\x00\x00\x08")
    for size in (0, 4, 6):
        with pytest.raises(BadFrame, match="no TPKT header"):
            iso.Decoder().feed(bytes((3, 0, 0, size)) + bytes(8))
    assert iso.Decoder().feed(iso.tpkt(b"\x02\xf0\x80")) == [b""], "the shortest has no PDU"
    with pytest.raises(BadFrame, match=r"no TPKT header: 02 00 00 08$"):
        iso.Decoder().feed(b"\x02\x00\x00\x08" + bytes(4))
    for header in (1, 4):
        with pytest.raises(BadFrame, match=f"COTP header of {header + 1} bytes in a packet of 4"):
            iso.Decoder().feed(iso.tpkt(bytes((header, 0xF0, 0x80, 0))))
    decoder = iso.Decoder()
    decoder.feed(iso.tpkt(longest)[:5])
    assert decoder.pending == 5


@pytest.mark.parametrize(
    ("cotp", "connect"),
    [
        ("06 E0 0000 0001 00", iso.Connect(iso.REQUEST)),
        ("0A D0 0001 0001 00 C1 02 0100", iso.Connect(iso.CONFIRM, 0x0100)),
        ("0D E0 0000 0001 00 C0 01 0A C2 02 0102", iso.Connect(iso.REQUEST, None, 0x0102)),
        ("07 80 0001 0001 00 C1", iso.Connect(iso.DISCONNECT)),
    ],
)
def test_what_a_packet_of_a_connection_says(cotp: str, connect: iso.Connect) -> None:
    assert iso.Decoder().feed(iso.tpkt(bytes.fromhex(cotp))) == [connect]
    with pytest.raises(BadFrame, match="parameter longer than its packet"):
        iso.Decoder().feed(iso.tpkt(bytes.fromhex("0A E0 0000 0001 00 C1 03 0100")))


def test_what_a_connection_asks_for_on_the_wire() -> None:
    wire = iso.encode_connect(iso.Connect(iso.REQUEST, 0x0100, 0x0302), destination=0x0203, source=0x0405)
    assert wire.hex(" ") == "03 00 00 16 11 e0 02 03 04 05 00 c1 02 01 00 c2 02 03 02 c0 01 0a"
    usual = iso.encode_connect(iso.Connect(iso.REQUEST))
    assert usual.hex(" ") == "03 00 00 0e 09 e0 00 00 00 01 00 c0 01 0a"


@pytest.mark.parametrize(
    ("data", "count", "found"),
    [
        ("FF 04 0010 1234", 1, [Value(0xFF, 4, b"\x12\x34")]),
        ("FF 04 0010 1234 00", 1, [Value(0xFF, 4, b"\x12\x34")]),
        ("FF 03 0001 01 00 FF 09 0001 07", 2, [Value(0xFF, 3, b"\1"), Value(0xFF, 9, b"\7")]),
        ("FF 04 0009 1234", 1, [Value(0xFF, 4, b"\x12\x34")]),
        ("0A 00 0000 FF 09 0000", 2, [Value(0x0A), Value(0xFF, 9)]),
        ("", 0, []),
    ],
)
def test_values_stand_behind_each_other_on_even_bytes(data: str, count: int, found: list[Value]) -> None:
    assert codec.decode_values(bytes.fromhex(data), count, codec.OK) == found


@pytest.mark.parametrize(
    ("data", "count", "words"),
    [
        ("", 1, "values of 0 items, 1 announced"),
        ("FF 09 0000", 2, "values of 1 items, 2 announced"),
        ("FF 04 00", 1, "without a whole header"),
        ("FF 04 0010 12", 1, "value of 2 bytes, 1 are there"),
        ("FF 04 0010 1234 0000", 1, "2 bytes behind the last value"),
    ],
)
def test_values_that_are_incomplete(data: str, count: int, words: str) -> None:
    with pytest.raises(BadFrame, match=words):
        codec.decode_values(bytes.fromhex(data), count, codec.OK)


@pytest.mark.parametrize(
    ("pdu", "words"),
    [
        ("32 01 0000 0001 0000 00", "no S7 PDU"),
        ("33 01 0000 0001 0000 0000", "no S7 PDU: 33 01 00 00 00 01 00 00 00 00"),
        ("32 04 0000 0001 0000 0000", "of unknown kind 4"),
        ("32 01 0000 0001 0001 0000", "of 10 bytes, its header says 11"),
        ("32 03 0000 0001 0000 0000", "of 10 bytes, its header says 12"),
        ("32 02 0000 0001 0000 0000 00", "of 11 bytes, its header says 12"),
        ("32 07 0000 0001 0000 0001", "of 10 bytes, its header says 11"),
    ],
)
def test_a_pdu_that_is_none(pdu: str, words: str) -> None:
    with pytest.raises(BadFrame, match=words):
        codec.decode(bytes.fromhex(pdu))


def test_a_pdu_without_anything_is_one() -> None:
    for kind, tail in ((codec.JOB, ""), (codec.ACK, "8104"), (codec.ACK_DATA, "0000"), (codec.USERDATA, "")):
        message = Message(kind, 0x1234, error=int(tail or "0", 16))
        wire = bytes.fromhex(f"32 {kind:02x} 0000 1234 0000 0000 {tail}")
        assert codec.encode(message) == wire and codec.decode(wire) == message


@pytest.mark.parametrize(
    ("parameter", "words"),
    [
        ("", "parameters of 0 bytes"), ("04", "parameters of 1 bytes"), ("04 01", "parameters of 2 bytes"),
        ("04 01 12 0A 10 02 0001 0001 84 000000 00", "parameters of 15 bytes do not hold whole items"),
        ("04 01 12 0A 11 02 0001 0001 84 000000", "no S7 address"),
        ("04 01 12 0A 10 09 0001 0001 84 000000", "unknown transport 0x09"),
    ],
)  # fmt: skip
def test_items_that_are_incomplete(parameter: str, words: str) -> None:
    with pytest.raises(BadFrame, match=words):
        codec.job_items(Message(codec.JOB, 1, bytes.fromhex(parameter)))
    assert codec.job_items(Message(codec.JOB, 1, b"\x04\x00")) == ()


def test_the_size_of_a_pdu_is_agreed_on() -> None:
    for message in (codec.setup_job(1, 480), codec.setup_answer(1, 480)):
        assert message.parameter.hex() == "f0000001000101e0"
        assert codec.setup_size(message) == 480
        with pytest.raises(BadFrame, match="no setup parameters"):
            codec.setup_size(Message(codec.JOB, 1, message.parameter + b"\0"))


def test_what_a_cpu_answers_on_the_wire() -> None:
    """The head and the sequence of the captured answers; error D401 without such a list."""
    known, unknown = szl.answer(7, "6ES7 214"), szl.answer(7, "")
    assert known.parameter.hex(" ") == "00 01 12 08 12 84 01 01 00 00 00 00"
    assert unknown.parameter.hex(" ") == "00 01 12 08 12 84 01 01 00 00 d4 01"
    assert known.data[:12].hex(" ") == "ff 09 00 24 00 11 00 00 00 1c 00 01"
    assert unknown.data.hex(" ") == "0a 00 00 00"
    assert (szl.order_number(known), szl.order_number(unknown)) == ("6ES7 214", "")
    assert szl.is_request(szl.request(7)) and not szl.is_request(known)
    with pytest.raises(BadFrame, match="system status list of 11 bytes: at least 12 expected"):
        szl.order_number(codec.Message(codec.USERDATA, 7, known.parameter, known.data[:11]))
