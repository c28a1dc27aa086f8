"""Packets that are too long for one: split between groups, joined again. Pure.

Each part has PNUM and PNO, repeats what stands before the first factor, such as DataTime, and has a QN of its
own (2017: tables C.49, C.50).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from edge_agent.forwarding.hj212.codec import PacketCodec
from edge_agent.forwarding.hj212.packet import SPLIT_BIT, VERSION_SHIFT, Area, BadPacket, Packet

MAX_HELD_PARTS = 256
MAX_AGE_S = 600.0

Key = tuple[str | None, str, str, Area, int]


def split(packet: Packet, codec: PacketCodec, next_qn: Callable[[], str]) -> list[Packet]:
    """The packet itself when it fits, else its parts in order; the first has its QN, the others the next
    ones.

    BadPacket: a factor alone is too long, or there are more parts than the version can number.
    """
    if codec.fits(packet):
        return [packet]
    profile = codec.profile
    limit = profile.max_parts
    flag = (packet.flag if packet.flag is not None else profile.version_bits << VERSION_SHIFT) | SPLIT_BIT
    # with the largest numbers, so that the numbers that are known later fit as well
    frame = msgspec.structs.replace(packet, flag=flag, pnum=limit, pno=limit)
    lead = _lead(packet.area)
    areas: list[Area] = []
    area = lead
    for group in packet.area[len(lead) :]:
        if not codec.fits(msgspec.structs.replace(frame, area=(*area, group))):
            if area != lead:
                areas.append(area)
            area = lead
            if not codec.fits(msgspec.structs.replace(frame, area=(*lead, group))):
                rule = f"a group that fits into one packet of {codec.max_segment} bytes"
                raise BadPacket("area", None, group[0][0], rule, profile.clause("packet"))
        area = (*area, group)
    areas.append(area)
    if len(areas) > limit:
        raise BadPacket("PNUM", None, str(len(areas)), f"at most {limit}", profile.clause("segment"))
    parts = []
    for number, area in enumerate(areas, start=1):
        qn = packet.qn if number == 1 or packet.qn is None else next_qn()
        parts.append(msgspec.structs.replace(frame, pnum=len(areas), pno=number, area=area, qn=qn))
    return parts


def join(parts: Sequence[Packet]) -> Packet:
    """The packet that was split into these, in order; its Flag has no bit for packet numbers.

    ValueError when they are not all the parts of one.
    """
    first = parts[0]
    if len({key_of(part) for part in parts}) != 1 or [part.pno for part in parts] != list(
        range(1, (first.pnum or 0) + 1)
    ):
        raise ValueError("these are not all the parts of one packet")
    lead = _lead(first.area)
    area = lead + tuple(group for part in parts for group in part.area[len(lead) :])
    flag = None if first.flag is None else first.flag & ~SPLIT_BIT
    return msgspec.structs.replace(first, area=area, flag=flag, pnum=None, pno=None)


def key_of(part: Packet) -> Key:
    """What the parts of one packet have in common; their QN may differ."""
    return part.mn, part.st, part.cn, _lead(part.area), part.pnum or 0


class PartCollector:
    """Joins parts that arrive in any order, some of them twice.

    Holds max_parts parts at most: the oldest packets that are not complete give way, as do those older than
    max_age_s. dropped: parts that never became a packet.
    """

    def __init__(self, max_parts: int = MAX_HELD_PARTS, max_age_s: float = MAX_AGE_S) -> None:
        self.dropped = 0
        self._max_parts = max_parts
        self._max_age_s = max_age_s
        self._sets: dict[Key, tuple[float, dict[int, Packet]]] = {}

    @property
    def held(self) -> int:
        """Parts of packets that are not complete."""
        return sum(len(parts) for _, parts in self._sets.values())

    def add(self, part: Packet, now_s: float) -> Packet | None:
        """The packet that is complete with this part; a packet without numbers is complete. now_s: of any
        steady clock.
        """
        if part.pnum is None or part.pno is None:
            return part
        self._forget(lambda begun_s: now_s - begun_s > self._max_age_s)
        key = key_of(part)
        _, parts = self._sets.setdefault(key, (now_s, {}))
        parts[part.pno] = part
        if len(parts) == part.pnum:
            del self._sets[key]
            return join([parts[number] for number in sorted(parts)])
        while self.held > self._max_parts:
            oldest = next(iter(self._sets))
            self.dropped += len(self._sets.pop(oldest)[1])
        return None

    def _forget(self, is_old: Callable[[float], bool]) -> None:
        for key in [key for key, (begun_s, _) in self._sets.items() if is_old(begun_s)]:
            self.dropped += len(self._sets.pop(key)[1])


def _lead(area: Area) -> Area:
    """Groups before the first factor."""
    for number, group in enumerate(area):
        if any("-" in name for name, _ in group):
            return area[:number]
    return area
