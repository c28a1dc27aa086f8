"""Whether a configuration on trial collects and is linked as what ran before it. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from edge_agent.config.load import period_ms
from edge_agent.config.model import Configuration
from edge_agent.model import PointKey

MOST_NAMED = 5  # slaves in the words of a receipt
LONGEST = 200


@dataclass(frozen=True)
class Verdict:
    """code: link or points, empty when all is well; words: the same for a person."""

    code: str = ""
    words: str = ""


WELL = Verdict()


def expected(good: Collection[PointKey], after: Configuration, confirm_s: float) -> frozenset[PointKey]:
    """Of the points that were good those that the new configuration is bound to read in its time.

    Left out: what it leaves out, disables, reads on demand or only writes, and what it reads so seldom that
    nothing can be told.
    """
    ports = {port.name: port for port in after.ports if port.enable}
    slaves = {slave.name: slave for slave in after.slaves if slave.enable and slave.port in ports}
    return frozenset(
        key
        for point in after.points
        if (key := PointKey(point.slave, point.name)) in good
        and (slave := slaves.get(point.slave)) is not None
        and point.rw != "writeonly"
        and point.collect_mode == "cycle"
        and period_ms(slave, ports[slave.port], point) + point.collect_delay_ms < confirm_s * 500
    )


def judge(
    wanted: Collection[PointKey],
    good: Collection[PointKey],
    share: float,
    linked: bool,
    why: Mapping[str, str],
) -> Verdict:
    """wanted: points to be good again; good: those that are; linked: the link is there or is not asked for.

    why: reason of every slave that is silent, by name; "" is that of the link.
    """
    missing = [key for key in wanted if key not in good]
    if len(missing) > (1 - share) * len(wanted) + 1e-9:
        silent = Counter(key.slave for key in missing)
        named = [
            f"{slave} ({count}{': ' + why[slave] if why.get(slave) else ''})"
            for slave, count in silent.most_common(MOST_NAMED)
        ]
        more = len(silent) - len(named)
        words = f"{len(missing)} of {len(wanted)} points that were good are not: {', '.join(named)}"
        return Verdict("points", f"{words}{f' and {more} more slaves' if more else ''}"[:LONGEST])
    if not linked:
        return Verdict("link", f"no link to the cloud: {why.get('') or 'no answer'}"[:LONGEST])
    return WELL
