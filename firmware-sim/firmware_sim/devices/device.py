"""A device as it stands in a plant file, and what it says of itself. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Protocol

import msgspec

from firmware_sim.errors import ScenarioError
from firmware_sim.process.signals import Name

NotNegative = Annotated[float, msgspec.Meta(ge=0)]


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of every part of a plant file; a misspelt field is refused."""


class Source(Protocol):
    """A value of a device that shows a signal."""

    @property
    def signal(self) -> str | None: ...

    @property
    def writable(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Known:
    """Names of all signals of a plant, and of those that can be written."""

    signals: set[str]
    setpoints: set[str]

    def signal_errors(self, field: str, name: str) -> Iterator[ScenarioError]:
        """An error when no signal has that name."""
        if name not in self.signals:
            yield ScenarioError(field, f"must be the name of a signal, {name!r} is none")

    def source_errors(self, section: str, sources: Sequence[Source]) -> Iterator[ScenarioError]:
        """What values that show signals say of them that cannot be."""
        for number, source in enumerate(sources):
            if source.signal is None:
                continue
            yield from self.signal_errors(f"{section}[{number}].signal", source.signal)
            if source.writable and source.signal not in self.setpoints:
                yield ScenarioError(f"{section}[{number}].writable", "needs a setpoint as its signal")


class Device(Part, frozen=True, kw_only=True, tag_field="kind"):
    """Base of the devices of a plant file; the tag of a subclass is its kind's name there.

    fault: as in the fault command; turnaround_ms: from request to answer. Errors have their path from the
    device.
    """

    name: Name
    line: Name
    turnaround_ms: Annotated[int, msgspec.Meta(ge=0, le=60_000)] = 0
    fault: str = "none"

    def fits(self, line_kind: str) -> bool:
        """Whether a line of this kind, one of the device kind's, can carry this one."""
        return True

    def identity(self) -> tuple[str, Sequence[str]]:
        """The field with what a master calls it by, and what stands in it; unique on a line.

        An empty text: it has no address and is alone on its line.
        """
        raise NotImplementedError

    def errors(self, known: Known) -> Iterator[ScenarioError]:
        """What its own parts say that cannot be, as it is written, before copies."""
        yield from ()

    def copies_written_out(self) -> Iterator[Device]:
        """The devices that it stands for."""
        yield self

    def clashes(self) -> Iterator[ScenarioError]:
        """What stands twice in it once copies are written out."""
        yield from ()

    def agent_tables(self, line_kind: str, *, over_tcp: bool) -> Iterator[str]:
        """[[slaves]] and [[points]] of the agent's configuration, of kinds whose devices are copied."""
        yield from ()


def unique(section: str, names: Iterable[str], field: str = "name") -> Iterator[ScenarioError]:
    """An error for each element of a section whose name stands there before."""
    seen: set[str] = set()
    for index, name in enumerate(names):
        if name in seen:
            yield ScenarioError(f"{section}[{index}].{field}", f"must be unique, {name!r} stands there twice")
        seen.add(name)
