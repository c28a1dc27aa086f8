"""A reading of a series as one request: the state of its rollups, their pages and the samples beside them.

Answers are asked for as msgpack (a server that knows none sends JSON) and uncompressed: gzip costs four
times the answer itself. The newest samples lie in InfluxDB's write cache, of which it copies the whole
series for each field of a statement: 490,000 samples just written cost 27 ms of a reading of 32, which
takes 5 ms once they are on disk.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from cloud.timeseries.influx_rollups import RollupState, pages_query, parse_state, state_query
from cloud.timeseries.influxql import Blocks, InfluxReader
from cloud.timeseries.plan import RAW, RollupExtent, Segment

REMEMBERED = 4096
"""States kept in mind; the longest has 2 kB."""

GUESS_MS = 60_000
"""For so long a state is taken for what it was: later it has probably moved, and what it asks is in vain."""

Plan = Callable[[RollupExtent], list[Segment]]

RawQuery = Callable[[Segment, int], str]
"""Statement for a segment that comes from the samples, one of so many such segments."""


@dataclass(frozen=True)
class Answers:
    """Segments by rising time with the answers to their statements. raw_segments: how many are RAW."""

    known: RollupExtent
    segments: list[tuple[Segment, Blocks]]
    raw_segments: int


class RollupQueries:
    """Asks with the state that was seen last, and for the state itself in the same request.

    The server answers one statement after the other and the state is the first, so what follows is at least
    as new: where it is the guessed one the answers are what a request of its own would have brought. Where it
    is another, whoever changed it, all is asked again.
    """

    def __init__(self, reader: InfluxReader, now_ms: Callable[[], int]) -> None:
        self._reader = reader
        self._now_ms = now_ms
        self._seen: OrderedDict[int, tuple[RollupState, int]] = OrderedDict()

    async def ask(self, series: int, plan: Plan, raw_query: RawQuery) -> Answers:
        """What the segments of a plan are told."""
        guess, seen_ms = self._seen.get(series, (None, 0))
        if guess is not None and abs(self._now_ms() - seen_ms) < GUESS_MS:
            segments, statements = _statements(series, plan(guess.known()), raw_query)
            first, *answers = await self._reader.ask(state_query(series), *statements)
            state = parse_state(first)
        else:
            guess = None
            (first,) = await self._reader.ask(state_query(series))
            state = parse_state(first)
        self._remember(series, state)
        if state != guess:
            segments, statements = _statements(series, plan(state.known()), raw_query)
            answers = await self._reader.ask(*statements)
        raw_segments = sum(segment.level == RAW for segment in segments)
        return Answers(state.known(), list(zip(segments, answers, strict=True)), raw_segments)

    def _remember(self, series: int, state: RollupState) -> None:
        self._seen[series] = (state, self._now_ms())
        self._seen.move_to_end(series)
        while len(self._seen) > REMEMBERED:
            self._seen.popitem(last=False)


def _statements(series: int, segments: list[Segment], raw_query: RawQuery) -> tuple[list[Segment], list[str]]:
    raw_segments = sum(segment.level == RAW for segment in segments)
    return segments, [
        raw_query(segment, raw_segments) if segment.level == RAW else pages_query(series, segment)
        for segment in segments
    ]
