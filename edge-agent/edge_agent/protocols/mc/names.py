"""Device numbers as a PLC engineer writes them: X and Y in octal or hexadecimal, D in decimal. Pure."""

from __future__ import annotations

from typing import Any

from edge_agent.protocols.mc.codec import Request
from edge_agent.protocols.mc.tables import FrameName, of_code
from edge_agent.rules import shortened

DIGITS = "0123456789ABCDEF"
BASE_NAME = {8: "octal", 10: "decimal", 16: "hexadecimal"}
FORMAT = {8: "o", 10: "d", 16: "X"}


def plain(printed: int | str, base: int) -> int:
    """A printed number to a plain one: 17 of an octal device is 15. ValueError when a digit does not fit.

    Hexadecimal numbers are texts: one that counts 19, 20 in a configuration would leave out 1A to 1F.
    """
    if base == 16 and isinstance(printed, int):
        raise ValueError(f'must be a text of hexadecimal digits, such as "{printed}"')
    text = str(printed).upper()
    if not text or not set(text) <= set(DIGITS[:base]):
        raise ValueError(f"must be {BASE_NAME[base]} digits, {shortened(repr(printed))} is not")
    return int(text, base)


def printed(number: int, base: int) -> str:
    return format(number, FORMAT[base])


def named(frame: FrameName, request: Request) -> dict[str, Any]:
    """device and start of a request for a reader; first: as printed, where its base is known."""
    matching = [area for area in of_code(frame, request.device) if area.first <= request.start <= area.last]
    if not matching:
        return {"device": f"unknown code {request.device:02X}", "start": request.start}
    area = matching[0]
    fields: dict[str, Any] = {"device": area.device, "start": request.start}
    if area.base is not None:
        fields["first"] = f"{area.device}{printed(request.start, area.base)}"
    return fields
