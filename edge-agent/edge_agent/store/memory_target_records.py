"""Records that forwarders make of batches, in memory, gone with the process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter

from edge_agent.store.base import RecordState, TargetRecord


@dataclass
class MemoryTargetRecords:
    """store.base.TargetRecords."""

    _records: dict[tuple[str, str, int], TargetRecord] = field(default_factory=dict)
    _notes: dict[str, dict[str, bytes]] = field(default_factory=dict)

    async def put(self, name: str, records: Sequence[TargetRecord], notes: Mapping[str, bytes]) -> None:
        for one in records:
            self._records.setdefault((name, one.kind, one.t_ms), one)
        await self.note(name, notes)

    async def note(self, name: str, notes: Mapping[str, bytes]) -> None:
        self._notes.setdefault(name, {}).update(notes)

    async def notes(self, name: str) -> dict[str, bytes]:
        return dict(self._notes.get(name, {}))

    async def waiting(self, name: str, limit: int) -> list[TargetRecord]:
        return self._waiting(name)[:limit]

    async def count_waiting(self, name: str) -> int:
        return len(self._waiting(name))

    async def between(self, name: str, kind: str, from_ms: int, to_ms: int, limit: int) -> list[TargetRecord]:
        records = [
            one
            for (owner, its_kind, t_ms), one in self._records.items()
            if (owner, its_kind) == (name, kind) and from_ms <= t_ms <= to_ms
        ]
        return sorted(records, key=attrgetter("t_ms"))[:limit]

    async def mark(self, name: str, kind: str, t_ms: int, state: RecordState) -> None:
        record = self._records.get((name, kind, t_ms))
        if record is not None:
            self._records[name, kind, t_ms] = replace(record, state=state)

    async def give_up(self, name: str, keep: int) -> list[TargetRecord]:
        waiting = self._waiting(name)
        records = waiting[: max(len(waiting) - keep, 0)]
        for one in records:
            await self.mark(name, one.kind, one.t_ms, RecordState.DROPPED)
        return records

    async def forget(self, name: str, kind: str, before_ms: int) -> None:
        self._records = {
            key: one
            for key, one in self._records.items()
            if key[:2] != (name, kind) or one.t_ms >= before_ms or one.state is RecordState.WAITING
        }

    def _waiting(self, name: str) -> list[TargetRecord]:
        records = [
            one
            for (owner, _, _), one in self._records.items()
            if owner == name and one.state is RecordState.WAITING
        ]
        return sorted(records, key=attrgetter("due_ms", "kind", "t_ms"))
