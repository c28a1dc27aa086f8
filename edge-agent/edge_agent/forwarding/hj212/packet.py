"""One packet of HJ 212 and what is wrong with another one. Pure."""

from __future__ import annotations

import re

import msgspec

from edge_agent.errors import AgentError

Item = tuple[str, str]
"""Name and value, both as they stand in the packet: `("w01018-Rtd", "2.20")`."""
Group = tuple[Item, ...]
"""Items that commas join, mostly all of one factor; never empty."""
Area = tuple[Group, ...]
"""The data area between CP=&& and &&: groups that semicolons join; () is an empty one."""

SPLIT_BIT, ANSWER_BIT, VERSION_SHIFT = 0b10, 0b01, 2
"""Of Flag: packet numbers are there, an answer is wanted; above both the version (HJ 212-2017, HJ 212-2025,
table 3).
"""


HIDDEN = "***"
SECRET_NAME = re.compile(r"pw$|pwd|password|secret|key", re.IGNORECASE)
"""Of an item with a password, such as NewPW (HJ 212-2017, CN=1072), or with a key."""

HEADER = {
    "QN": "qn",
    "ST": "st",
    "CN": "cn",
    "PW": "pw",
    "MN": "mn",
    "Flag": "flag",
    "PNUM": "pnum",
    "PNO": "pno",
    "RF": "rf",
}
"""Fields before CP, and what a Packet calls them."""


class Packet(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Header fields and data area as text. A field that is None is not in the packet.

    qn: 17 digits, local time; st: kind of system; cn: command, 4 digits; pw, mn: password and identity of the
    data logger; flag: 0 to 255; pnum, pno: number of packets that belong together, and which this is; rf: "1"
    in data that is sent again (2025). Values of the area stay text, so that they are encoded with the digits
    that they were decoded from.
    """

    st: str
    cn: str
    qn: str | None = None
    pw: str | None = None
    mn: str | None = None
    flag: int | None = None
    pnum: int | None = None
    pno: int | None = None
    rf: str | None = None
    area: Area = ()

    def __repr__(self) -> str:
        """Without passwords and keys."""
        fields = f"cn={self.cn!r}, st={self.st!r}, qn={self.qn!r}, mn={self.mn!r}, flag={self.flag!r}"
        return f"Packet({fields}, {len(self.area)} groups)"

    def safe_text(self) -> str:
        """For who watches: the packet as it is written, without passwords and keys."""
        values = {name: getattr(self, field) for name, field in HEADER.items()}
        head = ";".join(
            f"{name}={HIDDEN if name == 'PW' else value}"
            for name, value in values.items()
            if value is not None
        )
        area = ";".join(
            ",".join(f"{name}={HIDDEN if SECRET_NAME.search(name) else value}" for name, value in group)
            for group in self.area
        )
        return f"{head};CP=&&{area}&&"

    @property
    def version(self) -> int:
        """Version bits of Flag; 0, as in 2005, without one."""
        return (self.flag or 0) >> VERSION_SHIFT

    @property
    def answer_wanted(self) -> bool:
        """Whether the receiver is to answer."""
        return bool((self.flag or 0) & ANSWER_BIT)

    @property
    def items(self) -> list[Item]:
        """Items of the area, with no regard to how they are joined."""
        return [item for group in self.area for item in group]

    def value(self, name: str) -> str | None:
        """Of the first item with that name."""
        return next((value for key, value in self.items if key == name), None)


class BadPacket(AgentError):
    """Bytes that are no packet, or a packet that may not be sent.

    what: field or part; at: byte from the first # of the packet, None for a packet that was to be sent; rule:
    what it must be; clause: standard and clause or table. given: what stands there, cut to MAX_QUOTED; "" for
    a password or key.
    """

    code = "bad_packet"

    def __init__(self, what: str, at: int | None, given: str, rule: str, clause: str) -> None:
        place = "" if at is None else f" at byte {at}"
        quoted = f": {given[:MAX_QUOTED]!r}," if given else ""
        super().__init__(f"{what}{place}{quoted} must be {rule} ({clause})")
        self.what = what
        self.at = at
        self.rule = rule
        self.clause = clause


MAX_QUOTED = 40
SECRETS = frozenset({"PW", "NewPW", "NewSK"})
"""Fields and items whose value is never quoted."""
