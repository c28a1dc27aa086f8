"""Samples and aggregates as lines of text; each begins with the number of its batch. Pure.

A line is a whole row: in CSV line breaks within a text become blanks, JSON lines keep them escaped.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from edge_agent.forwarding.aggregation import Aggregate
from edge_agent.model import Quality, Sample

SAMPLE = ("seq", "time", "slave", "point", "value", "quality")
AGGREGATE = (
    "seq",
    "from",
    "to",
    "slave",
    "point",
    "first",
    "last",
    "min",
    "max",
    "mean",
    "sum",
    "count",
    "good",
)

Names = Mapping[int, tuple[str, str]]
"""Slave and name of a point by its number."""


def utc(t_ms: int) -> str:
    """ISO 8601 with milliseconds."""
    return datetime.fromtimestamp(t_ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def sample_rows(seq: int, samples: Iterable[Sample], names: Names) -> list[tuple[Any, ...]]:
    """Sequence number, UTC time, slave, point, value and quality of each sample."""
    return [
        (seq, utc(one.t_ms), *name_of(one.point, names), one.value, Quality(one.quality).name.lower())
        for one in samples
    ]


def aggregate_rows(seq: int, aggregates: Iterable[Aggregate], names: Names) -> list[tuple[Any, ...]]:
    """Sequence number, UTC times, slave, point and statistics of each aggregate."""
    return [
        (
            *(seq, utc(one.from_ms), utc(one.to_ms), *name_of(one.point, names)),
            *(one.first, one.last, one.min, one.max, one.mean, one.sum, one.count, one.good),
        )
        for one in aggregates
    ]


def name_of(point: int, names: Names) -> tuple[str, str]:
    """A number that no catalog knows any more stands for itself."""
    return names.get(point, ("", str(point)))


def text_of(rows: Iterable[tuple[Any, ...]], columns: tuple[str, ...], format: str) -> str:
    """Lines, each with its end."""
    if format == "jsonl":
        return "".join(
            json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False) + "\n" for row in rows
        )
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([_plain(value) for value in row] for row in rows)
    return text.getvalue()


def heading(columns: tuple[str, ...], format: str) -> str:
    """What a file begins with."""
    return ",".join(columns) + "\n" if format == "csv" else ""


def _plain(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return " ".join(value.splitlines()) if isinstance(value, str) else value


def seq_of(line: bytes, format: str) -> int | None:
    """Number of the batch of a whole line; None of any other."""
    if not line.endswith(b"\n"):
        return None
    start = line.partition(b",")[0]
    number = start.removeprefix(b'{"seq": ') if format == "jsonl" else start
    return int(number) if number.isdigit() else None
