"""How often rules may write. Pure: the clock is a parameter, the same at gateway and in cloud.

Linkages may answer each other, or a rule its own write, as fast as values come; nothing else would end that.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TypeVar

from edge_contract.alarms.rule import Rule, Signal
from edge_contract.alarms.state import LinkageRest, LinkageState, On, RuleWrites, TargetWrites

Key = TypeVar("Key")

MAX_LINKAGE_RUNS = 20
"""Transitions of one rule that may write in LINKAGE_WINDOW_MS, and of all rules together that may write to
one point: a beginning and an end each minute.
"""

LINKAGE_WINDOW_MS = 600_000
"""Of MAX_LINKAGE_RUNS, and the time that a rule's linkages rest when it wants more."""

LINKAGE_LIMITED = "linkage_limited"
"""Code of linkages that were left out."""


@dataclass(frozen=True)
class Verdict:
    """may_write: the linkages of the transition are carried out. began: a rest that begins with it."""

    may_write: bool
    began: LinkageRest | None = None


class LinkageLimiter:
    """Counts of the rules of one engine. What a state says of other rules, or other versions, is left out:
    who has changed a rule has looked.
    """

    def __init__(self, rules: Iterable[Rule], state: LinkageState) -> None:
        wanted = {(rule.id, rule.version) for rule in rules}
        self._versions = dict(wanted)
        self._rules: dict[int, list[int]] = {
            each.rule: list(each.times_ms) for each in state.rules if (each.rule, each.version) in wanted
        }
        self._targets = {each.target: list(each.times_ms) for each in state.targets}
        self._rests = {each.rule: each for each in state.rests if (each.rule, each.version) in wanted}
        self._forgot_ms = 0
        self._ended = [each for each in state.rests if (each.rule, each.version) not in wanted]

    def admit(
        self, rule: int, on: On, preset: int, targets: Collection[Signal], t_ms: int, count: int = 1
    ) -> Verdict:
        """A transition whose linkages would write to targets now. on, preset: of the first of them; count:
        how many there are.
        """
        rest = self._rests.get(rule)
        if rest is not None and t_ms < rest.until_ms:
            self._rests[rule] = rest.more(count)
            return Verdict(False)
        mine = _recent(self._rules, rule, t_ms)
        written = [_recent(self._targets, target, t_ms) for target in targets]
        if any(len(times) >= MAX_LINKAGE_RUNS for times in (mine, *written)):
            if rest is not None:
                self._ended.append(rest)
            began = LinkageRest(
                rule=rule, version=self._versions[rule], on=on, preset=preset, since_ms=t_ms,
                until_ms=t_ms + LINKAGE_WINDOW_MS, left_out=count,
            )  # fmt: skip
            self._rests[rule] = began
            return Verdict(False, began)
        for times in (mine, *written):
            insort(times, t_ms)
        return Verdict(True)

    def ended(self, now_ms: int) -> list[LinkageRest]:
        """Rests that are over, each once, with how many linkages they left out."""
        over = [each for each in self._rests.values() if each.until_ms <= now_ms]
        for each in over:
            del self._rests[each.rule]
        if abs(now_ms - self._forgot_ms) >= LINKAGE_WINDOW_MS:
            _forget(self._rules, now_ms)
            _forget(self._targets, now_ms)
            self._forgot_ms = now_ms
        ended, self._ended = [*self._ended, *over], []
        return ended

    def state(self) -> LinkageState:
        """What a restart needs."""
        return LinkageState(
            rules=[
                RuleWrites(rule=rule, version=self._versions[rule], times_ms=list(times))
                for rule, times in self._rules.items()
                if times
            ],
            targets=[
                TargetWrites(target=target, times_ms=list(times))
                for target, times in self._targets.items()
                if times
            ],
            rests=[*self._ended, *self._rests.values()],
        )


def _forget(times_of: dict[Key, list[int]], now_ms: int) -> None:
    """What is out of the window."""
    for key in list(times_of):
        if not _recent(times_of, key, now_ms):
            del times_of[key]


def _recent(times_of: dict[Key, list[int]], key: Key, t_ms: int) -> list[int]:
    """Times of one that are in the window; only they are kept."""
    times_of[key] = [at for at in times_of.get(key, ()) if at > t_ms - LINKAGE_WINDOW_MS]
    return times_of[key]
