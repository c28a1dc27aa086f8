"""The SIM card of a tenant."""

from __future__ import annotations

from cloud.domains.sim_cards.models import SimCard


def sim_card_of(name: str, number: int, owner_id: int) -> SimCard:
    """number: of the tenant, so that each has a card of its own."""
    return SimCard(
        owner_id=owner_id,
        iccid=f"8986001234567890{number:04}",
        operator="other",
        supplier=f"Supplier {name}",
        status="active",
        activated=True,
        plan_title=f"Plan {name}",
        remark=name,
        noted_ms=1,
        changed_ms=1,
    )
