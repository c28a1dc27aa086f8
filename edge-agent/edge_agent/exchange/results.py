"""The newest result of each rule, until the cloud holds it. Pure: times come with each call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from edge_contract.exchange_rules import ExchangeResult
from edge_contract.limits import MAX_EXCHANGE_RESULTS, MAX_EXCHANGE_RULES

MAX_RESULTS = 2 * MAX_EXCHANGE_RULES
"""Those of rules that are gone included; of more the oldest go."""


class Results:
    """A newer result takes the place of one that waits. A result of a time before the clock was set waits for
    it, with the monotonic seconds of its write.
    """

    def __init__(self) -> None:
        self._newest: dict[int, ExchangeResult] = {}
        self._waiting: dict[int, None] = {}
        self._undated: dict[int, float] = {}

    @property
    def newest(self) -> Mapping[int, ExchangeResult]:
        """By the number of the rule, those that the cloud holds included."""
        return self._newest

    def dated(self, rule: int) -> tuple[ExchangeResult | None, bool]:
        """The newest of a rule, and whether it waits; none of a time before the clock was set."""
        result = None if rule in self._undated else self._newest.get(rule)
        return result, result is not None and rule in self._waiting

    def put(self, result: ExchangeResult, undated_s: float | None = None) -> None:
        """undated_s: the monotonic seconds of its write, where the clock was not set."""
        for gone in (self._newest, self._waiting, self._undated):
            gone.pop(result.rule, None)
        self._newest[result.rule] = result
        self._waiting[result.rule] = None
        if undated_s is not None:
            self._undated[result.rule] = undated_s
        if len(self._newest) > MAX_RESULTS:
            self._forget(next(iter(self._newest)))

    def restore(self, result: ExchangeResult, *, is_waiting: bool) -> None:
        """As an earlier process left it."""
        self._newest[result.rule] = result
        if is_waiting:
            self._waiting[result.rule] = None

    def date(self, now_ms: int, now_s: float) -> None:
        """The clock is set: results of before get their times."""
        for rule, at_s in self._undated.items():
            t_ms = max(now_ms - round((now_s - at_s) * 1000), 0)
            self._newest[rule] = replace(self._newest[rule], t_ms=t_ms)
        self._undated.clear()

    def report(self) -> list[ExchangeResult]:
        """For one report, those first that have waited for the longest time; undated ones wait."""
        dated = [rule for rule in self._waiting if rule not in self._undated]
        return [self._newest[rule] for rule in dated[:MAX_EXCHANGE_RESULTS]]

    def acknowledged(self, results: Sequence[ExchangeResult]) -> None:
        """The cloud holds these; newer ones of their rules still wait."""
        for result in results:
            if self._newest.get(result.rule) == result:
                self._waiting.pop(result.rule, None)

    def keep_only(self, rules: Iterable[int]) -> None:
        """Forget what the cloud holds of other rules."""
        kept = {*rules, *self._waiting}
        for rule in [rule for rule in self._newest if rule not in kept]:
            self._forget(rule)

    def _forget(self, rule: int) -> None:
        for held in (self._newest, self._waiting, self._undated):
            held.pop(rule, None)
