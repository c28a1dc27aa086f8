"""Frames of a trace in words: time, direction, bytes, and what they say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from edge_agent.bus.trace import TracedFrame
from edge_agent.commissioning.words import fields_of
from edge_agent.errors import BadFrame, ConfigError
from edge_agent.model import Direction
from edge_agent.protocols.base import FieldProtocol

HIDDEN = "***"
"""What a protocol shows in place of a password; the bytes that hold it are not shown either."""

LONGEST_VISIBLE = 12
"""Bytes of an unreadable chunk that are too few for a frame with a password."""

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


def described(
    protocol: FieldProtocol | None, frames: Sequence[TracedFrame], newest: int | None = None
) -> list[dict[str, Any]]:
    """Frames for the page and the export: t_ms, direction, hex, and either fields or error.

    A password also lies in an echo that came with noise or with the answer, which decodes to nothing: where
    one may be about, chunks that cannot be read are described by their length only. newest: how many to show.
    """
    keeps_secrets = protocol is not None and carries_passwords(protocol)
    if newest is not None and not keeps_secrets:
        frames = frames[-newest:]
    entries = [_described(protocol, frame) for frame in frames]
    secrets = any(_hides(one) for one in entries)
    for n, (one, frame) in enumerate(zip(entries, frames, strict=True)):
        # The request of a first answer has left the trace.
        orphan = n == 0 and keeps_secrets and frame.direction == "answer"
        if _hides(one):
            one["hex"] = HIDDEN
        elif "fields" not in one and (secrets or orphan):
            _cover(one, frame)
    return entries if newest is None else entries[-newest:]


def carries_passwords(protocol: FieldProtocol) -> bool:
    """Whether a frame of the protocol may hold a password."""
    return "password" in fields_of(protocol.name, "options")


def holds_secret(fields: Mapping[str, Any]) -> bool:
    """Whether the frame with these fields holds a password, which is not among them."""
    return HIDDEN in fields.values()


def _hides(entry: dict[str, Any]) -> bool:
    return holds_secret(entry.get("fields", {}))


def _described(protocol: FieldProtocol | None, frame: TracedFrame) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "t_ms": frame.t_ms,
        "direction": frame.direction,
        "hex": frame.data.hex(" ").upper(),
    }
    if frame.cut:
        entry["cut"] = frame.cut
    if protocol is not None and not frame.cut:
        try:
            entry["fields"] = protocol.describe(frame.data, frame.direction)
        except BadFrame as error:
            entry["error"] = str(error)
    return entry


def _cover(entry: dict[str, Any], frame: TracedFrame) -> None:
    size = len(frame.data)
    if size > LONGEST_VISIBLE:
        entry["hex"] = f"(hidden: {size} bytes)"
        if "error" in entry:  # may quote the bytes
            entry["error"] = f"{entry['error'].partition(':')[0]}: cannot be read"


def lines(port: str, protocol: FieldProtocol | None, frames: Sequence[TracedFrame]) -> Iterator[str]:
    """The export: one line a frame, UTC."""
    for frame, entry in zip(frames, described(protocol, frames), strict=True):
        at = datetime.fromtimestamp(frame.t_ms / 1000, UTC)
        says = msgspec.json.encode(entry["fields"]).decode() if "fields" in entry else entry.get("error", "")
        when = f"{at:%Y-%m-%dT%H:%M:%S}.{frame.t_ms % 1000:03d}Z"
        left_out = f" (+{frame.cut} bytes)" if frame.cut else ""
        yield f"{when} {port} {MARKS[frame.direction]} {entry['hex']}{left_out}  {says}".rstrip()
