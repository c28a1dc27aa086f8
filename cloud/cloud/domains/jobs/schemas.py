"""Shapes of jobs. Times are UTC milliseconds, sizes bytes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from cloud.domains.jobs.states import JobState


class Job(BaseModel):
    """What somebody asked for. started_ms: null while it waits; total: 0 while nobody knows how much it is.

    code: why it failed, such as interrupted, user_gone or no_room; detail: in words. expires_ms: when it is
    forgotten with its file. file_name: "" for a job without a file. size: its bytes.
    """

    id: int
    kind: str
    title: str
    state: JobState
    user_id: int
    user_name: str
    created_ms: int
    started_ms: int | None
    finished_ms: int | None
    expires_ms: int | None
    cancelling: bool
    done: int
    total: int
    code: str
    detail: str
    file_name: str
    size: int


class JobDetail(Job):
    """summary: what came out; each kind has its own, null for none."""

    summary: dict[str, Any] | None


@dataclass(frozen=True)
class JobFile:
    """A file to send."""

    path: Path
    name: str
    media_type: str
