"""A run over drawn mutants: the tests as they are first, then each mutant, and what was not noticed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from _environment import ROOT

from mutation.loading import Loaded
from mutation.operators import Mutant
from mutation.trial import Verdict, attempt

SOUND_S = 300.0
"""The tests of a module take no longer than this."""


def run(drawn: Sequence[tuple[str, Mutant]], tests: Mapping[str, Sequence[str]]) -> int:
    """Print a line for each mutant and the share that was noticed. Exit code: 1 when one survived."""
    loaded = Loaded()
    survived: list[str] = []
    unsound: set[tuple[str, ...]] = set()
    took_s: dict[tuple[str, ...], float] = {}
    noticed = 0
    for name, mutant in drawn:
        list_of_tests = tuple(tests[name])
        if list_of_tests not in took_s:
            sound = attempt(loaded, ROOT / name, tests[name], None, SOUND_S)
            if sound.verdict is not Verdict.SURVIVED:
                print(
                    f"{name}: its tests fail without a change\n{sound.output}",
                    flush=True,
                )
                unsound.add(list_of_tests)
            took_s[list_of_tests] = sound.seconds
        if list_of_tests in unsound:
            continue
        most_s = 20 + 5 * took_s[list_of_tests]
        outcome = attempt(loaded, ROOT / name, tests[name], mutant.number, most_s)
        words = f"{name}:{mutant.line} #{mutant.number} {mutant.change}"
        print(f"{outcome.verdict:9} {outcome.seconds:5.1f} s  {words}", flush=True)
        if outcome.verdict in {Verdict.NOTICED, Verdict.TIMED_OUT}:
            noticed += 1
        elif outcome.verdict is Verdict.SURVIVED:
            survived.append(words)
    total = noticed + len(survived)
    if survived:
        print("\nnot noticed:", *survived, sep="\n  ")
    if total:
        print(f"\nnoticed: {noticed} of {total}, {100 * noticed / total:.1f} %")
    not_run = len(drawn) - total
    if not_run:
        print(f"not measured: {not_run}")
    return int(bool(survived or not_run))
