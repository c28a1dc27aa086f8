"""Shapes of the audit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from cloud.domains.audit.results import Result


class AuditRow(BaseModel):
    """One changing request. at_ms: UTC milliseconds. user_id: null for a stranger. code: 0 for success.

    ids: from the path; query: what was sent; changes: {"before": {}, "after": {}} with what differs, where
    the row of what was changed is known, else what was sent. Secrets as ***, long things cut. result: of
    commands what they came to, unknown while they are under way.
    """

    id: int
    at_ms: int
    user_id: int | None
    user_name: str
    address: str
    method: str
    path: str
    operation: str
    ids: dict[str, Any]
    query: dict[str, Any]
    changes: dict[str, Any]
    status: int
    code: int
    duration_ms: int
    request_id: str
    result: Result


@dataclass(frozen=True)
class AuditFilter:
    """Which entries. user and operation: a part of the name; "" for all. failed: whether
    it failed or nobody knows; None for both."""

    user: str = ""
    operation: str = ""
    start_ms: int | None = None
    end_ms: int | None = None
    failed: bool | None = None
