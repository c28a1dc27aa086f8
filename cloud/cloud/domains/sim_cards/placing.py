"""Where a card is, by what gateways report of it (C-223). Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

HELD_MS = 30 * 60 * 1000
"""Three reports: for so long a gateway has the card that it reported, whatever another one claims."""


class PlaceChange(StrEnum):
    """What a report means. IGNORED: a claim that does not count; STAYS: nothing new."""

    IGNORED = "ignored"
    STAYS = "stays"
    BOUND = "bound"
    MOVED = "moved"
    RETURNED = "returned"


@dataclass(frozen=True)
class CardPlace:
    """bound, seen: gateways; reported_ms: when the bound one reported the card last, None when it reported
    another one since; moved_ms: since when it has been elsewhere.
    """

    bound: int | None = None
    reported_ms: int | None = None
    seen: int | None = None
    seen_ms: int | None = None
    moved_ms: int | None = None


def reported(place: CardPlace, device: int, at_ms: int, *, may_bind: bool) -> tuple[CardPlace, PlaceChange]:
    """A gateway reports the card. may_bind: the card's owner sees the gateway."""
    seen = replace(place, seen=device, seen_ms=at_ms)
    if place.bound is None:
        if not may_bind:
            return place, PlaceChange.IGNORED
        return replace(seen, bound=device, reported_ms=at_ms, moved_ms=None), PlaceChange.BOUND
    if place.bound == device:
        step = PlaceChange.STAYS if place.moved_ms is None else PlaceChange.RETURNED
        return replace(seen, reported_ms=at_ms, moved_ms=None), step
    if place.reported_ms is not None and at_ms - place.reported_ms < HELD_MS:
        return place, PlaceChange.IGNORED
    if place.moved_ms is not None:
        return seen, PlaceChange.STAYS
    return replace(seen, moved_ms=at_ms), PlaceChange.MOVED


def gone(place: CardPlace, device: int) -> CardPlace:
    """A gateway reports another card, or none."""
    if place.bound == device:
        place = replace(place, reported_ms=None)
    return replace(place, seen=None) if place.seen == device else place
