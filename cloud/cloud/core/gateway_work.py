"""Work that runs in the cloud or, handed over in a document, at a gateway: where it is, by what gateways have
confirmed. Pure; times in ms come with each call.

The cloud stops before the gateway begins, and begins when the gateway has confirmed that it has stopped. Work
that is under way rests, at most PAUSE_MS.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

PAUSE_MS = 15_000
"""So long work that moves rests; then it goes on in the cloud."""

AGAIN_MS = 60_000
"""A document that was not confirmed is sent again after so long."""

TWO_GATEWAYS, UNSUPPORTED, LIMIT = "two_gateways", "unsupported", "limit"
UNCONFIRMED, OTHER = "unconfirmed", "other"
"""Why work runs in the cloud, as a code; other: the gateway's own, which is not known here."""


class HomeKind(StrEnum):
    """MOVING: nobody does it, until its gateway has confirmed it or has given it back."""

    CLOUD = "cloud"
    GATEWAY = "gateway"
    MOVING = "moving"


class GatewayHolding(Protocol):
    """What a gateway holds. takes: it can. hash, numbers: of what it holds durably; problems: why it does not
    do something, as a code, by number; sent_hash, sent_numbers: of what was sent last.
    """

    takes: bool
    hash: str | None
    numbers: list[int]
    problems: dict[str, str]
    sent_hash: str | None
    sent_numbers: list[int]


def is_as_noted(home: GatewayHolding | None, takes: bool) -> bool:
    """A hello that changes nothing: most of a fleet that comes back say one, and none waits for a commit."""
    return not takes if home is None else home.takes is takes and not home.problems


@dataclass(frozen=True)
class Assignment:
    """The gateway that is to do a piece of work; None: the cloud, and why, as a code."""

    device_id: int | None
    reason: str = ""


@dataclass(frozen=True)
class WorkHome:
    """Where a piece of work is; reason: why it is the cloud, as a code."""

    kind: HomeKind
    reason: str = ""


@dataclass(frozen=True)
class _Waiting:
    """For a gateway to hold what has this hash. until_ms: what moves rests; again_ms: it is sent again."""

    hash: str
    until_ms: int
    again_ms: int


class Confirmations:
    """For which gateways it is waited, by number."""

    def __init__(self) -> None:
        self._waiting: dict[int, _Waiting] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def __iter__(self) -> Iterator[int]:
        return iter(self._waiting)

    def end(self, device_id: int) -> None:
        """It is waited no longer."""
        self._waiting.pop(device_id, None)

    def is_fresh(self, device_id: int, now_ms: int) -> bool:
        """Something was sent that is not to be sent again yet."""
        waiting = self._waiting.get(device_id)
        return waiting is not None and now_ms < waiting.again_ms

    def is_to_send(self, device_id: int, digest: str, now_ms: int) -> bool:
        """A document of this hash, which the gateway does not hold."""
        return self._is_first(device_id, digest) or not self.is_fresh(device_id, now_ms)

    def sends(self, device_id: int, digest: str, now_ms: int, *, is_online: bool) -> None:
        """What moves rests; for a gateway that is away no second time."""
        rests = is_online or self._is_first(device_id, digest)
        until_ms = now_ms + PAUSE_MS if rests else now_ms
        self._waiting[device_id] = _Waiting(digest, until_ms, now_ms + AGAIN_MS)

    def failed(self, device_id: int, digest: str, now_ms: int) -> None:
        """The broker is away: nothing rests."""
        self._waiting[device_id] = _Waiting(digest, now_ms, now_ms + PAUSE_MS)

    def places(
        self,
        assignments: Mapping[int, Assignment],
        wanted: Mapping[int, Collection[int]],
        homes: Mapping[int, GatewayHolding],
        now_ms: int,
    ) -> dict[int, WorkHome]:
        """Where each piece of work is. wanted: of each gateway, by number."""
        held = holders(homes)
        moving: set[int] = set()
        for device_id, home in homes.items():
            waiting = self._waiting.get(device_id)
            if waiting is not None and now_ms < waiting.until_ms:
                moving |= set(home.numbers) ^ set(wanted.get(device_id, ()))
        return {
            number: _place_of(assigned, held.get(number, ()), is_moving=number in moving)
            for number, assigned in assignments.items()
        }

    def _is_first(self, device_id: int, digest: str) -> bool:
        waiting = self._waiting.get(device_id)
        return waiting is None or waiting.hash != digest


def holders(homes: Mapping[int, GatewayHolding]) -> dict[int, set[int]]:
    """Gateways that hold a piece of work durably, by its number."""
    held: dict[int, set[int]] = defaultdict(set)
    for device_id, home in homes.items():
        for number in home.numbers:
            held[number].add(device_id)
    return held


def holding(homes: Mapping[int, GatewayHolding]) -> set[int]:
    """Gateways that hold something."""
    return {device_id for device_id, home in homes.items() if home.hash is not None}


def assigned_to(device_ids: Collection[int], number: int, homes: Mapping[int, GatewayHolding]) -> Assignment:
    """Of work for these gateways whose owner may have it done."""
    if len(device_ids) != 1:
        return Assignment(None, TWO_GATEWAYS)
    (device_id,) = device_ids
    home = homes.get(device_id)
    if home is None or not home.takes:
        return Assignment(None, UNSUPPORTED)
    problem = home.problems.get(str(number))
    return Assignment(None, problem) if problem else Assignment(device_id)


def note_report(
    home: GatewayHolding, digest: str | None, problems: Mapping[int, str], known: Collection[str]
) -> None:
    """A gateway says what it holds; what is not known by its hash is none of the known work. Work that was
    taken from a gateway because it cannot do it keeps the reason; work that was not sent has none. known:
    codes that lists have words for.
    """
    if digest is not None and digest == home.sent_hash:
        home.hash, home.numbers = home.sent_hash, list(home.sent_numbers)
    elif digest != home.hash:
        home.hash, home.numbers = digest, []
    held = {str(number) for number in home.numbers}
    taken = {number: code for number, code in home.problems.items() if number not in held}
    sent = set(home.sent_numbers)
    home.problems = taken | {
        str(number): code if code in known else OTHER for number, code in problems.items() if number in sent
    }


def _place_of(assigned: Assignment, held_by: Collection[int], *, is_moving: bool) -> WorkHome:
    if assigned.device_id is not None and assigned.device_id in held_by:
        return WorkHome(HomeKind.GATEWAY)
    if is_moving:
        return WorkHome(HomeKind.MOVING)
    return WorkHome(HomeKind.CLOUD, assigned.reason or UNCONFIRMED)
