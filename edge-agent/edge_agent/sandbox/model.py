"""Words of the sandbox: a script, what a run of it gave, and what has been counted. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from edge_agent.model import Value

NOTHING: Mapping[str, Value] = MappingProxyType({})


@dataclass(frozen=True)
class SandboxScript:
    """A text in the language of `language.py`.

    inputs: names that every run brings values for; outputs: names whose values a run gives, None where it
    gave none; state: names that keep their value from run to run, with the first value.
    """

    id: str
    text: str
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    state: Mapping[str, Value] = field(default_factory=lambda: NOTHING)


class Trouble(StrEnum):
    """Why a run gave no outputs."""

    FAULT = "fault"  # the script did what cannot be done: divided by zero, calculated with a missing value
    TIME = "time"  # it used more processor time than it may
    MEMORY = "memory"
    KILLED = "killed"  # the process did not answer, or died; it starts again with the next run
    DISABLED = "disabled"  # struck out: too many runs in a row ended by time, memory or death
    BUSY = "busy"  # too many runs are waiting
    UNKNOWN = "unknown"  # no script of this name
    INPUT = "input"  # an input is missing or too long


@dataclass(frozen=True)
class Outcome:
    """Outputs of one run, or why there are none. line: of the script, 0 when it is not known."""

    outputs: Mapping[str, Value] = field(default_factory=lambda: NOTHING)
    trouble: Trouble | None = None
    detail: str = ""
    line: int = 0


@dataclass
class Counters:
    """Since the start of the host."""

    runs: int = 0
    faults: int = 0
    out_of_time: int = 0
    out_of_memory: int = 0
    kills: int = 0
    starts: int = 0  # of the process
    dropped: int = 0  # runs refused because too many were waiting
