"""One whole frame in words, for traces and the decode command. Pure."""

from __future__ import annotations

from typing import Any

from edge_agent.errors import BadFrame
from edge_agent.model import Direction
from edge_agent.protocols.fx.codec import (
    CONTROLS,
    DIGITS,
    ENQ,
    ETX,
    LONGEST,
    STX,
    Request,
    answer_data,
    checksum_of,
    decode,
)


def describe(frame: bytes, direction: Direction | None = None) -> dict[str, Any]:
    """Fields of one whole frame; BadFrame names the field that is wrong and what was expected."""
    if len(frame) == 1 and frame[0] in CONTROLS:
        came: Direction = "request" if frame[0] == ENQ else "answer"
        if direction not in (None, came):
            raise BadFrame(f"direction: must be {came}, which {CONTROLS[frame[0]]} always is")
        return {"direction": came, "control": CONTROLS[frame[0]]}
    digits = _digits(frame)
    checksum = frame[-2:].decode()
    if direction != "answer":
        try:
            fields = _request_fields(decode(digits))
        except BadFrame:
            if direction == "request" or len(digits) % 2:
                raise
        else:
            either = direction is None and len(digits) % 2 == 0
            named = {"direction": "request or answer" if either else "request", **fields}
            return (
                named
                | ({"data": answer_data(digits).hex(" ").upper()} if either else {})
                | {"checksum": checksum}
            )
    return {
        "direction": "answer",
        "count": len(digits) // 2,
        "data": answer_data(digits).hex(" ").upper(),
        "checksum": checksum,
    }


def _request_fields(request: Request) -> dict[str, Any]:
    fields: dict[str, Any] = {"command": request.operation, "set": request.set, "memory": request.memory}
    if request.operation == "speed":
        return fields | {"rate": request.address}
    if request.operation in ("force_on", "force_off"):
        return fields | {"bit_address": f"{request.address:04X}"}
    fields |= {"address": f"{request.address:04X}", "count": request.count or len(request.data)}
    return fields | ({"data": request.data.hex(" ").upper()} if request.data else {})


def _digits(frame: bytes) -> bytes:
    """Digits of one whole frame; BadFrame."""
    if not frame or frame[0] != STX:
        raise BadFrame(
            f"start: must be 02, or the frame one of 05, 06, 15; {frame[:1].hex() or 'nothing'} came"
        )
    end = DIGITS.match(frame, 1).end()  # type: ignore[union-attr]  # it matches no digits too
    if end == len(frame):
        raise BadFrame(f"end: must be 03 behind the digits, the frame ends after {len(frame)} bytes")
    if frame[end] != ETX:
        raise BadFrame(f"byte {end}: must be a digit 0-9 A-F or 03, {frame[end]:02X} came")
    if end == 1 or end > LONGEST + 1:
        raise BadFrame(f"length: must be 1 to {LONGEST} digits between 02 and 03, {end - 1} came")
    if len(frame) != end + 3:
        raise BadFrame(f"length: must be {end + 3} bytes, the sum's two digits behind 03; {len(frame)} came")
    digits = frame[1:end]
    if frame[end + 1 :] != checksum_of(digits):
        raise BadFrame(f"checksum: must be {checksum_of(digits).decode()}, {frame[end + 1 :]!r} came")
    return digits
