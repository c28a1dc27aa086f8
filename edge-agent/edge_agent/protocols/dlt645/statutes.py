"""What the statutes of 1997 and 2007 do differently on the wire. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from edge_agent.protocols.dlt645.items import rows

NOT_AUTHORISED = 0x04
"""Error bit of both statutes; what it says of a block it says of every item of it."""


@dataclass(frozen=True)
class Part:
    """A field of a command's data. size: bytes; None: what the others leave."""

    name: str
    size: int | None


@dataclass(frozen=True)
class Command:
    """request, answer: fields in transmission order. answer None: meters do not answer."""

    name: str
    request: tuple[Part, ...]
    answer: tuple[Part, ...] | None


@dataclass(frozen=True)
class Statute:
    """di_bytes: of an identifier. counted: follow-up frames carry a number, from 1.

    operator: a write carries the operator code. codes: control code of a request by its command's name.
    """

    name: str
    di_bytes: int
    counted: bool
    operator: bool
    commands: dict[int, Command]
    codes: dict[str, int]
    errors: dict[int, str]

    def meaning(self, code: int) -> str:
        """Words for a meter's error byte."""
        return ", ".join(text for bit, text in self.errors.items() if code & bit) or "no reason given"


def _parts(layout: str) -> tuple[Part, ...]:
    fields = (field.partition(":") for field in layout.split())
    return tuple(Part(name, None if size == "*" else int(size)) for name, _, size in fields)


def _statute(name: str, di_bytes: int, *, counted: bool, operator: bool) -> Statute:
    commands = {
        int(row["code"], 16): Command(
            row["command"], _parts(row["request"]), None if row["answer"] == "-" else _parts(row["answer"])
        )
        for row in rows("commands.csv")
        if row["statute"] == name
    }
    errors = {1 << int(row["bit"]): row["meaning"] for row in rows("errors.csv") if row["statute"] == name}
    codes = {command.name: code for code, command in commands.items()}
    return Statute(name, di_bytes, counted, operator, commands, codes, errors)


STATUTES = {
    "2007": _statute("2007", 4, counted=True, operator=True),
    "1997": _statute("1997", 2, counted=False, operator=False),
}


def wire_di(di: str) -> bytes:
    """Printed identifier to transmission order."""
    return bytes.fromhex(di)[::-1]


def printed(data: bytes) -> str:
    """Bytes in transmission order to digits as printed: the highest byte first."""
    return data[::-1].hex().upper()
