"""Whether what was requested came about. Of commands the reply only says that they were taken: what they
came to is filled in later, under the row's reference.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from sqlalchemy import ColumnElement, and_, func, or_

from cloud.domains.audit.models import AuditEntry

Result = Literal["succeeded", "failed", "unknown"]
Outcome = Literal["succeeded", "refused", "failed", "unknown"]

RESULT_FIELDS = ("outcomes", "outcome", "status")
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
    result = ""
    if isinstance(after, Mapping):
        result = next((str(after[name]) for name in RESULT_FIELDS if after.get(name)), "")
    if any(word in result for word in FAILED):
        return "failed"
    return "unknown" if not result or any(word in result for word in UNKNOWN) else "succeeded"


def _result_text() -> ColumnElement[str]:
    return func.coalesce(*(AuditEntry.changes[("after", name)].as_string() for name in RESULT_FIELDS), "")


def of_outcome(outcome: Outcome) -> ColumnElement[bool]:
    """Of a query: entries with this outcome. Refused: by the cloud; failed: what went wrong."""
    if outcome == "succeeded":
        return succeeded()
    refused = and_(AuditEntry.status >= 400, AuditEntry.status < 500)
    if outcome == "refused":
        return refused
    result = _result_text()
    bad = or_(*(result.contains(word, autoescape=True) for word in FAILED))
    if outcome == "failed":
        under_reference = and_(AuditEntry.reference.is_not(None), bad)
        return or_(AuditEntry.status >= 500, and_(AuditEntry.status < 400, under_reference))
    open_ = or_(result == "", *(result.contains(word, autoescape=True) for word in UNKNOWN))
    return and_(AuditEntry.status < 400, AuditEntry.reference.is_not(None), ~bad, open_)


def succeeded() -> ColumnElement[bool]:
    """The same for a query: entries whose result is succeeded."""
    result = _result_text()
    ended_well = and_(
        result != "", *(~result.contains(word, autoescape=True) for word in (*FAILED, *UNKNOWN))
    )
    return and_(AuditEntry.status < 400, or_(AuditEntry.reference.is_(None), ended_well))
