"""Starts again what ended, as the service manager of a gateway does."""

from __future__ import annotations

import time
from collections.abc import Callable

from stack.program import Program

AGAIN_S = 2.0
"""Between the end of a program and its next start."""


class Supervisor:
    """starts: how each program is started again. report: gets a line for each end and start."""

    def __init__(
        self,
        starts: dict[Program, Callable[[], None]],
        report: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._starts = starts
        self._report = report
        self._clock = clock
        self._ended: dict[Program, float] = {}

    def look(self) -> None:
        """To be called about once a second."""
        for program, start in self._starts.items():
            if program.alive():
                continue
            if program not in self._ended:
                self._ended[program] = self._clock()
                self._report(
                    f"{program.name} ended ({program.ending()}); it is started again in {AGAIN_S:.0f} s"
                )
            elif self._clock() - self._ended[program] >= AGAIN_S:
                del self._ended[program]
                start()
                self._report(f"{program.name} runs again")
