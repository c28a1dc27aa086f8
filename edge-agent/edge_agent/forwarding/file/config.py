"""Options of a file forwarder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec

from edge_agent.config.model import Section
from edge_agent.errors import ConfigError

PointFilter = Annotated[str, msgspec.Meta(max_length=129)]


class FileOptions(Section, frozen=True, kw_only=True):
    """folder: absolute, must exist. external: it must lie on another file system than the agent's data.

    period_s: of aggregates; grace_s: how late a sample may come for its period. points: slaves, or points as
    "slave.point"; none: all. max_total_mb: of its own files; beyond it the oldest finished ones are deleted.
    """

    folder: Annotated[str, msgspec.Meta(min_length=1, max_length=300)]
    external: bool = False
    format: Literal["csv", "jsonl"] = "csv"
    what: Literal["samples", "aggregates"] = "samples"
    period_s: Annotated[int, msgspec.Meta(ge=10, le=86_400)] = 900
    grace_s: Annotated[int, msgspec.Meta(ge=0, le=3600)] = 10
    rotate_mb: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 16
    rotate_s: Annotated[int, msgspec.Meta(ge=10, le=604_800)] = 3600
    max_total_mb: Annotated[int, msgspec.Meta(ge=2, le=1_000_000)] = 1024
    points: Annotated[tuple[PointFilter, ...], msgspec.Meta(max_length=20_000)] = ()


def faults(options: FileOptions) -> Iterator[ConfigError]:
    """Beyond shape and ranges."""
    if not options.folder.startswith("/") or "\0" in options.folder:
        yield ConfigError("options.folder", "must be an absolute path")
    if options.max_total_mb < 2 * options.rotate_mb:
        yield ConfigError("options.max_total_mb", "must be at least twice options.rotate_mb")
