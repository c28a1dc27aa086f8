"""Every golden packet in both directions, and every packet that is none with its exact error."""

from __future__ import annotations

import msgspec
import pytest
from hj212_packets import GoldenPacket, golden, goldens, packets, rows, strict, wire
from hypothesis import given
from hypothesis import strategies as st

from edge_agent.errors import ConfigError
from edge_agent.forwarding.hj212.codec import MAX_LENGTH, PacketCodec, PacketOptions
from edge_agent.forwarding.hj212.crc import CrcVariant, standard
from edge_agent.forwarding.hj212.packet import BadPacket, Packet
from edge_agent.forwarding.hj212.profile import Tolerance, profile

REFUSED = rows("malformed.csv")


def names(each: GoldenPacket) -> str:
    return each.name


def test_all_golden_packets_are_there() -> None:
    assert len(goldens()) == 85
    assert {each.version for each in goldens()} == {"2005", "2017", "2025"}
    assert sum(each.encrypted for each in goldens()) == 7


@pytest.mark.parametrize("packet", goldens(), ids=names)
def test_golden_packet_in_both_directions(packet: GoldenPacket) -> None:
    decoded = packet.codec().decode(packet.data)
    again = packet.sender().encode(decoded)
    assert packet.codec().decode(again) == decoded
    if Tolerance.TRIM_BLANKS in packet.tolerances:
        assert again != packet.data
    else:
        assert again == packet.data
    header = packet.data[6 : packet.data.index(b"CP=")].decode()
    for name, value in (
        ("QN", decoded.qn),
        ("ST", decoded.st),
        ("CN", decoded.cn),
        ("PW", decoded.pw),
        ("MN", decoded.mn),
    ):
        assert (f"{name}={value};" in header) == (value is not None), name
    for name, number in (
        ("Flag", decoded.flag),
        ("PNUM", decoded.pnum),
        ("PNO", decoded.pno),
        ("RF", decoded.rf),
    ):
        assert (f"{name}={number};" in header) == (number is not None), name


@pytest.mark.parametrize("packet", [each for each in goldens() if each.tolerances], ids=names)
def test_a_packet_that_needs_a_tolerance_is_refused_without(packet: GoldenPacket) -> None:
    with pytest.raises(BadPacket):
        packet.codec(tolerances=frozenset()).decode(packet.data)


def test_what_a_packet_says() -> None:
    decoded = golden("H08").codec().decode(golden("H08").data)
    assert decoded.area == (
        (("DataTime", "20160801085857"),),
        (("w01001-Rtd", "7.1"), ("w01001-Flag", "N")),
        (
            ("w01018-SampleTime", "20160801070000"),
            ("w01018-Rtd", "2.2"),
            ("w01018-Flag", "N"),
            ("w01018-EFlag", "A01"),
        ),
    )
    assert (decoded.version, decoded.answer_wanted) == (1, True)
    assert decoded.value("w01018-Rtd") == "2.2"
    assert decoded.value("w01018-Min") is None
    assert golden("H10").codec().decode(golden("H10").data).answer_wanted is False
    split = golden("H21").codec().decode(golden("H21").data)
    assert (split.pnum, split.pno, split.flag) == (2, 2, 7)
    old = golden("H30").codec().decode(golden("H30").data)
    assert (old.qn, old.flag, old.version, old.answer_wanted) == (None, None, 0, False)


@pytest.mark.parametrize("row", REFUSED, ids=[row["id"] for row in REFUSED])
def test_a_packet_that_is_none(row: dict[str, str]) -> None:
    data = wire(row["packet"])
    if row["error"]:
        with pytest.raises(BadPacket) as caught:
            strict(row["version"]).decode(data)
        assert str(caught.value) == row["error"]
    else:
        strict(row["version"]).decode(data)
    if row["tolerances"]:
        tolerances = frozenset(map(Tolerance, row["tolerances"].split()))
        packet = strict(row["version"], tolerances=tolerances).decode(data)
        assert packet == strict(row["version"], tolerances=tolerances).decode(data)
        for each in tolerances:
            with pytest.raises(BadPacket):
                strict(row["version"], tolerances=tolerances - {each}).decode(data)
    if row["crc"]:
        assert strict(row["version"], crc=CrcVariant(row["crc"])).decode(data)


HEAD_OF_ANSWER = "QN=20160801085857223;ST=91;CN=9014;PW=123456;MN=010000A8900016F000169DC0;"


def framed(segment: str) -> bytes:
    data = segment.encode()
    return b"##%04d%b%04X\r\n" % (len(data), data, standard(data))


def test_header_fields_behind_the_area() -> None:
    codec = strict(tolerances=frozenset({Tolerance.ANY_ORDER}))
    for place in range(len(HEAD_OF_ANSWER.split(";"))):
        fields = [*HEAD_OF_ANSWER.split(";")[:-1], "Flag=4"]
        before, behind = fields[:place], fields[place:]
        for area in ("", "QnRtn=1", "a=1;b=2,c=3"):
            text = "".join(f"{each};" for each in before) + f"CP=&&{area}&&;{';'.join(behind)}"
            regular = framed(f"{HEAD_OF_ANSWER}Flag=4;CP=&&{area}&&")
            assert codec.decode(framed(text)) == strict().decode(regular)


@pytest.mark.parametrize(
    ("segment", "mark", "what", "words"),
    [
        ("Flag=5;CP=&&QnRtn=1&&;Flag=5", "Flag=5", "Flag", "there once"),
        ("Flag=5;CP=&&&&;X=1", "X=1", "header field", "one of QN ST CN PW MN Flag PNUM PNO"),
        ("CP=&&&&;Flag=13", "13", "Flag", "4 to 7, the version bits of this standard"),
        ("CP=&&&&;Flag=清", "清", "header", "ASCII text"),
        ("CP=&&&&;Flag=4;", "", "CP", "closed by && at the end of the segment"),
        ("CP=&&Flag=4", "", "CP", "closed by && at the end of the segment"),
        ("CP=&&;Flag=4", "", "CP", "closed by && at the end of the segment"),
    ],
)
def test_what_is_wrong_behind_the_area(segment: str, mark: str, what: str, words: str) -> None:
    """mark: the last one is where the error is; "": behind the segment."""
    data = framed(HEAD_OF_ANSWER + segment)
    with pytest.raises(BadPacket) as caught:
        strict(tolerances=frozenset({Tolerance.ANY_ORDER})).decode(data)
    assert (caught.value.what, caught.value.rule) == (what, words)
    assert caught.value.at == data[:-6].rindex(mark.encode())


@given(packets())
def test_round_trip(drawn: tuple[str, Packet]) -> None:
    version, packet = drawn
    codec = strict(version, max_segment=MAX_LENGTH)
    data = codec.encode(packet)
    assert codec.decode(data) == packet
    assert codec.encode(codec.decode(data)) == data
    assert int(data[2:6]) == len(data) - 12


@given(packets(), st.data())
def test_no_exception_but_its_own(drawn: tuple[str, Packet], data: st.DataObject) -> None:
    version, packet = drawn
    codec = strict(version, max_segment=MAX_LENGTH)
    changed = bytearray(codec.encode(packet))
    for _ in range(data.draw(st.integers(1, 3))):
        changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    for tolerances in (frozenset[Tolerance](), frozenset(Tolerance)):
        for crc in (CrcVariant.STANDARD, CrcVariant.UNCHECKED):
            loose = strict(version, max_segment=MAX_LENGTH, tolerances=tolerances, crc=crc)
            try:
                decoded = loose.decode(bytes(changed))
            except BadPacket as error:
                assert error.rule and error.clause
                assert error.at is None or 0 <= error.at <= len(changed)
            else:
                assert loose.decode(loose.encode(decoded)) == decoded


@given(st.binary(max_size=60))
def test_noise_is_refused(noise: bytes) -> None:
    with pytest.raises(BadPacket):
        strict().decode(noise)


PACKET = Packet(
    qn="20160801085857223", st="32", cn="2011", pw="123456", mn="010000A8900016F000169DC0", flag=5
)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"qn": "2016"}, "QN: '2016', must be 17 digits YYYYMMDDhhmmsszzz (HJ 212-2017, table 3"),
        ({"qn": None}, "QN must be there (HJ 212-2017, table 3"),
        ({"st": "3"}, "ST: '3', must be 2 characters 0-9 A-Z"),
        ({"cn": "20;1"}, "CN: '20;1', must be 4 digits"),
        ({"cn": "２０１１"}, "CN: '２０１１', must be 4 digits"),
        ({"pw": "1234567"}, "PW must be at most 6 characters"),
        ({"mn": "01"}, "MN: '01', must be 24 characters 0-9 A-F"),
        ({"flag": 9}, "Flag: '9', must be 4 to 7, the version bits of this standard"),
        ({"flag": 256}, "Flag: '256', must be 0 to 255"),
        ({"flag": -1}, "Flag: '-1', must be 0 to 255"),
        ({"flag": 7}, "Flag: '7', must be with PNUM and PNO, as its bit 1 says"),
        ({"pnum": 2, "pno": 1}, "Flag: '5', must be without PNUM and PNO, as its bit 1 says"),
        ({"flag": 7, "pnum": 2}, "PNO must be there when the other number is"),
        ({"flag": 7, "pnum": 2, "pno": 3}, "PNO: '3', must be 1 to PNUM, which is 2"),
        ({"flag": 7, "pnum": 0, "pno": 1}, "PNUM: '0', must be 1 to 4 digits"),
        ({"rf": "1"}, "header field: 'RF', must be one of QN ST CN PW MN Flag PNUM PNO"),
        ({"area": ((("", "1"),),)}, "item: '=1', must be name=value with a name"),
        ({"area": ((("a", "1;b"),),)}, "item: 'a=1;b', must be without , and ;"),
        ({"area": ((("a", "1,b"),),)}, "item: 'a=1,b', must be without , and ;"),
        ({"area": ((("a=", "1"),),)}, "item: 'a==1', must be without , and ;"),
        ({"area": ((("a", " 1"),),)}, "item: 'a= 1', must be without blanks around"),
        ({"area": ((("a ", "1"),),)}, "item: 'a =1', must be without blanks around"),
        ({"area": ((("a", "1\r\n"),),)}, "item: 'a=1\\r\\n', must be text without control characters"),
        ({"area": ((("NewPW", "1\r\n"),),)}, "item: 'NewPW=', must be text without control characters"),
        ({"area": ((("a", "x&&y"),),)}, "area: '&&', must be without && inside"),
        ({"area": ((),)}, "area must be made of groups with items"),
        ({"area": ((("a", "\udc80"),),)}, "area: '\\udc80', must be utf-8 text"),
        ({"area": ((("a", "1" * 949),),)}, "CP: '951', must be at most 950 bytes long"),
        ({"area": ((("a", "1" * 940),),)}, "segment: '1029', must be at most 1024 bytes"),
    ],
)
def test_a_packet_that_may_not_be_sent(changes: dict[str, object], words: str) -> None:
    with pytest.raises(BadPacket) as caught:
        strict().encode(msgspec.structs.replace(PACKET, **changes))
    assert str(caught.value).startswith(words)


def test_the_longest_packet() -> None:
    packet = msgspec.structs.replace(PACKET, area=((("a", "1" * 935),),))
    data = strict().encode(packet)
    assert data[:6] == b"##1024"
    assert strict().decode(data) == packet
    longer = strict(max_segment=2000).encode(msgspec.structs.replace(PACKET, area=((("a", "1" * 936),),)))
    with pytest.raises(BadPacket, match="length at byte 2: '1025', must be at most 1024"):
        strict().decode(longer)


def test_values_with_odd_characters() -> None:
    for value in ("a=b", "a&b", "&", "x y", "//清洗管路//", "\u3000", "#", "=", ""):
        packet = msgspec.structs.replace(PACKET, area=((("i11001-Info", value),),))
        assert strict().decode(strict().encode(packet)) == packet
    for name in ("a b", "&a", "名"):
        packet = msgspec.structs.replace(PACKET, area=((("b", "1"), (name, "2")), (("c", "3"),)))
        assert strict().decode(strict().encode(packet)) == packet


def test_no_secret_in_texts() -> None:
    packet = msgspec.structs.replace(PACKET, area=((("NewSK", "0123456789abcdef"),),))
    assert "123456" not in repr(packet).replace("20160801085857223", "")
    data = strict().encode(PACKET).replace(b"PW=123456", b"PW=12345;")
    with pytest.raises(BadPacket) as caught:
        strict(crc=CrcVariant.UNCHECKED).decode(data)
    assert "12345" not in str(caught.value)


@pytest.mark.parametrize("limit", [127, MAX_LENGTH + 1])
def test_a_bound_that_cannot_be(limit: int) -> None:
    with pytest.raises(ConfigError, match="max_segment: must be 128 to 9999 bytes"):
        PacketCodec(profile("2017"), PacketOptions(max_segment=limit))


def test_other_versions_are_unknown() -> None:
    with pytest.raises(KeyError):
        profile("2004")
