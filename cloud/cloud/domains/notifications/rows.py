"""Rows of the delivery log."""

from __future__ import annotations

from cloud.domains.notifications.models import Delivery
from cloud.domains.notifications.schemas import DeliveryRow, NotifiedEvent


def delivery_row(delivery: Delivery, events: list[tuple[int, str]]) -> DeliveryRow:
    """A delivery with number and change of the events that it tells."""
    told = [NotifiedEvent.model_validate({"event_id": number, "change": change}) for number, change in events]
    names = set(DeliveryRow.model_fields) - {"events"}
    return DeliveryRow(**{name: getattr(delivery, name) for name in names}, events=told)
