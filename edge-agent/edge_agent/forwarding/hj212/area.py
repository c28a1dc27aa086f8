"""The data area: text to groups of items and back. Pure.

An area without blanks and odd characters is split at once; every other one is read item by item, which finds
what may not be there.
"""

from __future__ import annotations

import re

from edge_agent.forwarding.hj212.packet import SECRETS, Area, BadPacket, Item
from edge_agent.forwarding.hj212.profile import Profile, Tolerance

CONTROL = re.compile("[\x00-\x1f\x7f]")
SEPARATOR = re.compile("[,;]")
ITEMS = re.compile("([^=,;]+)=([^=,;]*)").findall
"""It skips what is no item, so that there are fewer of them than separators say."""


class AreaRules:
    """Areas of one version with the tolerances of one platform."""

    def __init__(self, profile: Profile, tolerances: frozenset[Tolerance]) -> None:
        self._charset = profile.charset
        self._clause = profile.clause("area")
        self._trims = Tolerance.TRIM_BLANKS in tolerances

    def parse(self, area: bytes, at: int) -> Area:
        """Groups of an area that begins at that byte of its packet; BadPacket says where it is wrong."""
        if not area:
            return ()
        try:
            text = area.decode(self._charset)
        except UnicodeDecodeError as error:
            given = area[error.start : error.start + 4].hex()
            raise BadPacket("area", at + error.start, given, f"{self._charset} text", self._clause) from None
        if _is_plain(text):
            groups = tuple([tuple(ITEMS(group)) for group in text.split(";")])
            if _counts_fit(text, groups):
                return groups
        return self._item_by_item(text, at)

    def format(self, area: Area) -> bytes:
        """BadPacket for items that would be read as others."""
        text = ";".join([",".join(map("=".join, group)) for group in area])
        try:
            encoded = text.encode(self._charset)
        except UnicodeEncodeError as error:
            raise BadPacket("area", None, text[error.start], f"{self._charset} text", self._clause) from None
        if not _is_plain(text) or not _counts_fit(text, area) or _has_nameless(text):
            for name, value in [item for group in area for item in group]:
                self._check(name, value, None)
            if "&&" in text:
                raise BadPacket("area", None, "&&", "without && inside", self._clause)
            if self._item_by_item(text, 0) != area:
                raise BadPacket("area", None, "", "made of groups with items", self._clause)
        return encoded

    def _item_by_item(self, text: str, at: int) -> Area:
        double = text.find("&&")
        if double >= 0:
            raise BadPacket("area", at + self._size(text[:double]), "&&", "without && inside", self._clause)
        groups: list[list[Item]] = [[]]
        begin = 0
        while text:
            end = SEPARATOR.search(text, begin)
            item = text[begin : end.start() if end else len(text)]
            groups[-1].append(self._item(item, at + self._size(text[:begin])))
            if end is None:
                break
            if end[0] == ";":
                groups.append([])
            begin = end.end()
        return tuple(tuple(group) for group in groups if group)

    def _item(self, text: str, at: int) -> Item:
        name, equals, value = text.partition("=")
        if not equals:
            # not quoted: it may be the end of a password
            raise BadPacket("item", at, "", "name=value", self._clause)
        if self._trims:
            name, value = name.strip(" "), value.strip(" ")
        self._check(name, value, at)
        return name, value

    def _check(self, name: str, value: str, at: int | None) -> None:
        given = f"{name}=" if name in SECRETS else f"{name}={value}"
        if not name:
            raise BadPacket("item", at, given, "name=value with a name", self._clause)
        if CONTROL.search(given) or CONTROL.search(value):
            raise BadPacket("item", at, given, "text without control characters", self._clause)
        if at is None and (SEPARATOR.search(f"{name}{value}") or "=" in name):
            raise BadPacket("item", at, given, "without , and ; and a name without =", self._clause)
        if name != name.strip(" ") or value != value.strip(" "):
            raise BadPacket("item", at, given, "without blanks around name and value", self._clause)

    def _size(self, text: str) -> int:
        return len(text.encode(self._charset))


def _is_plain(text: str) -> bool:
    """Whether it has no character that may not be there in some place."""
    return " " not in text and "&" not in text and text.isprintable()


def _counts_fit(text: str, area: Area) -> bool:
    """Whether there are as many items as separators and equals signs say, so that none has two or no equals
    sign.
    """
    items = sum(map(len, area))
    semicolons = text.count(";")
    return (
        text.count("=") == items and semicolons + 1 == len(area) and text.count(",") + semicolons + 1 == items
    )


def _has_nameless(text: str) -> bool:
    return text.startswith("=") or ",=" in text or ";=" in text
