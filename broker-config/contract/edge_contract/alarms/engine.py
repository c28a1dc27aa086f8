"""Samples and time in, transitions of alarms out. Pure: no clock, no I/O, the same at gateway and in cloud.

Time is that of the samples. What is due by itself (delays, repeats, values that do not change) happens at
exactly its moment, whenever `advance` is called; so how samples are cut into calls changes no transition.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import heappop, heappush
from itertools import repeat
from math import inf, isfinite
from operator import attrgetter

from edge_contract.alarms.conditions import Watching
from edge_contract.alarms.evaluation import Evaluation, Transition
from edge_contract.alarms.linkage_limit import LinkageLimiter
from edge_contract.alarms.regions import NOWHERE
from edge_contract.alarms.rule import Rule, Signal, SingleChange, Trend, Unchanged
from edge_contract.alarms.state import EVER_MS, EngineState, RuleState, SignalState
from edge_contract.freshness import HAS_VALUE
from edge_contract.model import Value

GOOD = 0
MOVES = (Unchanged, SingleChange, Trend)
PLACE = attrgetter("place")


class _Signal:
    """levels: conditions that a value beyond a threshold changes, with their rules and places; low, high:
    numbers within them change none of these. moves: conditions that remember the value before. timers: rules
    that look at the newest value; value: that, None without a good one.
    """

    __slots__ = ("high", "levels", "low", "moves", "t_ms", "takes_all", "timers", "value")

    def __init__(self) -> None:
        self.low, self.high = NOWHERE
        self.t_ms = EVER_MS
        self.value: Value = None
        self.levels: list[tuple[Watching, Evaluation, int]] = []
        self.moves: list[tuple[Watching, Evaluation, int]] = []
        self.timers: list[Evaluation] = []
        self.takes_all = False  # every sample counts, wherever it is

    def watch(self, evaluation: Evaluation, place: int) -> None:
        """A condition that takes the samples of this signal."""
        if evaluation.interval_ms:
            if evaluation not in self.timers:
                self.timers.append(evaluation)
        else:
            is_move = isinstance(evaluation.rule.conditions[place], MOVES)
            watched = evaluation.conditions[place], evaluation, place
            (self.moves if is_move else self.levels).append(watched)
        self.takes_all = bool(self.timers or self.moves)

    def take(self, value: Value, t_ms: int, touched: set[Evaluation]) -> None:
        """A good value; adds the rules that must be looked at."""
        is_text = isinstance(value, str)
        for condition, evaluation, place in self.moves:
            low, high = condition.quiet
            if not is_text and low <= value <= high:  # type: ignore[operator]
                continue
            if evaluation.take(place, value, t_ms):
                touched.add(evaluation)
        if is_text or self.low <= value <= self.high:  # type: ignore[operator]
            return
        lowest, highest = -inf, inf
        for condition, evaluation, place in self.levels:
            low, high = condition.quiet
            if not low <= value <= high:  # type: ignore[operator]
                if evaluation.take(place, value, t_ms):
                    touched.add(evaluation)
                low, high = condition.quiet
            if low > lowest:
                lowest = low
            if high < highest:
                highest = high
        self.low, self.high = lowest, highest

    def lose(self, t_ms: int, touched: set[Evaluation]) -> None:
        """There is no good value."""
        for _, evaluation, place in self.moves:
            if evaluation.lose(place, t_ms):
                touched.add(evaluation)


class Engine:
    """Rules over one line of time, as a gateway's is. A sample that is not newer than the last one of its
    signal changes nothing.

    begins_ms: now; a rule without a state makes no alarm of before, even when its values have been beyond its
    limits for long. dropped: states with an alarm whose rule is another one or gone; they do not go on.
    linkages: how often its rules may write.
    """

    def __init__(
        self, rules: Iterable[Rule], state: EngineState | None = None, begins_ms: int = EVER_MS
    ) -> None:
        was = state or EngineState()
        states = {(each.id, each.version): each for each in was.rules}
        self._evaluations: list[Evaluation] = []
        self._new: list[Evaluation] = []
        for place, rule in enumerate(rules):
            known = states.pop((rule.id, rule.version), None)
            self._evaluations.append(Evaluation(place, rule, known, begins_ms))
            if known is None:
                self._new.append(self._evaluations[-1])
        self.dropped: list[RuleState] = [each for each in states.values() if each.raised_ms is not None]
        self._now_ms = was.now_ms
        self.linkages = LinkageLimiter((each.rule for each in self._evaluations), was.linkages)
        self._signals: dict[Signal, _Signal] = {}
        for evaluation in self._evaluations:
            for place, condition in enumerate(evaluation.rule.conditions):
                self._signals.setdefault(condition.signal, _Signal()).watch(evaluation, place)
        for each in was.signals:
            if each.signal in self._signals:
                signal = self._signals[each.signal]
                signal.t_ms, signal.value = each.t_ms, each.value
        self._due: list[tuple[float, int]] = []
        for evaluation in self._evaluations:
            self._schedule(evaluation)

    @property
    def signals(self) -> Iterable[Signal]:
        """What its rules look at."""
        return self._signals.keys()

    def feed(
        self,
        t_ms: int,
        signals: Sequence[Signal],
        values: Sequence[Value],
        qualities: Sequence[int] | None = None,
    ) -> list[Transition]:
        """Samples of one time, and what was due by then. qualities: None when every one is GOOD.

        Their rules are looked at when all of them are taken: two that change together make no alarm between.
        """
        transitions = self.advance(t_ms)
        touched: set[Evaluation] = set()
        known = self._signals.get
        for name, value, quality in zip(signals, values, qualities or repeat(GOOD, len(values)), strict=True):
            signal = known(name)
            if signal is None or t_ms <= signal.t_ms:
                continue
            signal.t_ms = t_ms
            if value is None or (quality and quality not in HAS_VALUE):
                self._lose(signal, t_ms, touched)
            elif signal.takes_all or isinstance(value, str) or not signal.low <= value <= signal.high:
                self._take(signal, value, t_ms, touched)
        for evaluation in sorted(touched, key=PLACE):
            self._step(evaluation, t_ms, transitions)
        return transitions

    @property
    def new_signals(self) -> set[Signal]:
        """What rules without a state look at; begin() takes its values."""
        return {condition.signal for each in self._new for condition in each.rule.conditions}

    def begin(self, newest: Mapping[Signal, tuple[int, Value]]) -> list[Transition]:
        """Give the rules without a state the newest good samples, time and value; the others have them. Once,
        after what the others have not seen was fed.
        """
        transitions: list[Transition] = []
        touched: set[Evaluation] = set()
        begun, self._new = set(self._new), []
        for name, (t_ms, value) in newest.items():
            signal = self._signals.get(name)
            if signal is None:
                continue
            signal.t_ms = max(signal.t_ms, t_ms)
            for _, evaluation, place in (*signal.levels, *signal.moves):
                if evaluation in begun and evaluation.take(place, value, t_ms):
                    touched.add(evaluation)
            signal.low, signal.high = NOWHERE
            if signal.timers:
                self._keep(signal, value, signal.t_ms)
        for evaluation in sorted(touched, key=PLACE):
            self._step(evaluation, EVER_MS, transitions)
        return transitions

    def advance(self, now_ms: int) -> list[Transition]:
        """What is due up to and including a time; an earlier one than before changes nothing."""
        transitions: list[Transition] = []
        while self._due and self._due[0][0] <= now_ms:
            due_ms, place = heappop(self._due)
            evaluation = self._evaluations[place]
            if due_ms != evaluation.scheduled_ms:
                continue
            evaluation.scheduled_ms = inf
            if evaluation.due_ms <= due_ms:
                evaluation.tick(self._newest, int(due_ms))
                self._step(evaluation, int(due_ms), transitions)
            else:
                self._schedule(evaluation)
        self._now_ms = max(self._now_ms, now_ms)
        return transitions

    def state(self) -> EngineState:
        """What a restart needs."""
        return EngineState(
            now_ms=self._now_ms,
            rules=[evaluation.state() for evaluation in self._evaluations],
            signals=[
                SignalState(signal=name, t_ms=signal.t_ms, value=signal.value)
                for name, signal in self._signals.items()
                if signal.t_ms > EVER_MS
            ],
            linkages=self.linkages.state(),
        )

    def _take(self, signal: _Signal, value: Value, t_ms: int, touched: set[Evaluation]) -> None:
        if isinstance(value, float) and not isfinite(value):
            self._lose(signal, t_ms, touched)
            return
        signal.take(value, t_ms, touched)
        if signal.timers:
            self._keep(signal, value, t_ms)

    def _lose(self, signal: _Signal, t_ms: int, touched: set[Evaluation]) -> None:
        signal.lose(t_ms, touched)
        if signal.timers:
            self._keep(signal, None, t_ms)

    def _keep(self, signal: _Signal, value: Value, t_ms: int) -> None:
        """For the rules that look at it at their times."""
        signal.value = value
        for evaluation in signal.timers:
            evaluation.wants_tick(t_ms)
            self._schedule(evaluation)

    def _newest(self, name: Signal) -> tuple[Value, int] | None:
        signal = self._signals[name]
        return None if signal.value is None else (signal.value, signal.t_ms)

    def _step(self, evaluation: Evaluation, t_ms: int, transitions: list[Transition]) -> None:
        transition = evaluation.step(t_ms)
        if transition is not None:
            transitions.append(transition)
        self._schedule(evaluation)

    def _schedule(self, evaluation: Evaluation) -> None:
        due_ms = evaluation.due_ms
        if due_ms < evaluation.scheduled_ms:
            evaluation.scheduled_ms = due_ms
            heappush(self._due, (due_ms, evaluation.place))
