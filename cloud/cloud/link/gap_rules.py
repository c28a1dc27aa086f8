"""Why batches are missing, and how that is written down. Pure: ranges of numbers in, decisions out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from edge_contract.ranges import Range, join, overlap, size, without

GIVE_UP_AFTER = 3
"""Questions after which a gateway that holds fewer batches than are missing does not have these."""


class GapReason(StrEnum):
    """Why a batch is missing."""

    HELD = "held"  # the gateway still has it and is being asked for it
    EVICTED = "evicted"  # its store was full
    DAMAGED = "damaged"  # it came, but could not be read; its bytes are in quarantine
    NO_CATALOG = "no_catalog"  # it came, but the catalog that names its points did not
    REPLACED = "replaced"  # the gateway's store was lost: a new stream began
    UNKNOWN = "unknown"  # the gateway does not have it and does not say why


@dataclass(frozen=True)
class StreamReport:
    """What a gateway says about the stream that it runs. outbox: batches held, None when not said (hello)."""

    stream: str
    boot: str
    next_seq: int
    first_seq: int | None = None
    outbox: int | None = None
    evicted: tuple[Range, ...] = ()
    evicted_batches: int = 0
    dropped_samples: int = 0


@dataclass(frozen=True)
class Gap:
    """A row of the gap table. id: None while it is new."""

    id: int | None
    first: int
    last: int
    missing: int
    reason: GapReason
    detected_ms: int
    requests: int = 0
    filled: bool = False


MissingPart = tuple[int, int, GapReason]


def classify(
    missing: Sequence[Range],
    report: StreamReport,
    gaps: Sequence[Gap],
    *,
    replaced: bool = False,
    due: bool = True,
) -> list[MissingPart]:
    """Missing numbers with their reasons, rising. gaps: the open rows of the stream, with damaged ones.

    replaced: another stream has taken this one's place. due: the last question had its time to be answered.
    """
    missing = without(missing, _of(gaps, GapReason.DAMAGED))
    known = join([*report.evicted, *_of(gaps, GapReason.EVICTED)])
    evicted = overlap(missing, known)
    rest = without(missing, known)
    if replaced:
        return _parts_of({GapReason.EVICTED: evicted, GapReason.REPLACED: rest})
    if report.outbox == 0:
        gone = rest
    else:
        held_longest = [gap for gap in gaps if gap.requests >= GIVE_UP_AFTER]
        given_up = join(
            (gap.first, gap.last) for gap in held_longest if due or gap.reason is GapReason.UNKNOWN
        )
        gone = overlap(rest, [(1, (report.first_seq or 1) - 1)])
        if report.outbox is not None and report.outbox < size(rest):
            gone = join([*gone, *overlap(rest, given_up)])
    unreported = report.evicted_batches - size(known)
    reason = GapReason.EVICTED if unreported >= size(gone) else GapReason.UNKNOWN
    held = without(rest, gone)
    if reason is GapReason.EVICTED:
        return _parts_of({GapReason.EVICTED: join([*evicted, *gone]), GapReason.HELD: held})
    return _parts_of({GapReason.EVICTED: evicted, GapReason.UNKNOWN: gone, GapReason.HELD: held})


def reconcile(
    missing_parts: Sequence[MissingPart], gaps: Sequence[Gap], now_ms: int
) -> tuple[list[Gap], list[int]]:
    """Rows that are new or changed, and numbers of rows that are to be deleted.

    A row keeps its bounds while what is missing of it has one reason. It is filled when nothing is missing
    of it; one that lies wholly in damaged batches is deleted, because those have rows of their own.
    """
    damaged = join(_of(gaps, GapReason.DAMAGED))
    changed: list[Gap] = []
    gone: list[int] = []
    covered: list[Range] = []
    for gap in gaps:
        if gap.reason is GapReason.DAMAGED:
            continue
        whole = [(gap.first, gap.last)]
        covered += whole
        parts = [part for part in missing_parts if part[0] <= gap.last and part[1] >= gap.first]
        parts = [(max(first, gap.first), min(last, gap.last), reason) for first, last, reason in parts]
        if not parts and not without(whole, damaged) and gap.id is not None:
            gone.append(gap.id)
        elif not parts:
            changed.append(replace(gap, missing=0, filled=True))
        elif len({reason for _, _, reason in parts}) == 1 and not overlap(whole, damaged):
            missing = size((first, last) for first, last, _ in parts)
            changed.append(replace(gap, missing=missing, reason=parts[0][2]))
        else:
            number: int | None = gap.id
            for part in parts:
                changed.append(replace(_new(part, gap.detected_ms), id=number, requests=gap.requests))
                number = None
    known = {gap.id: gap for gap in gaps}
    changed = [gap for gap in changed if gap.id is None or known[gap.id] != gap]
    taken = join(covered)
    for first, last, reason in missing_parts:
        changed += [_new((*part, reason), now_ms) for part in without([(first, last)], taken)]
    return changed, gone


def _of(gaps: Sequence[Gap], reason: GapReason) -> list[Range]:
    return join((gap.first, gap.last) for gap in gaps if gap.reason is reason)


def _new(part: MissingPart, detected_ms: int) -> Gap:
    first, last, reason = part
    return Gap(None, first, last, last - first + 1, reason, detected_ms)


def _parts_of(by_reason: dict[GapReason, list[Range]]) -> list[MissingPart]:
    return sorted((first, last, reason) for reason, ranges in by_reason.items() for first, last in ranges)
