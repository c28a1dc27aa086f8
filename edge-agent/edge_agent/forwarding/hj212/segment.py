"""The data segment: bytes to a packet and back. Pure.

The header is matched by one expression; one that does not fit is read field by field, which either finds a
tolerance or says what is wrong at which byte.
"""

from __future__ import annotations

import re

from edge_agent.forwarding.hj212.area import AreaRules
from edge_agent.forwarding.hj212.packet import HEADER, SECRETS, SPLIT_BIT, BadPacket, Packet
from edge_agent.forwarding.hj212.profile import Profile, Tolerance, header_pattern

HEAD = 6
"""Bytes of a packet before its segment: ## and the length."""
OPEN, CLOSE = b"CP=&&", b"&&"
BEHIND = re.compile(rb"&&((?:;[A-Za-z]+=[^;&]*)+)")
"""Header fields after the area, as one Java library builds its packets."""
MAX_FLAG = 255


class SegmentRules:
    """Segments of one version with the tolerances of one platform. max_area: bytes between CP=&& and &&."""

    def __init__(self, profile: Profile, tolerances: frozenset[Tolerance], max_area: int) -> None:
        fields = profile.tolerant_fields(tolerances)
        self._version = profile.version_bits
        self._version_clause = profile.clause("version")
        self._clause = profile.clause("segment")
        self._split_bit_binds = profile.split_bit_binds and Tolerance.PART_NUMBERS not in tolerances
        self._tolerances = tolerances
        self._max_area = max_area
        self._fields = {field.name: field for field in fields}
        self._header = header_pattern(fields)
        self._area = AreaRules(profile, tolerances)

    def parse(self, segment: bytes) -> Packet:
        """BadPacket counts bytes from the first # of the packet."""
        start, end = self.bounds(segment)
        self.check_size(end - start, HEAD + start)
        header = self._header_text(segment[: start - len(OPEN)], 0)
        behind = segment[end + len(CLOSE) :]
        match = None if behind else self._header.fullmatch(header)
        if match:
            values = match.groupdict()
        else:
            after = end + len(CLOSE) + 1
            values = self._field_by_field(header, self._header_text(behind[1:], after), HEAD + after)
        flag, pnum, pno = values.get("Flag"), values.get("PNUM"), values.get("PNO")
        packet = Packet(
            qn=values.get("QN"),
            st=values.get("ST") or "",
            cn=values.get("CN") or "",
            pw=values.get("PW"),
            mn=values.get("MN"),
            flag=None if flag is None else int(flag),
            pnum=None if pnum is None else int(pnum),
            pno=None if pno is None else int(pno),
            rf=values.get("RF"),
            area=self._area.parse(segment[start:end], HEAD + start),
        )
        self._check_numbers(packet, segment.decode("latin-1") if behind else header)
        return packet

    def bounds(self, segment: bytes) -> tuple[int, int]:
        """Where the area begins and ends, be it encrypted. BadPacket when its marks are missing."""
        start = segment.find(OPEN) + len(OPEN)
        if start < len(OPEN):
            raise BadPacket("CP", HEAD + len(segment), "", "there, as CP=&&", self._clause)
        end = len(segment) - len(CLOSE)
        if end < start or not segment.endswith(CLOSE):
            last = segment.rfind(CLOSE, start)
            if Tolerance.ANY_ORDER in self._tolerances and last >= 0 and BEHIND.fullmatch(segment, last):
                return start, last
            rule = "closed by && at the end of the segment"
            raise BadPacket("CP", HEAD + len(segment), "", rule, self._clause)
        return start, end

    def check_size(self, size: int, at: int | None) -> None:
        """BadPacket for an area of more bytes than CP may have."""
        if size > self._max_area:
            raise BadPacket("CP", at, str(size), f"at most {self._max_area} bytes long", self._clause)

    def format(self, packet: Packet) -> bytes:
        """The clear segment, of any length. BadPacket, without a byte, for what breaks another rule of the
        version.
        """
        values = [(name, getattr(packet, HEADER[name])) for name in self._fields]
        header = "".join([f"{name}={value};" for name, value in values if value is not None])
        if not self._header.fullmatch(header):
            for name, value in values:
                self._check_value(name, value if value is None else str(value), None)
        if packet.rf is not None and "RF" not in self._fields:
            raise self._unknown("RF", None)
        self._check_numbers(packet, None)
        return header.encode() + OPEN + self._area.format(packet.area) + CLOSE

    def _header_text(self, fields: bytes, place: int) -> str:
        """place: of the fields in the segment."""
        try:
            return fields.decode("ascii")
        except UnicodeDecodeError as error:
            given = fields[error.start : error.start + 1].hex()
            at = HEAD + place + error.start
            raise BadPacket("header", at, given, "ASCII text", self._clause) from None

    def _field_by_field(self, header: str, behind: str, behind_at: int) -> dict[str, str | None]:
        """behind: fields after the area, which begin at that byte of the packet."""
        values: dict[str, str | None] = {}
        order, at = list(self._fields), HEAD
        *parts, rest = header.split(";")
        later = behind.split(";") if behind else []
        for number, part in enumerate(parts + later):
            if number == len(parts):
                at = behind_at
            name, equals, value = part.partition("=")
            if Tolerance.TRIM_BLANKS in self._tolerances:
                name, value = name.strip(" "), value.strip(" ")
            if not equals:
                # not quoted: it may be the end of a password
                raise BadPacket("header", at, "", "fields as name=value", self._clause)
            if name not in self._fields:
                raise self._unknown(name, at)
            if name in values:
                raise BadPacket(name, at, "", "there once", self._clause)
            self._check_value(name, value, at + len(part.partition("=")[0]) + 1)
            place = order.index(name)
            if Tolerance.ANY_ORDER not in self._tolerances and any(
                order.index(each) > place for each in values
            ):
                rule = f"in the order {' '.join(order)}"
                raise BadPacket(name, at, "", rule, self._clause)
            values[name] = value
            at += len(part) + 1
        if rest:
            at = HEAD + len(header) - len(rest)
            raise BadPacket("header", at, "", "a ; before CP", self._clause)
        for name in self._fields:
            if name not in values:
                self._check_value(name, None, HEAD + len(header))
        return values

    def _check_value(self, name: str, value: str | None, at: int | None) -> None:
        field = self._fields[name]
        if value is None:
            if field.required:
                raise BadPacket(name, at, "", "there", self._clause)
        elif not re.fullmatch(field.pattern, value, re.ASCII):
            raise BadPacket(name, at, "" if name in SECRETS else value, field.rule, self._clause)

    def _unknown(self, name: str, at: int | None) -> BadPacket:
        return BadPacket("header field", at, name, f"one of {' '.join(self._fields)}", self._clause)

    def _check_numbers(self, packet: Packet, header: str | None) -> None:
        """Flag and packet numbers, which depend on each other. header: to say where; None when there is none
        yet.
        """
        flag, pnum, pno = packet.flag, packet.pnum, packet.pno
        if flag is not None:
            at = _place("Flag", header)
            if flag > MAX_FLAG:
                raise BadPacket("Flag", at, str(flag), self._fields["Flag"].rule, self._clause)
            if packet.version != self._version and Tolerance.ANY_VERSION not in self._tolerances:
                low = self._version << 2
                rule = f"{low} to {low + 3}, the version bits of this standard"
                raise BadPacket("Flag", at, str(flag), rule, self._version_clause)
            if self._split_bit_binds and bool(flag & SPLIT_BIT) != (pnum is not None):
                rule = f"{'with' if flag & SPLIT_BIT else 'without'} PNUM and PNO, as its bit 1 says"
                raise BadPacket("Flag", at, str(flag), rule, self._version_clause)
        if (pnum is None) != (pno is None):
            name = "PNO" if pno is None else "PNUM"
            raise BadPacket(name, _place("Flag", header), "", "there when the other number is", self._clause)
        if pnum is not None and pno is not None and not 1 <= pno <= pnum:
            raise BadPacket(
                "PNO", _place("PNO", header), str(pno), f"1 to PNUM, which is {pnum}", self._clause
            )


def _place(name: str, header: str | None) -> int | None:
    """Byte of a field's value in its packet."""
    if header is None:
        return None
    return HEAD + f";{header}".find(f";{name}") + len(name) + 1
