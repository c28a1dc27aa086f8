"""A reading of a series as one request: the state of its levels, their pages and the samples beside them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from cloud.timeseries.influx_rollups import State, pages_asked, state_asked, state_told
from cloud.timeseries.influxql import Blocks, InfluxReader
from cloud.timeseries.plan import RAW, Known, Piece

REMEMBERED = 4096
"""States kept in mind; the longest has 2 kB."""

GUESS_MS = 60_000
"""For so long a state is taken for what it was: later it has probably moved, and what it asks is in vain."""

Plan = Callable[[Known], list[Piece]]

RawAsked = Callable[[Piece, int], str]
"""Statement for a piece that comes from the samples, one of so many such pieces."""


@dataclass(frozen=True)
class Told:
    """Pieces by rising time with the answers to their statements. raw_pieces: how many of them are RAW."""

    known: Known
    pieces: list[tuple[Piece, Blocks]]
    raw_pieces: int


class Questions:
    """Asks with the state that was seen last, and for the state itself in the same request.

    The server answers one statement after the other and the state is the first, so what follows is at least
    as new: where it is the guessed one the answers are what a request of its own would have brought. Where it
    is another, whoever changed it, all is asked again.
    """

    def __init__(self, reader: InfluxReader, now_ms: Callable[[], int]) -> None:
        self._reader = reader
        self._now_ms = now_ms
        self._seen: OrderedDict[int, tuple[State, int]] = OrderedDict()

    async def ask(self, series: int, plan: Plan, raw_asked: RawAsked) -> Told:
        """What the pieces of a plan are told."""
        guess, seen_ms = self._seen.get(series, (None, 0))
        if guess is not None and abs(self._now_ms() - seen_ms) < GUESS_MS:
            pieces, statements = _statements(series, plan(guess.known()), raw_asked)
            first, *answers = await self._reader.ask(state_asked(series), *statements)
            state = state_told(first)
        else:
            guess = None
            (first,) = await self._reader.ask(state_asked(series))
            state = state_told(first)
        self._remember(series, state)
        if state != guess:
            pieces, statements = _statements(series, plan(state.known()), raw_asked)
            answers = await self._reader.ask(*statements)
        raw_pieces = sum(piece.level == RAW for piece in pieces)
        return Told(state.known(), list(zip(pieces, answers, strict=True)), raw_pieces)

    def _remember(self, series: int, state: State) -> None:
        self._seen[series] = (state, self._now_ms())
        self._seen.move_to_end(series)
        while len(self._seen) > REMEMBERED:
            self._seen.popitem(last=False)


def _statements(series: int, pieces: list[Piece], raw_asked: RawAsked) -> tuple[list[Piece], list[str]]:
    raw_pieces = sum(piece.level == RAW for piece in pieces)
    return pieces, [
        raw_asked(piece, raw_pieces) if piece.level == RAW else pages_asked(series, piece) for piece in pieces
    ]
