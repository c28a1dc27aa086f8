"""Frames of a trace in words: time, direction, bytes, and what they say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec

from edge_agent.bus.trace import TracedFrame
from edge_agent.errors import BadFrame, ConfigError
from edge_agent.model import Direction
from edge_agent.protocols.base import Room

HIDDEN = "***"
"""What a protocol's room shows in place of a password; the bytes that hold it are not shown either."""

MARKS: dict[Direction, str] = {"request": ">", "answer": "<"}


def frame_of(text: str) -> bytes:
    """Bytes of hexadecimal words, with or without blanks; ConfigError says which character is wrong."""
    bare = "".join(text.replace("0x", "").replace(",", " ").split())
    wrong = next((place for place, mark in enumerate(bare) if mark not in "0123456789abcdefABCDEF"), None)
    if wrong is not None:
        raise ConfigError("hex", f"must be hexadecimal digits, {bare[wrong]!r} stands at digit {wrong + 1}")
    if not bare or len(bare) % 2:
        raise ConfigError("hex", f"must be pairs of digits, these are {len(bare)} digits")
    return bytes.fromhex(bare)


def described(room: Room | None, frame: TracedFrame) -> dict[str, Any]:
    """One frame for the page and the export: t_ms, direction, hex, and either fields or error."""
    told: dict[str, Any] = {
        "t_ms": frame.t_ms,
        "direction": frame.direction,
        "hex": frame.data.hex(" ").upper(),
    }
    if frame.cut:
        told["cut"] = frame.cut
    if room is not None and not frame.cut:
        try:
            told["fields"] = room.describe(frame.data, frame.direction)
        except BadFrame as error:
            told["error"] = str(error)
        if HIDDEN in told.get("fields", {}).values():
            told["hex"] = HIDDEN
    return told


def lines(port: str, room: Room | None, frames: Iterable[TracedFrame]) -> Iterator[str]:
    """The export: one line a frame, UTC."""
    for frame in frames:
        told = described(room, frame)
        at = datetime.fromtimestamp(frame.t_ms / 1000, UTC)
        says = msgspec.json.encode(told["fields"]).decode() if "fields" in told else told.get("error", "")
        when = f"{at:%Y-%m-%dT%H:%M:%S}.{frame.t_ms % 1000:03d}Z"
        left_out = f" (+{frame.cut} bytes)" if frame.cut else ""
        yield f"{when} {port} {MARKS[frame.direction]} {told['hex']}{left_out}  {says}".rstrip()
