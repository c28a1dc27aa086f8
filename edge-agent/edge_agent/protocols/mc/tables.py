"""Device codes and end codes, as the tables hold them."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

FrameName = Literal["1e", "3e"]
Effect = Literal["cut", "refuse", "silent"]


@dataclass(frozen=True, slots=True)
class Area:
    """A run of devices that one request may cover.

    name: as configured; device: as the PLC's manual calls it; code: on the wire; text: of 3E in ASCII.
    base: in which numbers are printed, None for X and Y of 3E (the PLC's series says); text_base: in which
    3E sends them in ASCII. words: of one number, for words; first, last: numbers.
    """

    name: str
    device: str
    code: int
    text: str
    bit: bool
    base: int | None
    text_base: int
    first: int
    last: int
    words: int
    writable: bool
    zh: str
    en: str


@dataclass(frozen=True, slots=True)
class EndCode:
    """effect: cut, a smaller request may be accepted; silent, the PLC behind the module is; else refuse."""

    code: int
    effect: Effect
    meaning: str


@cache
def areas(frame: FrameName) -> tuple[Area, ...]:
    """Every area of a frame type, in the order of the table."""
    return tuple(
        Area(
            name=row["area"],
            device=row["device"],
            code=int(row["code"], 16),
            text=row["text"],
            bit=row["unit"] == "bit",
            base=None if row["base"] == "xy" else int(row["base"]),
            text_base=int(row["text_base"]),
            first=int(row["first"]),
            last=int(row["last"]),
            words=int(row["words"]),
            writable=row["writable"] == "1",
            zh=row["zh"],
            en=row["en"],
        )
        for row in _rows("areas.csv")
        if row["frame"] == frame
    )


@cache
def of_code(frame: FrameName, code: int) -> tuple[Area, ...]:
    """Areas that a device code stands for; empty for an unknown one."""
    return tuple(area for area in areas(frame) if area.code == code)


@cache
def end_codes(frame: FrameName) -> dict[int, EndCode]:
    return {
        int(row["code"], 16): EndCode(int(row["code"], 16), _effect(row["effect"]), row["meaning"])
        for row in _rows("end_codes.csv")
        if row["frame"] == frame
    }


def meaning_of(frame: FrameName, end_code: int) -> str:
    """Words for an end code; of 1E 5Bxx, those of 5B when the abnormal code is not known."""
    known = end_codes(frame).get(end_code) or end_codes(frame).get(end_code >> 8)
    return known.meaning if known else "unknown end code"


@cache
def models(frame: FrameName) -> dict[int, str]:
    """Names of PLC models by the code with which they answer."""
    return {int(row["code"], 16): row["model"] for row in _rows("models.csv") if row["frame"] == frame}


def _effect(text: str) -> Effect:
    return "cut" if text == "cut" else "silent" if text == "silent" else "refuse"


def _rows(name: str) -> list[dict[str, str]]:
    text = resources.files(__package__).joinpath(f"tables/{name}").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
