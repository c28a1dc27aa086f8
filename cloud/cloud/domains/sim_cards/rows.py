"""SIM cards as the API has them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from cloud.domains.inventory.models import Device
from cloud.domains.sim_cards.forecasting import BillingPeriod, billed_in, comparison, forecast
from cloud.domains.sim_cards.iccid import is_suspect
from cloud.domains.sim_cards.models import SimCard
from cloud.domains.sim_cards.schemas import SimCardBody, SimCardGateway, SimCardRow, UsageComparison

MAX_PERIOD_DAYS = 400
"""Of a billing period so many days are looked at."""

FIELDS = tuple(SimCardBody.model_fields)


@dataclass(frozen=True)
class CardUsage:
    """Of a card, by day: bytes received and sent, and the operator's records."""

    counted: Mapping[date, tuple[int, int]] = field(default_factory=dict)
    billed: Mapping[date, int] = field(default_factory=dict)

    @property
    def totals(self) -> dict[date, int]:
        return {day: received + sent for day, (received, sent) in self.counted.items()}


def since_of(card: SimCard, today: date) -> date:
    """From which day on a card's usage is looked at: the day before its billing period."""
    begin = card.billing_begin or today
    return max(begin - timedelta(days=1), today - timedelta(days=MAX_PERIOD_DAYS))


def period_of(card: SimCard) -> BillingPeriod:
    return BillingPeriod(card.billing_begin, card.billing_end)


def body_of(card: SimCard) -> SimCardBody:
    return SimCardBody.model_construct(**{name: getattr(card, name) for name in FIELDS})


def sheet_of(card: SimCard, billed: tuple[date, int] | None) -> dict[str, Any]:
    """A card by the fields of a sheet. billed: the operator's newest record."""
    used = {} if billed is None else {"used_on": billed[0], "used_bytes": billed[1]}
    return {name: getattr(card, name) for name in FIELDS} | used


def comparison_of(card: SimCard, used: CardUsage) -> UsageComparison:
    return comparison(period_of(card), used.billed, used.totals)


def row_of(
    card: SimCard, owner_name: str, devices: Mapping[int, Device], used: CardUsage, today: date
) -> SimCardRow:
    """devices: those that the reader sees."""
    period, counted = period_of(card), used.totals
    records = billed_in(period, used.billed)
    in_period = [amount for day, amount in counted.items() if period.holds(day)]
    is_moved = card.moved_ms is not None and card.device_id is not None
    return SimCardRow.model_construct(
        **{name: getattr(card, name) for name in FIELDS},
        id=card.id,
        owner_name=owner_name,
        bound=card.device_id is not None,
        gateway=_gateway(devices, card.device_id),
        moved_ms=card.moved_ms if is_moved else None,
        seen=_gateway(devices, card.seen_device_id) if is_moved else None,
        seen_ms=card.seen_ms,
        billed_bytes=records[-1][1] if records else None,
        billed_on=records[-1][0] if records else None,
        counted_bytes=sum(in_period) if period.begin is not None and in_period else None,
        forecast=forecast(card.plan_bytes, period, used.billed, counted, today),
        suspect=is_suspect(card.iccid),
        changed_ms=card.changed_ms,
    )


def _gateway(devices: Mapping[int, Device], number: int | None) -> SimCardGateway | None:
    device = None if number is None else devices.get(number)
    if device is None:
        return None
    return SimCardGateway(
        id=device.id, title=device.display_title, gateway_id=device.gateway_id, online=device.online
    )
