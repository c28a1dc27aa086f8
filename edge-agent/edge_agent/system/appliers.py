"""Parameter groups that the machine itself has to carry out: applied when a configuration begins, and undone.

Before an applier changes anything, what the machine has is kept in the data folder; it comes back when the
group leaves the configuration, when applying fails, and after a crash.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import msgspec

from edge_agent.errors import AgentError, StoreError
from edge_agent.system.private_files import write_private
from edge_contract.deployment import GroupCondition, GroupState

log = logging.getLogger(__name__)

HELD_FILE = "machine-before-parameters"
"""What the machine had before, by group, as JSON."""

Held = dict[str, Any]
"""What an applier read of the machine, as JSON."""

SectionOf = Callable[[str], Any]
"""The typed section of a group in a configuration; None where it has none."""


class NotApplied(AgentError):
    """The machine did not take a group; its text says why."""


class Applier(Protocol):
    """Of one group."""

    @property
    def group(self) -> str:
        """Its name in the contract."""

    async def obstacle(self, wanted: Any) -> str:
        """Why this machine cannot do it at all; empty when it can. Changes nothing."""

    def covers(self, held: Held, wanted: Any) -> bool:
        """Does what read() gave hold everything that wanted changes?"""

    async def read(self, wanted: Any) -> Held:
        """What the machine has now, for restore(). NotApplied when it cannot be read."""

    async def apply(self, wanted: Any) -> None:
        """Carry it out and read it back. NotApplied when it is not as wanted afterwards."""

    async def restore(self, held: Held) -> None:
        """Bring back what read() gave. NotApplied."""


class MachineParameters:
    """states: what became of every group of the configuration that runs."""

    def __init__(self, folder: Path, appliers: Sequence[Applier]) -> None:
        self.states: list[GroupState] = []
        self._file = folder / HELD_FILE
        self._appliers = appliers

    async def forecast(self, section_of: SectionOf) -> list[GroupState]:
        """Groups of a configuration that this machine does not support, with the reason."""
        states = []
        for applier in self._appliers:
            wanted = section_of(applier.group)
            if wanted is not None and (reason := await applier.obstacle(wanted)):
                states.append(_state(applier, GroupCondition.NOT_SUPPORTED, reason))
        return states

    async def apply(self, section_of: SectionOf) -> list[GroupState]:
        """Make the machine as a configuration has it; a group that it does not have is undone."""
        held = self._held()
        self.states = []
        for applier in self._appliers:
            wanted = section_of(applier.group)
            if wanted is None:
                await self._undo(applier, held)
            else:
                self.states.append(await self._become(applier, wanted, held))
        for state in self.states:
            if state.condition is not GroupCondition.APPLIED:
                log.warning("parameters %s: %s: %s", state.group, state.condition.value, state.reason)
        return self.states

    async def _become(self, applier: Applier, wanted: Any, held: dict[str, Held]) -> GroupState:
        if reason := await applier.obstacle(wanted):
            await self._undo(applier, held)
            return _state(applier, GroupCondition.NOT_SUPPORTED, reason)
        if applier.group in held and not applier.covers(held[applier.group], wanted):
            await self._undo(applier, held)
        try:
            if applier.group not in held:
                self._keep(held | {applier.group: await applier.read(wanted)}, held)
            await applier.apply(wanted)
        except (NotApplied, StoreError) as error:
            await self._undo(applier, held)
            return _state(applier, GroupCondition.FAILED, str(error))
        return _state(applier, GroupCondition.APPLIED, "")

    async def _undo(self, applier: Applier, held: dict[str, Held]) -> None:
        """Nothing where nothing was changed; what cannot be brought back now is tried at the next change."""
        if applier.group not in held:
            return
        try:
            await applier.restore(held[applier.group])
            self._keep({name: each for name, each in held.items() if name != applier.group}, held)
        except (NotApplied, StoreError) as error:
            log.error("parameters %s: what was before is not back: %s", applier.group, error)

    def _keep(self, wanted: dict[str, Held], held: dict[str, Held]) -> None:
        """Durable first. StoreError."""
        write_private(self._file, msgspec.json.encode(wanted).decode())
        held.clear()
        held |= wanted

    def _held(self) -> dict[str, Held]:
        try:
            return msgspec.json.decode(self._file.read_bytes(), type=dict[str, Held])
        except FileNotFoundError:
            return {}
        except (OSError, msgspec.DecodeError) as error:
            log.error("%s cannot be read: %s", self._file, error)
            return {}


def _state(applier: Applier, condition: GroupCondition, reason: str) -> GroupState:
    return GroupState(group=applier.group, condition=condition, reason=reason[:200])
