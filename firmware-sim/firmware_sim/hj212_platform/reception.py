"""What a platform makes of a packet: whose it is, what is wrong with it, which answer it gets. Pure.

Check digits and fields are read here and by the agent's codec; where the two disagree, it is noted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from edge_agent.forwarding.hj212.codec import PacketCodec, PacketOptions
from edge_agent.forwarding.hj212.commands import DATA_ANSWER, NOTICE_ANSWER, READY, CommandKind
from edge_agent.forwarding.hj212.packet import HEADER, BadPacket, Packet
from edge_agent.forwarding.hj212.profile import VERSIONS, Tolerance, profile
from firmware_sim.hj212_platform.packet_bytes import CHECKS, Framed, fits, header, items
from firmware_sim.hj212_platform.station import INTERACTION, PlatformStation, kind_of

QN_RETURNS = {"pw": 3, "mn": 4, "st": 5, "flag": 6, "qn": 7, "cn": 8, "crc": 9, "other": 100}
"""By what is wrong with a packet (2017: QnRtn)."""
QN_RETURNS_OF_2005 = {"pw": 3}
REFUSED_IN_2005 = 2
ANSWERS = {CommandKind.UPLOAD: DATA_ANSWER, CommandKind.NOTICE: NOTICE_ANSWER}
LOGGER_ID = "i23005-Info"
VERSIONS_BY_BITS = {0: "2005", 1: "2017", 2: "2025"}
NUMBERS = ("Flag", "PNUM", "PNO")
WRONG_FIELDS = {"CRC": "crc", **{name: name.lower() for name in ("QN", "ST", "CN", "PW", "MN", "Flag")}}


@dataclass(frozen=True, slots=True)
class Reception:
    """One packet. cause: why it is refused, a key of QN_RETURNS, "" when it is not; words: that for people.

    answer: number of the command that answers it; None: it gets none. disagreement: between the codec and
    what is read here.
    """

    station: PlatformStation | None
    packet: Packet | None
    kind: CommandKind | None = None
    cause: str = ""
    words: str = ""
    answer: str | None = None
    disagreement: str = ""


class Receiver:
    """Takes the packets of these stations. BadPacket and unknown stations are receptions, not errors."""

    def __init__(self, stations: Iterable[PlatformStation]) -> None:
        stations = list(stations)
        self._by_mn = {station.entry.mn: station for station in stations}
        self._by_logger = {
            station.entry.logger_id: station for station in stations if station.entry.logger_id is not None
        }
        options = PacketOptions(tolerances=frozenset(Tolerance))
        self._lenient = {version: PacketCodec(profile(version), options) for version in VERSIONS}

    def station_of(self, segment: bytes) -> PlatformStation | None:
        """By MN; before it has one by the number of its data logger."""
        fields = header(segment)
        mn = fields.get("MN", "")
        return self._by_mn.get(mn) if mn else self._by_logger.get(dict(items(segment)).get(LOGGER_ID, ""))

    def digits_fit(self, segment: bytes, digits: bytes) -> bool:
        """By the rule of the packet's station; by any rule when it is nobody's."""
        station = self.station_of(segment)
        if station is None:
            return any(fits(variant, segment, digits) for variant in CHECKS)
        return self._fits(station, segment, digits)

    def received(self, framed: Framed, station: PlatformStation | None) -> Reception:
        """station: that the connection belongs to, for packets without MN."""
        station = self.station_of(framed.segment) or (None if header(framed.segment).get("MN") else station)
        if station is None:
            return self._of_nobody(framed)
        try:
            packet, error = station.codec.decode(framed.data), None
        except BadPacket as bad:
            packet, error = None, bad
        disagreement = self._disagreement(station, framed, packet, error)
        if not framed.sound:
            return self._refused(station, framed, "crc", f"CRC of {station.entry.crc}", disagreement)
        if packet is None:
            cause = WRONG_FIELDS.get(error.what if error else "", "other")
            return self._refused(station, framed, cause, str(error), disagreement)
        cause, words = self._wrong_value(station, packet)
        if cause:
            return self._refused(station, framed, cause, words, disagreement)
        kind = kind_of(packet.cn, station.entry.version, "field")
        answer = ANSWERS.get(kind) if kind is not None and packet.answer_wanted else None
        return Reception(station, packet, kind, answer=answer, disagreement=disagreement)

    def refusal(self, reception: Reception) -> bytes | None:
        """The packet 9011 that says why, with what can be repeated of a broken one; None when nothing can."""
        station, packet = reception.station, reception.packet
        if packet is None:
            return None
        version = station.entry.version if station else VERSIONS_BY_BITS.get(packet.version, "2017")
        number = QN_RETURNS[reception.cause]
        if version == "2005":
            number = QN_RETURNS_OF_2005.get(reception.cause, REFUSED_IN_2005)
        lead = ((("QN", packet.qn),),) if version == "2005" and packet.qn is not None else ()
        answer = Packet(
            qn=None if version == "2005" else packet.qn,
            st=INTERACTION,
            cn=READY,
            pw=packet.pw,
            mn=packet.mn,
            flag=None if version == "2005" else profile(version).version_bits << 2,
            area=(*lead, (("QnRtn", str(number)),)),
        )
        while True:
            try:
                return self._lenient[version].encode(answer)
            except BadPacket as error:
                if error.what not in ("QN", "PW", "MN") or getattr(answer, HEADER[error.what]) is None:
                    return None
                answer = msgspec.structs.replace(answer, **{HEADER[error.what]: None})

    def _of_nobody(self, framed: Framed) -> Reception:
        if not framed.sound:
            return self._refused(None, framed, "crc", "CRC of no variant", "")
        return self._refused(None, framed, "mn", "MN of no station", "")

    def _refused(
        self, station: PlatformStation | None, framed: Framed, cause: str, words: str, disagreement: str
    ) -> Reception:
        return Reception(station, self._as_read(framed), None, cause, words, None, disagreement)

    def _as_read(self, framed: Framed) -> Packet | None:
        """The header of a refused packet, as far as it can be read."""
        fields = {HEADER[name]: value for name, value in header(framed.segment).items() if name in HEADER}
        flag = fields.get("flag", "")
        if not fields.get("st") or not fields.get("cn"):
            return None
        return Packet(
            qn=fields.get("qn"),
            st=fields["st"],
            cn=fields["cn"],
            pw=fields.get("pw"),
            mn=fields.get("mn"),
            flag=int(flag) if flag.isascii() and flag.isdecimal() and int(flag) < 256 else None,
        )

    def _wrong_value(self, station: PlatformStation, packet: Packet) -> tuple[str, str]:
        entry = station.entry
        if packet.pw not in {station.pw, station.offered_pw or station.pw} and not (
            packet.pw is None and station.old_shape
        ):
            return "pw", "PW of another station"
        if packet.st not in {entry.st, *entry.also_st, INTERACTION}:
            return "st", f"ST={packet.st}, it is {entry.st}"
        if kind_of(packet.cn, entry.version, "field") is None:
            return "cn", f"CN={packet.cn} is none that a station sends in {entry.version}"
        return "", ""

    def _fits(self, station: PlatformStation, segment: bytes, digits: bytes) -> bool:
        universal = Tolerance.UNIVERSAL_CRC in station.entry.tolerances
        variant = str(station.entry.crc)
        if station.encrypted and not station.entry.crc_over_cipher:
            try:
                segment, _ = station.codec.clear_segment(Framed(segment, digits, True).data)
            except BadPacket as error:
                return error.what != "CRC"
        return fits(variant, segment, digits, universal=universal)

    def _disagreement(
        self, station: PlatformStation, framed: Framed, packet: Packet | None, error: BadPacket | None
    ) -> str:
        refused = error is not None and error.what == "CRC"
        if not station.encrypted and refused == framed.sound:
            return f"check digits {framed.digits.decode()}: the codec says {error or 'they fit'}"
        if packet is None:
            return ""
        own = {name: _plain(name, value) for name, value in header(framed.segment).items()}
        read = {name: getattr(packet, HEADER[name]) for name in HEADER}
        given = {name: str(value) for name, value in read.items() if value is not None}
        if given != own:
            names = sorted(name for name in {*given, *own} if given.get(name) != own.get(name))
            return f"header: {' '.join(names)}"
        if not station.encrypted and packet.items != items(framed.segment):
            return "items of the area"
        return ""


def _plain(name: str, value: str) -> str:
    """A number without leading zeros, which a tolerance allows."""
    return str(int(value)) if name in NUMBERS and value.isascii() and value.isdecimal() else value
