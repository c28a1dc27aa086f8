"""Shapes of the audit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from cloud.domains.audit.kinds import Kind
from cloud.domains.audit.results import Outcome, Result


class AuditRow(BaseModel):
    """One changing request. at_ms: UTC milliseconds. user_id: null without a user. code: 0 for success.

    ids: from the path; query: what was sent; changes: {"before": {}, "after": {}} with what differs, where
    the row of what was changed is known, else what was sent. Secrets as ***, long things cut. result: of
    commands what they came to, unknown while they are under way. thing: what it is about, by the name that it
    had; things: {"device": {"3": "Pump 1"}}, names of what ids, query and changes name by number.
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
    thing: str
    things: dict[str, dict[str, str]]
    result: Result


@dataclass(frozen=True)
class AuditFilter:
    """Which entries. user, operation and thing: a part of the name; "" for all. failed: whether
    it failed or nobody knows; None for both. outcome: refused is a failure that the cloud decided on."""

    user: str = ""
    thing: str = ""
    kind: Kind | None = None
    outcome: Outcome | None = None
    operation: str = ""
    start_ms: int | None = None
    end_ms: int | None = None
    failed: bool | None = None
