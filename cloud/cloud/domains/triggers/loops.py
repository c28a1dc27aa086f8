"""Linkages that write what rules watch, and so may answer themselves or each other. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from itertools import islice

from cloud.domains.triggers.models import Trigger, TriggerRule
from cloud.domains.triggers.schemas import LoopRow, TriggerRuleBody

MAX_LOOPS = 20
"""Named of one trigger."""

MAX_WATCHING = 2000
"""Rules that are looked at for a page of triggers: each is read, and a page must not hold up others."""

Watched = Mapping[tuple[int | None, int], list[LoopRow]]
"""User and point (dsid) to his rules that watch it."""


def watched(rules: Iterable[tuple[Trigger, TriggerRule]]) -> Watched:
    """What some rules watch, read as they are stored."""
    rows: dict[tuple[int | None, int], list[LoopRow]] = defaultdict(list)
    for trigger, rule in rules:
        title = str(rule.body.get("title", ""))
        for dsid in {each.get("dsid") for each in rule.body.get("conditions", ())} - {None}:
            rows[trigger.user_id, dsid].append(LoopRow(dsid=dsid, trigger_id=rule.trigger_id, title=title))
    return rows


def loops_of(
    user_id: int | None,
    rules: Iterable[TriggerRuleBody],
    targets: Mapping[int, Collection[int]],
    watching: Watched,
) -> list[LoopRow]:
    """A user's rules that watch what linkages of some rules write, the first MAX_LOOPS. targets: points that
    presets write.
    """
    written = {
        dsid for rule in rules for linkage in rule.linkage for dsid in targets.get(linkage.preset_id, ())
    }
    rows = (row for dsid in sorted(written) for row in watching.get((user_id, dsid), ()))
    return list(islice(rows, MAX_LOOPS))
