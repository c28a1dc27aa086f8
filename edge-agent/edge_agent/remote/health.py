"""Whether a configuration on trial collects and is linked as what ran before it. Pure.

Wanted are the points that were good before, without those that the new configuration leaves out, disables,
reads on demand or seldom; and every slave that answered before, is new or is reached otherwise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from edge_agent.config.model import Configuration, Point, Slave
from edge_agent.config.period import period_ms
from edge_agent.model import PointKey, PointKind
from edge_contract.deployment import Missing
from edge_contract.limits import MAX_MISSING

MAX_NAMED = 5  # slaves in the words of a receipt
LONGEST = 200


@dataclass(frozen=True)
class Verdict:
    """code: points, slaves or link, empty when all is well; words: the same for a person.

    missing: what is silent or not good, also when that is as it may be; None when nothing is.
    """

    code: str = ""
    words: str = ""
    missing: Missing | None = None

    @property
    def well(self) -> bool:
        """Whether nothing that is wanted is missing."""
        return not self.code


@dataclass(frozen=True)
class Wanted:
    """What is to be well at the end of a trial. slaves: must answer whatever the share of the points."""

    points: Collection[PointKey]
    slaves: Collection[str]
    share: float
    link: bool


@dataclass(frozen=True)
class Signs:
    """What is there now. polled: slaves that are read in turn; why: reason of every slave that is silent, by
    name, "" that of the link."""

    good: Collection[PointKey]
    answering: Collection[str]
    polled: Collection[str]
    linked: bool
    why: Mapping[str, str]


def expected(good: Collection[PointKey], after: Configuration, confirm_s: float) -> frozenset[PointKey]:
    """Of the points that were good those that the new configuration is bound to read in its time.

    Left out: what it leaves out, disables, reads on demand or only writes, and what it reads so seldom that
    nothing can be known.
    """
    return frozenset(
        key
        for slave, point, wait_ms in _read_in_turn(after)
        if (key := PointKey(slave.name, point.name)) in good and wait_ms < confirm_s * 500
    )


def polled_slaves(after: Configuration, confirm_s: float | None = None) -> frozenset[str]:
    """Slaves that are read in turn, within half of confirm_s if given."""
    return frozenset(
        slave.name
        for slave, point, wait_ms in _read_in_turn(after)
        if point.type is not PointKind.CALCULATED and (confirm_s is None or wait_ms < confirm_s * 500)
    )


def bound_to_answer(
    answered: Collection[str], before: Configuration, after: Configuration, confirm_s: float
) -> frozenset[str]:
    """Slaves that must answer: those that did, and those that are new or are reached otherwise."""
    ways = {slave.name: _way(slave) for slave in before.slaves}
    within = polled_slaves(after, confirm_s)
    return frozenset(
        slave.name
        for slave in after.slaves
        if slave.name in within and (slave.name in answered or ways.get(slave.name) != _way(slave))
    )


def assess(wanted: Wanted, signs: Signs) -> Verdict:
    """Whether what is wanted is there."""
    bad = [key for key in wanted.points if key not in signs.good]
    dead = sorted(slave for slave in wanted.slaves if slave not in signs.answering)
    others = sorted(slave for slave in signs.polled if slave not in signs.answering and slave not in dead)
    unlinked = wanted.link and not signs.linked
    missing = _missing(dead + others, bad, link=unlinked)
    if len(bad) > (1 - wanted.share) * len(wanted.points) + 1e-9:
        counted = Counter(key.slave for key in bad)
        named = [
            f"{slave} ({count}{': ' + signs.why[slave] if signs.why.get(slave) else ''})"
            for slave, count in counted.most_common(MAX_NAMED)
        ]
        words = f"{len(bad)} of {len(wanted.points)} points that were good are not: {', '.join(named)}"
        return Verdict("points", f"{words}{_more(len(counted))}"[:LONGEST], missing)
    if dead:
        return Verdict("slaves", silent_words(dead, signs.why), missing)
    if unlinked:
        words = f"no link to the cloud: {signs.why.get('') or 'no answer'}"
        return Verdict("link", words[:LONGEST], missing)
    return Verdict("", silent_words(others, signs.why) if others else "", missing)


def silent_words(slaves: Collection[str], why: Mapping[str, str]) -> str:
    """Which slaves do not answer, for a person."""
    named = [f"{slave} ({why[slave]})" if why.get(slave) else slave for slave in slaves]
    return f"silent: {', '.join(named[:MAX_NAMED])}{_more(len(named))}"[:LONGEST]


def _more(slaves: int) -> str:
    return f" and {slaves - MAX_NAMED} more slaves" if slaves > MAX_NAMED else ""


def _missing(slaves: list[str], bad: Collection[PointKey], *, link: bool) -> Missing | None:
    if not (slaves or bad or link):
        return None
    names = sorted(map(str, bad))
    return Missing(
        slaves=slaves[:MAX_MISSING],
        points=names[:MAX_MISSING],
        slaves_all=len(slaves),
        points_all=len(names),
        link=link,
    )


def _way(slave: Slave) -> tuple[object, ...]:
    """How a slave is reached."""
    return slave.port, slave.protocol, slave.address, slave.options


def _read_in_turn(configuration: Configuration) -> Iterator[tuple[Slave, Point, int]]:
    """Points that are read by themselves, and the longest wait for their value in milliseconds."""
    ports = {port.name: port for port in configuration.ports if port.enable}
    slaves = {slave.name: slave for slave in configuration.slaves if slave.enable and slave.port in ports}
    for point in configuration.points:
        slave = slaves.get(point.slave)
        if slave is not None and point.rw != "writeonly" and point.collect_mode == "cycle":
            yield slave, point, period_ms(slave, ports[slave.port], point) + point.collect_delay_ms
