"""What one consumer sees of a store that several share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from edge_agent.store.base import END, OutboxState, Position, StoredBatch
from edge_contract.ranges import Range


class Shared(Protocol):
    """A store's batches, asked for by the name of a consumer; as store.base.Outbox otherwise."""

    def state_of(self, name: str) -> OutboxState:
        """State of a consumer."""

    async def read_for(self, name: str, ranges: Sequence[Range], limit: int) -> list[StoredBatch]:
        """Up to limit batches within ranges that a consumer needs, by rising number."""

    async def numbers_for(self, name: str, after_seq: int, limit: int) -> list[int]:
        """Up to limit numbers behind after_seq that a consumer needs."""

    async def forget_for(self, name: str, ranges: Sequence[Range]) -> int:
        """A consumer needs ranges no more; how many batches it had needed. Raises StoreFull."""

    def passed_by(self, name: str, upto_seq: int, state: str) -> None:
        """A consumer is past this number; written with the next commit."""

    def position_of(self, name: str) -> Position:
        """Where a consumer is, what waits for a commit included."""

    def is_late(self, seq: int) -> bool:
        """Whether a batch was stored as late."""

    async def wait_commit(self, after_seq: int) -> None:
        """Return when a batch with a higher number has been committed."""


class View:
    """store.base.Outbox of one consumer."""

    def __init__(self, shared: Shared, name: str) -> None:
        self._shared = shared
        self._name = name

    def state(self) -> OutboxState:
        return self._shared.state_of(self._name)

    async def following(self, after_seq: int, limit: int) -> list[StoredBatch]:
        return await self._shared.read_for(self._name, [(after_seq + 1, END)], limit)

    async def numbers(self, after_seq: int, limit: int) -> list[int]:
        return await self._shared.numbers_for(self._name, after_seq, limit)

    async def read(self, ranges: Sequence[Range], limit: int) -> list[StoredBatch]:
        return await self._shared.read_for(self._name, ranges, limit)

    async def forget(self, ranges: Sequence[Range]) -> int:
        return await self._shared.forget_for(self._name, ranges)

    def passed(self, upto_seq: int, state: str = "") -> None:
        self._shared.passed_by(self._name, upto_seq, state)

    def position(self) -> Position:
        return self._shared.position_of(self._name)

    def travels_late(self, seq: int) -> bool:
        return self._shared.is_late(seq)

    async def wait_new(self, after_seq: int) -> None:
        await self._shared.wait_commit(after_seq)
