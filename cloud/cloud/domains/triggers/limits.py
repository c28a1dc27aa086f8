"""How many rules there may be."""

from __future__ import annotations

from cloud.errors import Conflict

MAX_RULES = 100_000
"""Of all users: so many are evaluated."""


def too_many_rules(field: str) -> Conflict:
    """There would be more than MAX_RULES. field: what asks for them."""
    return Conflict(
        f"at most {MAX_RULES} rules of all users",
        field=field,
        rule="too many",
        reason="trigger.full",
        arguments={"most": MAX_RULES},
    )
