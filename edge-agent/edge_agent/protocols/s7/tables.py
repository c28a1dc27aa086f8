"""What the tables say: models, their memory areas, and the meaning of error codes."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

Unit = Literal["byte", "word", "timer", "counter", "timer_200", "counter_200"]


@dataclass(frozen=True)
class Model:
    """A PLC family's habits. pdu: what to ask for; text_header: bytes before the characters of a STRING.

    connection: high byte of the remote TSAP made from rack and slot; 0 where the TSAPs must be given.
    """

    name: str
    family: str
    local_tsap: int | None
    connection: int
    rack: int
    slot: int
    remote_tsap: int | None
    pdu: int
    text_header: int


@dataclass(frozen=True)
class Area:
    """A memory area of a family. code: on the wire; base: byte at which it begins there."""

    name: str
    code: int
    unit: Unit
    base: int
    writable: bool


@cache
def models() -> dict[str, Model]:
    return {
        row["model"]: Model(
            name=row["model"],
            family=row["family"],
            local_tsap=int(row["local_tsap"], 16) if row["local_tsap"] else None,
            connection=int(row["connection"] or 0),
            rack=int(row["rack"] or 0),
            slot=int(row["slot"] or 0),
            remote_tsap=int(row["remote_tsap"], 16) if row["remote_tsap"] else None,
            pdu=int(row["pdu"]),
            text_header=int(row["text_header"]),
        )
        for row in _rows("models.csv")
    }


@cache
def areas(family: str) -> dict[str, Area]:
    """Areas of a family by the name that an operator gives them."""
    return {
        row["area"]: Area(
            name=row["area"],
            code=int(row["code"], 16),
            unit=row["unit"],  # type: ignore[arg-type]  # the test of every protocol reads every row
            base=int(row["base"]),
            writable=row["writable"] == "1",
        )
        for row in _rows("areas.csv")
        if row["family"] == family
    }


@cache
def _errors(kind: str) -> dict[int, str]:
    return {int(row["code"], 16): row["meaning"] for row in _rows("errors.csv") if row["kind"] == kind}


def item_meaning(code: int) -> str:
    return _errors("item").get(code, "refused")


def header_meaning(code: int) -> str:
    return _errors("header").get(code, "refused")


def _rows(name: str) -> list[dict[str, str]]:
    text = resources.files(__package__).joinpath(f"tables/{name}").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
