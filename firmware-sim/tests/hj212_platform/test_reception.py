"""Which packets a platform takes, what it answers, and why it refuses the others."""

from __future__ import annotations

import pytest
from data_logger import MN, OLD_MN, STATIONS, digits, golden, golden_rows, packet, upload, wire
from hypothesis import given
from hypothesis import strategies as st

from firmware_sim.hj212_platform.description import PlatformDescription
from firmware_sim.hj212_platform.faults import FRAMING
from firmware_sim.hj212_platform.load import read
from firmware_sim.hj212_platform.packet_bytes import CHECKS, PacketCutter
from firmware_sim.hj212_platform.reception import Receiver, Reception
from firmware_sim.hj212_platform.station import PlatformStation
from firmware_sim.lines.delivery import Segment

SHORT_QN = packet(f"QN=2016080108585722;ST=32;CN=2011;PW=123456;MN={MN};Flag=5;CP=&&&&")
FROM_FIELD = [row for row in golden_rows() if row["meaning"].startswith("field") and not row["tolerances"]]


def receiver(description: PlatformDescription) -> Receiver:
    segment = Segment("platform", FRAMING)
    return Receiver([PlatformStation(entry, segment, None) for entry in description.stations])


def receptions(receiving: Receiver, data: bytes, station: PlatformStation | None = None) -> list[Reception]:
    cutter = PacketCutter(1024, receiving.digits_fit)
    return [receiving.received(framed, station) for framed in cutter.feed(data)]


def one(receiving: Receiver, data: bytes) -> Reception:
    [reception] = receptions(receiving, data)
    return reception


def station_text(data: bytes, version: str, *more: str) -> str:
    """Stations file of one station, as a packet names it."""
    fields = dict(
        part.split("=") for part in data[6:].decode("latin-1").partition(";CP=")[0].split(";") if part
    )
    st = fields["ST"] if fields["ST"] != "91" else "32"
    words = [f'name: site, version: "{version}", mn: "{fields.get("MN", OLD_MN)}", st: "{st}"']
    return "stations: [{" + ", ".join([*words, f'pw: "{fields["PW"]}"', *more]) + "}]"


@pytest.mark.parametrize("row", FROM_FIELD, ids=lambda row: row["id"])
def test_golden_packets_of_stations(row: dict[str, str]) -> None:
    data = wire(row["packet"])
    more = [f'key: "{"0" * 16}"'] if "<hex:" in row["packet"] else []
    if b"MN=;" in data:
        more.append('logger_id: "6970000000001ABCDEFG1234"')
    reception = one(receiver(read(station_text(data, row["version"], *more))), data)
    assert (reception.cause, reception.disagreement) == ("", ""), reception.words
    assert reception.packet is not None
    cn, flag = reception.packet.cn, reception.packet.flag or 0
    notice = cn in ("1001", "1013", "1014", "9015")
    wanted = None if cn in ("9011", "9012", "9013") or not flag & 1 else "9013" if notice else "9014"
    assert reception.answer == wanted


def answer_to(data: bytes) -> str:
    receiving = receiver(read(STATIONS))
    reception = one(receiving, data)
    assert reception.cause == "", reception.words
    station = reception.station
    assert station is not None
    assert reception.packet is not None
    assert reception.answer is not None
    return station.codec.encode(station.answer(reception.answer, reception.packet)).decode()


def test_answers_have_the_shape_of_their_version() -> None:
    assert answer_to(golden("H08")).encode() == golden("H09")
    stack = {"ST": "31", "PW": "abcdef", "MN": "A" + MN[1:], "Flag": "9"}
    assert answer_to(upload(20240601085857223, **stack))[6:-6] == (
        f"QN=20240601085857223;ST=91;CN=9014;PW=abcdef;MN=A{MN[1:]};Flag=8;CP=&&&&"
    )
    old = packet(
        f"QN=20040516010101001;ST=32;CN=2061;PW=123456;MN={OLD_MN};Flag=1;CP=&&DataTime=20040516000000&&"
    )
    assert answer_to(old)[6:-6] == (
        f"ST=91;CN=9014;PW=123456;MN={OLD_MN};CP=&&QN=20040516010101001;CN=2061&&"
    )


@pytest.mark.parametrize(
    ("data", "cause", "number"),
    [
        (upload(1).replace(b"w01018-Rtd=1.0", b"w01018-Rtd=1.1"), "crc", 9),
        (upload(1, MN="F" * 24), "mn", 4),
        (upload(1, PW="654321"), "pw", 3),
        (upload(1, ST="31"), "st", 5),
        (upload(1, Flag="9"), "flag", 6),
        (SHORT_QN, "qn", 7),
        (upload(1, cn="3022"), "cn", 8),
        (upload(1, cn="1062"), "cn", 8),
        (upload(1, "DataTime=1;nothing"), "other", 100),
    ],
)
def test_refusals_say_why(data: bytes, cause: str, number: int) -> None:
    receiving = receiver(read(STATIONS))
    reception = receptions(receiving, data)[0]
    assert (reception.cause, reception.answer, reception.disagreement) == (cause, None, "")
    refusal = receiving.refusal(reception)
    assert refusal is not None
    assert f"CP=&&QnRtn={number}&&".encode() in refusal
    assert b";CN=9011;" in refusal


def test_2005_has_three_numbers() -> None:
    receiving = receiver(read(STATIONS))
    for pw, system, number in (("1", "32", 3), ("123456", "31", 2)):
        data = packet(
            f"QN={1:017};ST={system};CN=2011;PW={pw};MN={OLD_MN};Flag=1;CP=&&DataTime=20260101000000&&"
        )
        refusal = receiving.refusal(one(receiving, data))
        assert refusal is not None
        assert f"CP=&&QN={1:017};QnRtn={number}&&".encode() in refusal


def test_a_refusal_repeats_only_what_a_packet_may_have() -> None:
    receiving = receiver(read(STATIONS))
    reception = one(receiving, upload(1, PW="far_too_long"))
    refusal = receiving.refusal(reception)
    assert refusal is not None
    assert b"far_too_long" not in refusal
    headless = one(receiving, packet("hello"))
    assert headless.cause == "mn"
    assert receiving.refusal(headless) is None


@pytest.mark.parametrize("variant", ["standard_swapped", "crc16_modbus", "crc16_modbus_swapped", "unchecked"])
def test_variants_of_check_digits(variant: str) -> None:
    text = station_text(golden("H08"), "2017", f"crc: {variant}")
    receiving = receiver(read(text))
    given_digits = b"0000" if variant == "unchecked" else b"%04X" % CHECKS[variant](golden("H08")[6:-6])
    data = golden("H08")[:-6] + given_digits + b"\r\n"
    assert one(receiving, data).cause == ""
    cause = one(receiving, golden("H08")).cause
    assert cause == ("" if variant == "unchecked" else "crc")


@pytest.mark.parametrize("name", ["J39", "J42", "J44", "J50", "J51"])
def test_encrypted_packets(name: str) -> None:
    data = golden(name)
    text = station_text(data[: data.index(b"CP=&&") + 5], "2025", f'key: "{"0" * 16}"')
    assert one(receiver(read(text)), data).cause == ""
    other = station_text(data[: data.index(b"CP=&&") + 5], "2025", f'key: "{"1" * 16}"')
    reception = receptions(receiver(read(other)), data)[0]
    assert (reception.cause, reception.packet and reception.packet.area) == ("crc", ())


def test_clear_packets_are_refused_where_there_is_a_key() -> None:
    data = golden("J29")
    text = station_text(data, "2025", f'key: "{"0" * 16}"')
    assert one(receiver(read(text)), data).cause == "other"
    tolerant = text.replace("key:", "tolerances: [clear_area], key:")
    assert one(receiver(read(tolerant)), data).cause == ""


def test_a_difference_between_codec_and_platform_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The platform follows its own check."""
    receiving = receiver(read(STATIONS))
    station = receiving.station_of(upload(1)[6:-6])
    assert station is not None
    codec_that_errs = type(station.codec)(station.codec.profile)
    monkeypatch.setattr(codec_that_errs, "_crc", lambda segment: 0)
    monkeypatch.setattr(station, "codec", codec_that_errs)
    reception = one(receiving, upload(1))
    assert reception.cause == "crc"
    assert reception.disagreement.startswith("check digits")


RECEIVER = receiver(read(STATIONS))
OF_STATIONS = [upload(1), upload(2, MN="A" + MN[1:], PW="abcdef", ST="31", Flag="9"), golden("H30")]
WIRE = [wire(row["packet"]) for row in golden_rows()] + OF_STATIONS


@given(
    st.sampled_from(WIRE),
    st.lists(
        st.tuples(st.integers(0, 400), st.sampled_from(b"#0189;&=,.-\r\nAZaz \x00\xe6\xff")), max_size=4
    ),
    st.booleans(),
)
def test_nothing_that_is_sent_breaks_it(data: bytes, changes: list[tuple[int, int]], repaired: bool) -> None:
    """Neither a packet with right check digits nor another one; and codec and platform agree on each."""
    mutant = bytearray(data)
    for at, byte in changes:
        mutant[at % len(mutant)] = byte
    if repaired:
        segment = bytes(mutant[6:-6])
        mutant = bytearray(b"##%04d%b%04X\r\n" % (len(segment), segment, digits(segment)))
    for reception in receptions(RECEIVER, bytes(mutant)):
        assert reception.disagreement == ""
        if reception.cause:
            refusal = RECEIVER.refusal(reception)
            assert refusal is None or b"QnRtn=" in refusal
        elif reception.answer is not None:
            assert reception.station is not None
            assert reception.packet is not None
            reception.station.codec.encode(reception.station.answer(reception.answer, reception.packet))


def test_a_logger_whose_flag_stands_behind_the_area() -> None:
    """Of a platform that tolerates it: codec and own reading agree."""
    data = packet(f"QN={1:017};ST=32;CN=2011;PW=123456;MN={MN};CP=&&DataTime=20260101000000&&;Flag=5")
    strict = f"stations: [{{name: outlet, version: '2017', mn: {MN}, st: '32', pw: '123456'"
    refused = one(receiver(read(strict + "}]")), data)
    assert (refused.cause, refused.answer, refused.disagreement) == ("other", None, "")
    taken = one(receiver(read(strict + ", tolerances: [any_order]}]")), data)
    assert (taken.cause, taken.answer, taken.disagreement) == ("", "9014", "")
