"""A station while the platform runs: its codec, and what it was given: MN, password, key."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from edge_agent.forwarding.hj212.codec import PacketCodec, PacketOptions
from edge_agent.forwarding.hj212.commands import CommandKind, commands
from edge_agent.forwarding.hj212.packet import ANSWER_BIT, VERSION_SHIFT, Area, Packet
from edge_agent.forwarding.hj212.profile import profile
from edge_agent.forwarding.hj212.sm4 import Encryption, Side, Sm4Key
from firmware_sim.hj212_platform.description import RequestEntry, StationEntry
from firmware_sim.hj212_platform.store import GivenValues
from firmware_sim.lines.delivery import Segment, Station

INTERACTION = "91"
"""ST of answers."""
TIMES = re.compile(r"\{(now|stamp)(?:-([0-9]{1,9}))?\}")
FLAG_OF_2005 = 3
"""Of requests in its examples: an answer is wanted, and packet numbers that are not there."""


class PlatformStation:
    """ConfigError when the entry's key is none.

    offered_pw: what 1072 wants to make its password; until it did, either is taken.
    """

    def __init__(self, entry: StationEntry, segment: Segment, max_segment: int | None = None) -> None:
        self.entry = entry
        self.name = entry.name
        self.place = Station(entry.name, segment)
        self.pw = entry.pw
        self.offered_pw: str | None = None
        self._bits = profile(entry.version).version_bits
        self._options = PacketOptions(entry.crc, frozenset(entry.tolerances), max_segment)
        self._key = None if entry.key is None else Sm4Key(entry.key)
        self.codec = self._codec(None)

    @property
    def old_shape(self) -> bool:
        """Answers have the QN in their area and no Flag (2005)."""
        return self.entry.version == "2005"

    @property
    def encrypted(self) -> bool:
        """Whether there is a key."""
        return self._key is not None

    def take_given(self, given: GivenValues) -> None:
        """What it was given from now on; its last key is still taken. ConfigError when the key is none."""
        self.pw = given.pw or self.pw
        key = self._key if given.key is None else Sm4Key(given.key)
        if key != self._key:
            previous, self._key = self._key, key
            self.codec = self._codec(previous)

    def request(self, entry: RequestEntry, qn: str, now: datetime) -> Packet:
        """The packet of a request. now: local time of the station."""
        flag = FLAG_OF_2005 if self.old_shape else self._bits << VERSION_SHIFT | ANSWER_BIT
        area = area_of(entry.items, now)
        return self._packet(entry.cn, qn=qn, st=self.entry.st, flag=flag, area=area)

    def answer(self, cn: str, packet: Packet, *items: tuple[str, str]) -> Packet:
        """9011, 9013 or 9014 to a packet, to the MN that it came with."""
        area = tuple((item,) for item in items)
        if not self.old_shape:
            flag = self._bits << VERSION_SHIFT
            return self._packet(cn, qn=packet.qn, st=INTERACTION, flag=flag, area=area, mn=packet.mn)
        lead = (("QN", packet.qn),) if packet.qn is not None else ()
        of_cn = (("CN", packet.cn),) if cn == "9014" else ()
        area = (*((item,) for item in (*lead, *of_cn)), *area)
        return self._packet(cn, qn=None, st=INTERACTION, flag=None, area=area, mn=packet.mn)

    def may_request(self, cn: str) -> CommandKind | None:
        """Kind of a command that a platform of its version may send."""
        return kind_of(cn, self.entry.version, "platform")

    def _packet(
        self, cn: str, *, qn: str | None, st: str, flag: int | None, area: Area, mn: str | None = None
    ) -> Packet:
        mn = self.entry.mn if mn is None else mn
        return Packet(qn=qn, st=st, cn=cn, pw=self.pw, mn=mn, flag=flag, area=area)

    def _codec(self, previous: Sm4Key | None) -> PacketCodec:
        options = self._options
        if self._key is not None:
            form, over_cipher = self.entry.cipher_form, self.entry.crc_over_cipher
            encryption = Encryption(self._key, Side.PLATFORM, form, over_cipher, previous)
            options = PacketOptions(options.crc, options.tolerances, options.max_segment, encryption)
        return PacketCodec(profile(self.entry.version), options)


def kind_of(cn: str, version: str, sender: str) -> CommandKind | None:
    """What a command is when that side sends it: "field" or "platform"; None when it may not."""
    uses = commands(version).get(cn, ())
    return next((use.kind for use in uses if use.sender in (sender, "both")), None)


def area_of(text: str, now: datetime) -> Area:
    """Groups of an area that is written as in a packet, with times for {now}, {stamp} and {now-SECONDS}."""
    written = TIMES.sub(lambda match: _time(match[1], _before(now, match[2])), text)
    groups = [group.split(",") for group in written.split(";") if group]
    return tuple(tuple((name, value) for name, _, value in map(_halves, group)) for group in groups)


def _time(kind: str, at: datetime) -> str:
    digits = f"{at:%Y%m%d%H%M%S}"
    return digits if kind == "now" else f"{digits}{at.microsecond // 1000:03}"


def _before(now: datetime, seconds: str | None) -> datetime:
    return now - timedelta(seconds=int(seconds or 0))


def _halves(item: str) -> tuple[str, str, str]:
    return item.partition("=")
