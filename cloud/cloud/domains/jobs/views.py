"""Rows of jobs as the API shows them.

A message is {type: "job", id, kind, title, state, done, total, code}.
"""

from __future__ import annotations

from typing import Any

from cloud.domains.jobs.models import JobRecord
from cloud.domains.jobs.schemas import Job, JobDetail
from cloud.domains.jobs.states import JobState


def job_of(row: JobRecord, user_name: str) -> Job:
    return Job(**_fields(row, user_name))


def detail(row: JobRecord, user_name: str) -> JobDetail:
    return JobDetail(**_fields(row, user_name), summary=row.summary)


def message(row: JobRecord) -> dict[str, Any]:
    """What browsers are told of a change: {type: "job", id, kind, title, state, done, total, code}."""
    return {
        "type": "job", "id": row.id, "kind": row.kind, "title": row.title, "state": row.state,
        "done": row.done, "total": row.total, "code": row.code,
    }  # fmt: skip


def _fields(row: JobRecord, user_name: str) -> dict[str, Any]:
    return {
        "id": row.id, "kind": row.kind, "title": row.title, "state": JobState(row.state),
        "user_id": row.user_id, "user_name": user_name, "created_ms": row.created_ms,
        "started_ms": row.started_ms, "finished_ms": row.finished_ms, "expires_ms": row.expires_ms,
        "cancelling": row.cancelling, "done": row.done, "total": row.total, "code": row.code,
        "detail": row.detail, "file_name": row.file_name, "size": row.size,
    }  # fmt: skip
