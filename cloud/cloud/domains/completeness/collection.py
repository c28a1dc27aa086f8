"""The share of the expected reads that was good, and what nobody reported. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from cloud.domains.completeness.schemas import Collected, NoFigure
from cloud.link import HOUR_MS, CollectedHour, MissedReason, Reported

UNREPORTED_AFTER_MS = 150_000
"""A gateway reports every minute; this much after its last record its time counts as not reported."""
LEAST_COVERED_MS = 300_000
"""From less of an hour no rate is taken: points with long periods come in lumps."""


@dataclass
class ReadSums:
    """Over hours. unreported_ms: due, and covered by no record; estimated: reads that it stands for.

    unnamed: missing reads whose reasons were not requested.
    """

    good: int = 0
    missed: dict[str, int] = field(default_factory=dict)
    unreported_ms: int = 0
    estimated: int = 0
    unnamed: int = 0

    def add(self, good: int, missed: Mapping[str, int], unreported_ms: int, estimated: int) -> None:
        """Add counts of reads of an hour; estimated: reads that unreported_ms stands for."""
        self.good += good
        for reason, count in missed.items():
            self.missed[reason] = self.missed.get(reason, 0) + count
        self.unreported_ms += unreported_ms
        self.estimated += estimated


def due_ms(reported: Reported | None, low_ms: int, high_ms: int, now_ms: int) -> int:
    """How many milliseconds of low_ms..high_ms (UTC) records should cover by now_ms."""
    if reported is None:
        return 0
    until = max(reported.to_ms, now_ms - UNREPORTED_AFTER_MS - reported.late_ms)
    return max(min(high_ms, until) - max(low_ms, reported.first_ms), 0)


def with_delay(reported: Reported | None, late_ms: int) -> Reported | None:
    """Of a gateway with a report interval."""
    return reported if reported is None or not late_ms else replace(reported, late_ms=late_ms)


@dataclass
class Rate:
    """Expected reads in so many milliseconds, of the newest hour that says."""

    expected: int = 0
    covered_ms: int = 0

    def learn(self, expected: int, covered_ms: int) -> None:
        """Take expected reads of covered_ms, when they are a better sample than the last ones."""
        if covered_ms >= LEAST_COVERED_MS or (covered_ms and not self.covered_ms):
            self.expected, self.covered_ms = expected, covered_ms

    def of(self, span_ms: int) -> int:
        """Expected reads in span_ms at this rate."""
        return self.expected * span_ms // self.covered_ms if self.covered_ms else 0


def by_hour(
    hours: Mapping[int, CollectedHour],
    reported: Reported | None,
    start_ms: int,
    end_ms: int,
    now_ms: int,
) -> Iterable[tuple[int, CollectedHour, int]]:
    """Every hour of which something is known or due, with the milliseconds that no record covers."""
    if reported is None:
        return
    nothing = CollectedHour(0, 0, 0, {})
    low_ms = max(start_ms, reported.first_ms - reported.first_ms % HOUR_MS)
    for hour in range(low_ms, min(end_ms, max(reported.to_ms, now_ms)), HOUR_MS):
        known = hours.get(hour, nothing)
        unreported = max(due_ms(reported, hour, hour + HOUR_MS, now_ms) - known.covered_ms, 0)
        if hour in hours or unreported:
            yield hour, known, unreported


def of_gateway(
    spans: Iterable[tuple[int, CollectedHour, int]], earlier: CollectedHour | None
) -> dict[int, ReadSums]:
    """Sums of each hour."""
    sums: dict[int, ReadSums] = {}
    rate = Rate()
    if earlier is not None:
        rate.learn(earlier.expected, earlier.covered_ms)
    for hour, known, unreported in spans:
        rate.learn(known.expected, known.covered_ms)
        sums[hour] = ReadSums()
        sums[hour].add(known.good, known.reasons, unreported, rate.of(unreported))
    return sums


def of_slaves(
    spans: Iterable[tuple[int, CollectedHour, int]], earlier: CollectedHour | None
) -> dict[str, ReadSums]:
    """Sums of each slave over all hours."""
    sums: dict[str, ReadSums] = {}
    rates: dict[str, Rate] = {}
    if earlier is not None:
        for name, slave in earlier.detail.slaves.items():
            rates.setdefault(name, Rate()).learn(slave.expected, earlier.covered_ms)
    for _, known, unreported in spans:
        named = known.detail.slaves
        if known.covered_ms >= LEAST_COVERED_MS:
            rates = {name: rate for name, rate in rates.items() if name in named}  # others were removed
        for name, slave in named.items():
            rates.setdefault(name, Rate()).learn(slave.expected, known.covered_ms)
            sums.setdefault(name, ReadSums()).add(slave.good, slave.missed, 0, 0)
        if unreported:
            for name, rate in rates.items():
                sums.setdefault(name, ReadSums()).add(0, {}, unreported, rate.of(unreported))
    return sums


def total(sums: Iterable[ReadSums]) -> ReadSums:
    """The sum of all."""
    combined = ReadSums()
    for one in sums:
        combined.add(one.good, one.missed, one.unreported_ms, one.estimated)
    return combined


def figure(sums: ReadSums, reported: Reported | None, start_ms: int, end_ms: int) -> Collected:
    """A share, cut after the third digit: 100 only when every expected read is known to be good."""
    missed = {MissedReason(reason): count for reason, count in sums.missed.items() if count}
    if sums.estimated:
        missed[MissedReason.NOT_REPORTED] = sums.estimated
    expected = sums.good + sum(missed.values()) + sums.unnamed
    return Collected(
        expected=expected,
        good=sums.good,
        missed=expected - sums.good,
        percent=sums.good * 100_000 // expected / 1000 if expected else None,
        reasons=missed,
        not_reported_ms=sums.unreported_ms,
        since_ms=reported.first_ms
        if reported is not None and start_ms < reported.first_ms < end_ms
        else None,
        no_figure=None if expected else _why(sums, reported, end_ms),
    )


def _why(sums: ReadSums, reported: Reported | None, end_ms: int) -> NoFigure:
    if reported is None:
        return "never_reported"
    if end_ms <= reported.first_ms:
        return "not_yet"
    return "not_reported" if sums.unreported_ms else "nothing_expected"
