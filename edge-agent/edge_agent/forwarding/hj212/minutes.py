"""Samples of one minute to what minute, hour and day records are made of. Pure.

A minute is gone through in the order of time, so that a state, a flow and a trouble hold until another one
comes: a point without a value is recorded once, when that begins (points/record.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter

import msgspec

from edge_agent.forwarding.hj212.channels import Channel, EquipmentChannel, Rules
from edge_agent.model import Quality, Sample
from edge_contract.freshness import HAS_VALUE

MINUTE_S, MINUTE_MS = 60, 60_000
NORMAL, OVER_RANGE, FAULT = "N", "T", "D"
RUNNING = "1"
"""-RS of an equipment that runs."""
NORMAL_SHARE = 0.75
"""Of readings, and of shorter records in a longer one (HJ 212-2017, annex D)."""
OF_THE_INSTRUMENT = frozenset({Quality.DEVICE_ERROR, Quality.OUT_OF_RANGE})


class Minute(msgspec.Struct, frozen=True, array_like=True):
    """One factor in one minute. flag: the data flag; marked: by a state point, so that values do not count.

    good: samples with a number; total, low, high: of them. volume: flow times seconds; load: value times flow
    times seconds, both in the units of the points; of a flow without another one volume is its own. Of an
    equipment total has the seconds in which it ran.
    """

    flag: str
    marked: bool
    good: int
    total: float = 0.0
    low: float = 0.0
    high: float = 0.0
    volume: float = 0.0
    load: float = 0.0


class Carry(msgspec.Struct, frozen=True):
    """What holds at the end of a minute, by number of point: quality without a value, state, flow."""

    troubles: dict[int, int] = {}
    states: dict[int, str] = {}
    flows: dict[int, float] = {}


class Samples:
    """Samples of one point in one period (aggregation.Collected)."""

    def __init__(self) -> None:
        self.taken: list[Sample] = []

    def add(self, sample: Sample) -> None:
        """One more, in any order."""
        self.taken.append(sample)


def minute_of(
    begin_ms: int, samples: Mapping[int, Samples], rules: Rules, carry: Carry
) -> tuple[dict[str, Minute], Carry]:
    """By key of the channel; without those of which nothing is known. carry: of the minute before."""
    ordered = {point: sorted(held.taken, key=attrgetter("t_ms")) for point, held in samples.items()}
    minutes = {}
    for channel in rules.channels:
        made = _minute(channel, ordered, rules, carry, begin_ms)
        if made is not None:
            minutes[channel.key] = made
    for one in rules.equipment if samples else ():
        seconds = _run_seconds(one, begin_ms, ordered.get(one.point, ()), rules, carry)
        if seconds is not None:
            minutes[one.key] = Minute(NORMAL, False, 1, total=seconds)
    return minutes, _carry_after(ordered, rules, carry)


def flag_of_trouble(quality: int, rules: Rules) -> str:
    """Data flag of a point without a value."""
    return FAULT if quality in OF_THE_INSTRUMENT else rules.lost


def number(sample: Sample) -> float | None:
    """The value of a sample that has one and is a number."""
    if sample.quality not in HAS_VALUE or sample.value is None or isinstance(sample.value, str):
        return None
    return float(sample.value)


def state_text(sample: Sample) -> str:
    """As the option `states` has it: 1 for 1.0 and for a closed switch."""
    value = number(sample)
    if value is None:
        return str(sample.value)
    return str(int(value)) if value.is_integer() else str(value)


def _minute(
    channel: Channel, ordered: Mapping[int, Sequence[Sample]], rules: Rules, carry: Carry, begin_ms: int
) -> Minute | None:
    own = ordered.get(channel.point, ())
    values = [(sample.t_ms, value) for sample in own if (value := number(sample)) is not None]
    mark = _mark(channel, ordered, rules, carry, begin_ms)
    trouble = _trouble(channel.point, own, carry)
    if not own and trouble is None:
        return None
    expected = MINUTE_S * 1000 / channel.period_ms if channel.period_ms else max(len(own), 1)
    share = min(len(values) / expected, 1.0)
    over = sum(value > channel.upper for _, value in values) if channel.upper is not None else 0
    if mark:
        flag = mark
    elif share < NORMAL_SHARE or not values:
        flag = FAULT if trouble is None else flag_of_trouble(trouble, rules)
    elif over > (1 - NORMAL_SHARE) * len(values):
        flag = OVER_RANGE
    else:
        flag = NORMAL
    if not values:
        return Minute(flag, bool(mark), 0)
    numbers = [value for _, value in values]
    volume, load = _amounts(channel, values, ordered, carry)
    seconds = MINUTE_S * share
    return Minute(
        flag,
        bool(mark),
        len(numbers),
        sum(numbers),
        min(numbers),
        max(numbers),
        volume * seconds,
        load * seconds,
    )


def _amounts(
    channel: Channel,
    values: Sequence[tuple[int, float]],
    ordered: Mapping[int, Sequence[Sample]],
    carry: Carry,
) -> tuple[float, float]:
    """Mean flow, and mean of value times flow, over the samples that have a flow at or before them."""
    if channel.flow is None:
        mean = sum(value for _, value in values) / len(values)
        return mean, mean
    flows = [(one.t_ms, flow) for one in ordered.get(channel.flow, ()) if (flow := number(one)) is not None]
    held = carry.flows.get(channel.flow)
    at, paired = 0, []
    for t_ms, value in values:
        while at < len(flows) and flows[at][0] <= t_ms:
            held = flows[at][1]
            at += 1
        if held is not None:
            paired.append((held, value * held))
    if not paired:
        return 0.0, 0.0
    return sum(flow for flow, _ in paired) / len(paired), sum(load for _, load in paired) / len(paired)


def _mark(
    channel: Channel, ordered: Mapping[int, Sequence[Sample]], rules: Rules, carry: Carry, begin_ms: int
) -> str:
    """Data flag of the first state in the minute that has one; it counts for all of the minute."""
    if channel.state is None:
        return ""
    own = [sample for sample in ordered.get(channel.state, ()) if sample.quality in HAS_VALUE]
    texts = [state_text(sample) for sample in own]
    held = carry.states.get(channel.state)
    if held is not None and not (own and own[0].t_ms == begin_ms):
        texts.insert(0, held)
    return next((flag for text in texts if (flag := rules.marks.get(text, NORMAL)) != NORMAL), "")


def _trouble(point: int, own: Sequence[Sample], carry: Carry) -> int | None:
    """The last quality without a value that held in the minute."""
    troubles = [int(sample.quality) for sample in own if sample.quality not in HAS_VALUE]
    return troubles[-1] if troubles else carry.troubles.get(point)


def _run_seconds(
    one: EquipmentChannel, begin_ms: int, own: Sequence[Sample], rules: Rules, carry: Carry
) -> float | None:
    """Of a minute in which anything was read; None when the state is never known in it."""
    held = None if one.point in carry.troubles else rules.equipment_state(carry.states.get(one.point))
    is_known, run_ms, at_ms = False, 0, begin_ms
    for sample in (*own, None):
        until_ms = begin_ms + MINUTE_MS if sample is None else sample.t_ms
        is_known |= held is not None and until_ms > at_ms
        run_ms += (until_ms - at_ms) * (held == RUNNING)
        at_ms = until_ms
        if sample is not None:
            usable = sample.quality in HAS_VALUE
            held = rules.equipment_state(state_text(sample)) if usable else None
    return run_ms / 1000 if is_known else None


def _carry_after(ordered: Mapping[int, Sequence[Sample]], rules: Rules, carry: Carry) -> Carry:
    troubles, states, flows = dict(carry.troubles), dict(carry.states), dict(carry.flows)
    equipment_points = {one.point for one in rules.equipment}
    watched = {channel.point for channel in rules.channels} | equipment_points
    state_points = {channel.state for channel in rules.channels} | equipment_points
    flow_points = {channel.flow for channel in rules.channels}
    for point, own in ordered.items():
        if point in watched:
            if own[-1].quality in HAS_VALUE:
                troubles.pop(point, None)
            else:
                troubles[point] = int(own[-1].quality)
        usable = [sample for sample in own if sample.quality in HAS_VALUE]
        if point in state_points and usable:
            states[point] = state_text(usable[-1])
        if point in flow_points and (values := [value for one in own if (value := number(one)) is not None]):
            flows[point] = values[-1]
            if own[-1].quality not in HAS_VALUE:
                del flows[point]
    return Carry(troubles, states, flows)
