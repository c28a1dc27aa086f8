"""Data areas of real-time, minute, hour and day data, with their values and flags. Pure.

Values and flags follow HJ 212-2017, annex D. A record of a period is made of the minutes in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from edge_agent.forwarding.hj212.channels import DEFAULT_DECIMALS, Channel, Rules
from edge_agent.forwarding.hj212.fields import factor_group, number_text
from edge_agent.forwarding.hj212.minutes import (
    FAULT,
    NORMAL,
    NORMAL_SHARE,
    OVER_RANGE,
    Carry,
    Minute,
    flag_of_trouble,
    number,
    state_text,
)
from edge_agent.forwarding.hj212.packet import Area, Group
from edge_agent.forwarding.hj212.times import DAY_MS, HOUR_MS, MINUTE_MS, time_text
from edge_agent.model import Sample
from edge_contract.freshness import HAS_VALUE

REALTIME, STATES, DAY, RUN_TIMES, MINUTES, HOUR = "2011", "2021", "2031", "2041", "2051", "2061"
UNIT = {MINUTES: "m", HOUR: "h", DAY: "d"}
HOUR_S = 3600
RUN_TIME_DECIMALS = 2
MISSING_INTERVAL = 10
"""Minutes of the records that make an hour where no minute data are sent."""
STALE_MS = 10_000
"""A real-time value may be older than three readings by this: it waits for a commit."""
STALE_READINGS = 3

Minutes = Mapping[int, Mapping[str, Minute]]
"""By UTC begin, then by key of the channel."""


def length_ms(kind: str, interval_min: int) -> int:
    """Of the period of a record. interval_min: of minute data."""
    return {MINUTES: interval_min * MINUTE_MS, HOUR: HOUR_MS, DAY: DAY_MS, RUN_TIMES: DAY_MS}[kind]


def period_area(kind: str, begin_ms: int, minutes: Minutes, rules: Rules, interval_min: int) -> Area:
    """Of a record whose period begins there; () when nothing is known of any of its factors.

    minutes: of the period. interval_min: of the minute records in it, 0 where there are none.
    """
    groups: dict[str, dict[str, str]] = {}
    for channel in rules.channels:
        if UNIT[kind] not in channel.units or channel.types == {"rtd"}:
            continue
        own = {begin: held[channel.key] for begin, held in minutes.items() if channel.key in held}
        if not own:
            continue
        flag = _period_flag(kind, begin_ms, own, rules, interval_min)
        _add(groups, channel, _period_values(channel, list(own.values())), flag)
    return _area(begin_ms, groups, rules)


def run_time_area(begin_ms: int, minutes: Minutes, rules: Rules) -> Area:
    """Hours in which each equipment ran in the day that begins there; () when no state was known in it."""
    groups: list[Group] = []
    for one in rules.equipment:
        seconds = [held[one.key].total for held in minutes.values() if one.key in held]
        if seconds:
            hours = number_text(sum(seconds) / HOUR_S, RUN_TIME_DECIMALS)
            groups.append(((one.key, hours),))
    return _timed(begin_ms, groups, rules)


def states_area(newest: Mapping[int, Sample], rules: Rules, now_ms: int) -> Area:
    """-RS of each equipment whose state is known now; () of none."""
    groups: list[Group] = []
    for one in rules.equipment:
        sample = newest.get(one.point)
        usable = sample is not None and sample.quality in HAS_VALUE
        state = rules.equipment_state(state_text(sample)) if sample is not None and usable else None
        if state is not None:
            groups.append(((f"{one.code}-RS", state),))
    return _timed(now_ms, groups, rules)


def _timed(t_ms: int, groups: Sequence[Group], rules: Rules) -> Area:
    return ((("DataTime", time_text(t_ms, rules.offset_ms)),), *groups) if groups else ()


def realtime_area(newest: Mapping[int, Sample], carry: Carry, rules: Rules, now_ms: int) -> tuple[int, Area]:
    """Time of the newest sample and the area of real-time data; () when no factor has any.

    newest: good or not, by point. carry: what holds now. A value that cannot be read is left out.
    """
    groups: dict[str, dict[str, str]] = {}
    times = []
    for channel in rules.channels:
        sample = newest.get(channel.point)
        trouble = carry.troubles.get(channel.point)
        if "rtd" not in channel.types or (sample is None and trouble is None):
            continue
        value = None if sample is None else number(sample)
        if sample is None or value is None:
            quality = trouble if sample is None else int(sample.quality)
            flag = flag_of_trouble(quality or 0, rules)
        elif now_ms - sample.t_ms > STALE_READINGS * channel.period_ms + STALE_MS:
            value, flag = None, rules.lost
        else:
            flag = OVER_RANGE if channel.upper is not None and value > channel.upper else NORMAL
            times.append(sample.t_ms)
        items = {} if value is None else {f"{channel.zs}Rtd": number_text(value, channel.decimals)}
        mark = _mark_now(channel, newest, carry, rules)
        _add(groups, channel, items, flag if mark == NORMAL else mark)
    t_ms = max(times, default=now_ms)
    return t_ms, _area(t_ms, groups, rules)


def _mark_now(channel: Channel, newest: Mapping[int, Sample], carry: Carry, rules: Rules) -> str:
    if channel.state is None:
        return NORMAL
    sample = newest.get(channel.state)
    text = carry.states.get(channel.state, "") if sample is None else state_text(sample)
    return rules.marks.get(text, NORMAL)


def _area(t_ms: int, groups: Mapping[str, Mapping[str, str]], rules: Rules) -> Area:
    made = [
        factor_group(factor, {**_without_flag(items), "Flag": items["Flag"]})
        for factor, items in groups.items()
    ]
    return _timed(t_ms, made, rules)


def _without_flag(items: Mapping[str, str]) -> dict[str, str]:
    return {suffix: text for suffix, text in items.items() if suffix != "Flag"}


def _add(groups: dict[str, dict[str, str]], channel: Channel, items: Mapping[str, str], flag: str) -> None:
    """A factor has one flag: that of its converted value when the other is normal."""
    group = groups.setdefault(channel.factor, {"Flag": NORMAL})
    group.update(items)
    if group["Flag"] == NORMAL:
        group["Flag"] = flag


def _period_values(channel: Channel, minutes: Sequence[Minute]) -> dict[str, str]:
    """Of minutes without the mark of a state, of all when each has one. Empty without a sample."""
    usable = [one for one in minutes if one.good and not one.marked] or [one for one in minutes if one.good]
    if not usable:
        return {}
    volume, load = sum(one.volume for one in usable), sum(one.load for one in usable)
    mean = sum(one.total for one in usable) / sum(one.good for one in usable)
    if channel.weighted and volume > 0:
        mean = load / volume
    numbers = {
        "min": min(one.low for one in usable),
        "avg": mean,
        "max": max(one.high for one in usable),
    }
    values = {}
    if "cou" in channel.types:
        amount = (volume if channel.flow is None else load) * channel.volume * channel.amount
        values["Cou"] = number_text(amount, max(channel.decimals, DEFAULT_DECIMALS))
    for name in ("min", "avg", "max"):
        if name in channel.types:
            values[f"{channel.zs}{name.title()}"] = number_text(numbers[name], channel.decimals)
    return values


def _period_flag(kind: str, begin_ms: int, own: Mapping[int, Minute], rules: Rules, interval_min: int) -> str:
    flags = {begin: one.flag for begin, one in own.items()}
    if kind == MINUTES:
        return _by_share(_within(flags, begin_ms, interval_min * MINUTE_MS, MINUTE_MS), "")
    if kind == HOUR:
        return _hour_flag(begin_ms, flags, rules, interval_min)
    hours = [
        _hour_flag(hour_ms, flags, rules, interval_min)
        for hour_ms in range(begin_ms, begin_ms + DAY_MS, HOUR_MS)
    ]
    return _longer_flag(hours, rules)


def _hour_flag(begin_ms: int, flags: Mapping[int, str], rules: Rules, interval_min: int) -> str:
    step_ms = (interval_min or MISSING_INTERVAL) * MINUTE_MS
    records = [
        _by_share(_within(flags, record_ms, step_ms, MINUTE_MS), "")
        for record_ms in range(begin_ms, begin_ms + HOUR_MS, step_ms)
    ]
    return _longer_flag(records, rules)


def _longer_flag(flags: Sequence[str], rules: Rules) -> str:
    if not rules.any_abnormal:
        return _by_share(flags, FAULT)
    abnormal = [flag for flag in flags if flag != NORMAL]
    return Counter(abnormal).most_common(1)[0][0] if abnormal else NORMAL


def _within(flags: Mapping[int, str], begin_ms: int, length: int, step_ms: int) -> list[str]:
    """Flags of the minutes of a period; one that is missing is a fault."""
    return [flags.get(at, FAULT) for at in range(begin_ms, begin_ms + length, step_ms)]


def _by_share(flags: Iterable[str], otherwise: str) -> str:
    """N when enough are normal, else `otherwise`, or the abnormal flag that is there most often."""
    held = list(flags)
    if sum(flag == NORMAL for flag in held) >= NORMAL_SHARE * len(held):
        return NORMAL
    return otherwise or Counter(flag for flag in held if flag != NORMAL).most_common(1)[0][0]
