"""A run over drawn mutants, and what was not noticed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from _environment import ROOT

from mutation import fresh
from mutation.in_place import InPlace
from mutation.operators import Mutant
from mutation.plan import equal_mutants
from mutation.processes import UNCHANGEABLE, Limits, Outcome, Verdict

FIRST = Limits(20, 240.0)
"""Of a mutant whose tests were not yet measured."""
SOUND = Limits(300, 1200.0)
"""The tests of a module take no longer than this."""

Drawn = tuple[str, Mutant]


def run(drawn: Sequence[Drawn], tests: Mapping[str, Sequence[str]]) -> int:
    """Print a line for each mutant and the share that was noticed. Exit code: 1 when one survived."""
    equals = equal_mutants()
    wanted = [one for one in drawn if one not in equals]
    in_place = InPlace([*dict.fromkeys(test for name, _ in wanted for test in tests[name])])
    fresh.load(in_place.libraries)
    groups = {tuple(tests[name]): _Group(in_place, tests[name]) for name, _ in wanted}
    verdicts = [groups[tuple(tests[name])].verdict(name, mutant) for name, mutant in wanted]
    survived = [words for verdict, words in verdicts if verdict is Verdict.SURVIVED]
    noticed = sum(verdict in {Verdict.NOTICED, Verdict.TIMED_OUT} for verdict, _ in verdicts)
    total = noticed + len(survived)
    equal = len(drawn) - len(wanted)
    if survived:
        print("\nnot noticed:", *survived, sep="\n  ")
    if total:
        print(f"\nnoticed: {noticed} of {total}, {100 * noticed / total:.1f} %")
    if equal:
        print(f"equal by scripts/mutation/equal.toml: {equal}")
    not_run = len(drawn) - total - equal
    if not_run:
        print(f"not measured: {not_run}")
    return int(bool(survived or not_run))


class _Group:
    """Mutants whose modules have the same tests. A test that fails on one must hold without it."""

    def __init__(self, in_place: InPlace, tests: Sequence[str]) -> None:
        self._in_place = in_place
        self._tests = tests
        self._limits: Limits | None = None
        self._holds: dict[str, bool] = {}

    def verdict(self, name: str, mutant: Mutant) -> tuple[Verdict, str]:
        outcome = self._attempt(name, mutant, self._limits or FIRST)
        if outcome.verdict is Verdict.TIMED_OUT and self._limits is None:
            sound = self._in_place.attempt(self._tests, SOUND)
            self._limits = Limits(round(10 + 4 * sound.cpu_s), 60 + 40 * sound.cpu_s)
            if self._limits.cpu_s > FIRST.cpu_s:
                outcome = self._attempt(name, mutant, self._limits)
        verdict = outcome.verdict
        words = f"{name}:{mutant.line} #{mutant.number} {mutant.change}"
        if verdict in {Verdict.NOTICED, Verdict.TIMED_OUT} and not self._is_sound(outcome.test):
            verdict = Verdict.NOT_RUN
            print(f"{outcome.test} fails without a change\n{outcome.output}")
        print(f"{verdict:9} {outcome.cpu_s:5.1f} s  {words}", flush=True)
        return verdict, words

    def _attempt(self, name: str, mutant: Mutant, limits: Limits) -> Outcome:
        outcome = self._in_place.attempt(self._tests, limits, (name, mutant.number))
        if outcome.code == UNCHANGEABLE:
            return fresh.attempt(ROOT / name, self._tests, mutant.number, limits)
        return outcome

    def _is_sound(self, test: str) -> bool:
        """Whether a test holds as it is. No test: the module does not import, or its tests do not."""
        if test and test not in self._holds:
            outcome = self._in_place.attempt(self._tests, SOUND, only=test)
            self._holds[test] = outcome.verdict is Verdict.SURVIVED
        return not test or self._holds[test]
