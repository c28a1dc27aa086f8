"""Long packets in parts, and parts that arrive in any order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import msgspec
import pytest
from hj212_packets import KEY, golden, strict
from hypothesis import given
from hypothesis import strategies as st

from edge_agent.forwarding.hj212.packet import BadPacket, Group, Packet
from edge_agent.forwarding.hj212.sm4 import CipherForm, Encryption
from edge_agent.forwarding.hj212.splitting import PartCollector, join, split

LEAD: Group = (("DataTime", "20160801080000"),)
HOUR = Packet(
    qn="20160801090000001",
    st="32",
    cn="2061",
    pw="123456",
    mn="010000A8900016F000169DC0",
    flag=5,
    area=(LEAD,),
)


def group(number: int, size: int = 20) -> Group:
    return ((f"w{number:05}-Avg", "1" * size), (f"w{number:05}-Flag", "N"))


def hour(groups: int, size: int = 20) -> Packet:
    return msgspec.structs.replace(HOUR, area=(LEAD, *(group(n, size) for n in range(groups))))


def numbers() -> Iterator[str]:
    return (f"{n:017}" for n in count(20160801090000002))


def test_what_fits_is_not_split() -> None:
    packet = hour(19)
    assert split(packet, strict(), numbers().__next__) == [packet]


def test_parts() -> None:
    packet = hour(50)
    parts = split(packet, strict(), numbers().__next__)
    assert [(part.pnum, part.pno, part.flag) for part in parts] == [(3, n, 7) for n in (1, 2, 3)]
    assert [part.qn for part in parts] == ["20160801090000001", "20160801090000002", "20160801090000003"]
    for part in parts:
        assert part.area[0] == LEAD
        assert len(strict().encode(part)) <= 1036
    assert len(strict().encode(parts[0])) > 980
    assert join(parts) == packet


def test_the_golden_pair_joins() -> None:
    first, second = (golden(name).codec().decode(golden(name).data) for name in ("H20", "H21"))
    joined = join([first, second])
    assert (joined.flag, joined.pnum, joined.pno, joined.qn) == (5, None, None, first.qn)
    assert joined.area == (*first.area, *second.area[1:])


@given(st.lists(st.integers(1, 300), min_size=1, max_size=80), st.sampled_from(["2005", "2017"]))
def test_split_and_join_are_inverse(sizes: list[int], version: str) -> None:
    flag = {"2005": 1, "2017": 5}[version]
    mn = {"2005": "88888880000001", "2017": HOUR.mn}[version]
    packet = msgspec.structs.replace(
        HOUR, flag=flag, mn=mn, area=(LEAD, *(group(n, size) for n, size in enumerate(sizes)))
    )
    codec = strict(version)
    parts = split(packet, codec, numbers().__next__)
    assert [codec.decode(codec.encode(part)) for part in parts] == parts
    assert (join(parts) if len(parts) > 1 else parts[0]) == packet
    collector = PartCollector()
    assert [collector.add(part, 0.0) for part in parts] == [None] * (len(parts) - 1) + [packet]
    assert collector.held == collector.dropped == 0


def test_old_packets_without_number_and_flag() -> None:
    packet = msgspec.structs.replace(hour(50), qn=None, flag=None, mn=None)
    parts = split(packet, strict("2005"), numbers().__next__)
    assert {(part.qn, part.flag, part.pnum) for part in parts} == {(None, 2, 3)}


def test_2025_has_nine_parts_at_most() -> None:
    codec = strict("2025")
    packet = msgspec.structs.replace(hour(150), flag=9)
    assert [part.flag for part in split(packet, codec, numbers().__next__)] == [11] * 8
    with pytest.raises(BadPacket, match=r"PNUM: '14', must be at most 9 \(HJ 212-2025, table 3\)"):
        split(msgspec.structs.replace(hour(260), flag=9), codec, numbers().__next__)


def test_a_group_that_fits_nowhere() -> None:
    with pytest.raises(
        BadPacket, match="area: 'w00001-Avg', must be a group that fits into one packet of 1024"
    ):
        split(
            msgspec.structs.replace(HOUR, area=(LEAD, group(0), group(1, 900))), strict(), numbers().__next__
        )


def test_cipher_that_is_longer_makes_more_parts() -> None:
    packet = msgspec.structs.replace(hour(50), flag=9)
    raw = strict("2025", encryption=Encryption(KEY))
    listed = strict("2025", encryption=Encryption(KEY, form=CipherForm.HEX))
    assert len(split(packet, raw, numbers().__next__)) == 3
    parts = split(packet, listed, numbers().__next__)
    assert len(parts) == 6
    assert all(len(listed.encode(part)) <= 1036 for part in parts)


def test_parts_of_several_packets_in_any_order() -> None:
    one = split(hour(50), strict(), numbers().__next__)
    other = split(
        msgspec.structs.replace(hour(50), area=((("DataTime", "20160801090000"),), *hour(50).area[1:])),
        strict(),
        numbers().__next__,
    )
    collector = PartCollector()
    order = [one[2], other[0], one[0], one[2], other[1], one[1], other[2]]
    out = [collector.add(part, 0.0) for part in order]
    assert out == [None, None, None, None, None, hour(50), join(other)]
    assert collector.add(HOUR, 0.0) == HOUR


def test_what_stays_incomplete_is_dropped_after_a_time() -> None:
    parts = split(hour(50), strict(), numbers().__next__)
    collector = PartCollector(max_age_s=60.0)
    collector.add(parts[0], 0.0)
    collector.add(parts[1], 60.0)
    assert (collector.held, collector.dropped) == (2, 0)
    collector.add(msgspec.structs.replace(parts[0], cn="2051"), 60.1)
    assert (collector.held, collector.dropped) == (1, 2)
    assert collector.add(parts[2], 61.0) is None


def test_a_flood_of_parts_is_bounded() -> None:
    collector = PartCollector(max_parts=10)
    for number in range(1, 1000):
        part = msgspec.structs.replace(HOUR, flag=7, pnum=9999, pno=number)
        assert collector.add(part, 0.0) is None
        assert collector.held <= 10
        other = msgspec.structs.replace(HOUR, cn=f"{number:04}", flag=7, pnum=2, pno=1)
        assert collector.add(other, 0.0) is None
        assert collector.held <= 10
    assert collector.dropped == 2 * 999 - collector.held


def test_parts_that_are_not_all_of_one() -> None:
    parts = split(hour(50), strict(), numbers().__next__)
    other = msgspec.structs.replace(parts[2], cn="2051")
    for wrong in (parts[:2], parts[::-1], [*parts[:2], other], [HOUR, HOUR]):
        with pytest.raises(ValueError, match="not all the parts of one packet"):
            join(wrong)
