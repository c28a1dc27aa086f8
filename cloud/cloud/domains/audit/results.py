"""Whether what was asked for came about. Of commands the reply only says that they were taken: what they
came to is filled in later, under the row's reference.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from sqlalchemy import ColumnElement, and_, func, or_

from cloud.domains.audit.models import AuditEntry

Result = Literal["succeeded", "failed", "unknown"]

TOLD = ("outcomes", "outcome", "status")
"""Where the end of commands stands, the first that is there: a count by outcome, an outcome, a state."""
FAILED = ("fail", "settled_other", "networkError", "notAuthorized", "error")
UNKNOWN = ("unknown", "create", "send")


def result_of(status: int, reference: str | None, changes: Mapping[str, Any]) -> Result:
    """Of several commands the worst; unknown while they are under way."""
    if status >= 400:
        return "failed"
    if reference is None:
        return "succeeded"
    after = changes.get("after")
    told = ""
    if isinstance(after, Mapping):
        told = next((str(after[name]) for name in TOLD if after.get(name)), "")
    if any(word in told for word in FAILED):
        return "failed"
    return "unknown" if not told or any(word in told for word in UNKNOWN) else "succeeded"


def succeeded() -> ColumnElement[bool]:
    """The same for a query: entries whose result is succeeded."""
    told = func.coalesce(*(AuditEntry.changes[("after", name)].as_string() for name in TOLD), "")
    ended_well = and_(told != "", *(~told.contains(word, autoescape=True) for word in (*FAILED, *UNKNOWN)))
    return and_(AuditEntry.status < 400, or_(AuditEntry.reference.is_(None), ended_well))
