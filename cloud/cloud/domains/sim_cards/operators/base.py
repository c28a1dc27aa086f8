"""What an operator tells of its cards."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from cloud.domains.sim_cards.schemas import CardStatus


@dataclass(frozen=True)
class CardReading:
    """A card at the end of a day. used_bytes: since its billing period began. None: nothing is said of it."""

    iccid: str
    day: date
    used_bytes: int | None = None
    status: CardStatus | None = None
    expires_on: date | None = None
    balance_fen: int | None = None


class OperatorUnreachable(Exception):
    """The operator gives no answer now; it is asked again later."""


class OperatorAdapter(Protocol):
    """source: at most 16 characters, noted with every reading."""

    @property
    def source(self) -> str: ...

    async def fetch(self, iccids: Collection[str]) -> list[CardReading]:
        """Of these cards those that the operator knows. Raises OperatorUnreachable."""
