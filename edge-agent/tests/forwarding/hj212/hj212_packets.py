"""Golden packets, codecs for them, and strategies for packets that a codec must take."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from edge_agent.forwarding.hj212.codec import PacketCodec, PacketOptions
from edge_agent.forwarding.hj212.packet import Packet
from edge_agent.forwarding.hj212.profile import VERSIONS, Tolerance, profile
from edge_agent.forwarding.hj212.sm4 import Encryption, Side, Sm4Key

HERE = Path(__file__).parent
KEY = Sm4Key("0" * 16)


def wire(text: str) -> bytes:
    r"""Bytes of a packet that is written without its CR LF; <hex:0D0A> stands for bytes."""
    parts = re.split("(<hex:[0-9A-F]*>)", text)
    return b"".join(bytes.fromhex(p[5:-1]) if p.startswith("<hex:") else p.encode() for p in parts) + b"\r\n"


def rows(name: str) -> list[dict[str, str]]:
    """A table beside this file."""
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@dataclass(frozen=True)
class GoldenPacket:
    """One row of packets.csv."""

    name: str
    version: str
    tolerances: frozenset[Tolerance]
    data: bytes
    encrypted: bool

    def codec(self, **options: Any) -> PacketCodec:
        """Of who receives it."""
        return self._codec(Side.PLATFORM, **options)

    def sender(self) -> PacketCodec:
        """Of who sends it: the platform's own packets of 2xxx are clear."""
        return self._codec(Side.FIELD)

    def _codec(self, side: Side, **options: Any) -> PacketCodec:
        encryption = Encryption(KEY, side) if self.encrypted else None
        options = {"tolerances": self.tolerances, "encryption": encryption, **options}
        return PacketCodec(profile(self.version), PacketOptions(**options))


def goldens() -> list[GoldenPacket]:
    """All of packets.csv."""
    return [
        GoldenPacket(
            row["id"],
            row["version"],
            frozenset(map(Tolerance, row["tolerances"].split())),
            wire(row["packet"]),
            "<hex:" in row["packet"],
        )
        for row in rows("packets.csv")
    ]


def strict(version: str = "2017", **options: Any) -> PacketCodec:
    return PacketCodec(profile(version), PacketOptions(**options))


def golden(name: str) -> GoldenPacket:
    return next(each for each in goldens() if each.name == name)


TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters=",;&"), max_size=12).map(
    str.strip
)
NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9]{0,7}(-[A-Z][A-Za-z]{0,5})?", fullmatch=True)


@st.composite
def packets(draw: st.DrawFn, version: str | None = None) -> tuple[str, Packet]:
    """A version, and a packet that it allows."""
    version = version or draw(st.sampled_from(VERSIONS))
    rules = profile(version)
    text = TEXT.filter(lambda value: value.isascii()) if rules.charset == "ascii" else TEXT
    parts = draw(st.booleans())
    pnum = draw(st.integers(1, rules.max_parts)) if parts else None
    area = draw(
        st.lists(st.lists(st.tuples(NAMES, text), min_size=1, max_size=4).map(tuple), max_size=8).map(tuple)
    )
    mn = draw(st.from_regex({"2005": "[0-9A-Z]{14}"}.get(version, "[0-9A-F]{24}"), fullmatch=True))
    return version, Packet(
        qn=draw(st.from_regex(r"[0-9]{17}", fullmatch=True)),
        st=draw(st.sampled_from(["21", "31", "32", "91", "A0"])),
        cn=draw(st.from_regex(r"[0-9]{4}", fullmatch=True)),
        pw=draw(st.from_regex(r"[0-9A-Za-z]{0,6}", fullmatch=True)),
        mn=mn,
        flag=rules.version_bits << 2 | parts << 1 | draw(st.integers(0, 1)),
        pnum=pnum,
        pno=draw(st.integers(1, pnum)) if pnum else None,
        rf=draw(st.sampled_from([None, "1"])) if version == "2025" else None,
        area=area,
    )
