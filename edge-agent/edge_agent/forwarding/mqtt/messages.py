"""Samples to messages: which samples are sent, under which names, in which topics. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from edge_agent.forwarding.aggregation import NewestOfPeriods
from edge_agent.forwarding.mqtt.config import MqttOptions
from edge_agent.forwarding.mqtt.formats import Item, payload, portions
from edge_agent.forwarding.mqtt.naming import Naming
from edge_agent.model import Quality, Sample, Value

GRACE_MS = 10_000
"""How late a sample may come for its interval."""


@dataclass
class Message:
    """One publication. t_ms: of all its values in KV. repeat: it may have been sent by an earlier process.

    seq: the batch with which it was made.

    sent: handed to a connection; acknowledged: the broker has it.
    """

    topic: str
    items: list[Item]
    t_ms: int
    repeat: bool
    sent: bool = False
    acknowledged: bool = False
    seq: int = 0

    def payload(self, options: MqttOptions) -> bytes:
        """With the mark of what may have been sent before."""
        return payload(options.format, self.items, self.t_ms, repeat=self.repeat or self.sent)


@dataclass(frozen=True)
class Unsendable:
    """A value that no message can carry."""

    record: str
    reason: str


class Selection:
    """Which samples are sent, and under which time in KV. Fed batch by batch, by rising number."""

    def __init__(self, options: MqttOptions, ended_ms: int) -> None:
        self._mode = options.send
        self._last: dict[int, tuple[Value, Quality]] = {}
        self._periods = (
            NewestOfPeriods(options.interval_s * 1000, grace_ms=GRACE_MS, ended_ms=ended_ms)
            if self._mode == "interval"
            else None
        )

    @property
    def ended_ms(self) -> int:
        """Intervals before it have been given; 0 in the other modes."""
        return 0 if self._periods is None else self._periods.ended_ms

    def needs_seq(self, read_seq: int) -> int:
        """Up to this batch nothing is needed to make the open intervals again. read_seq: fed last."""
        return read_seq if self._periods is None else self._periods.needs_seq(read_seq)

    def feed(self, seq: int, t_ms: int, samples: list[Sample]) -> list[tuple[int, Sample]]:
        """Samples to send, each with its time in KV: its own, or the end of its interval."""
        if self._periods is not None:
            return [(one.to_ms, one.sample) for one in self._periods.feed(seq, t_ms, samples)]
        samples = sorted(samples, key=lambda sample: sample.t_ms)
        return [(one.t_ms, one) for one in samples if self._mode == "samples" or self._has_changed(one)]

    def _has_changed(self, sample: Sample) -> bool:
        now = sample.value, sample.quality
        before, self._last[sample.point] = self._last.get(sample.point), now
        return before != now


def messages_of(
    options: MqttOptions,
    naming: Naming,
    points: dict[int, tuple[str, str]],
    selected: Iterable[tuple[int, Sample]],
    *,
    repeat: bool,
) -> Iterator[Message | Unsendable]:
    """Messages in the order of their times. points: slave and name by number, of the batch's catalog."""
    groups: dict[tuple[str, int], list[Item]] = {}
    for t_ms, sample in selected:
        if sample.point not in points:
            yield Unsendable(f"point {sample.point}", "its name is not stored any more")
            continue
        name = naming.name_of(*points[sample.point])
        item = Item(name.name, sample.t_ms, sample.value, sample.quality) if name is not None else None
        if name is not None and item is not None and (item.usable or options.bad_values == "null"):
            group = name.topic, t_ms if options.format == "KV" else 0
            groups.setdefault(group, []).append(item)
    for (topic, t_ms), items in groups.items():
        for portion in portions(options.format, items, options.max_message_bytes):
            message = Message(topic, portion, t_ms, repeat)
            if len(portion) == 1 and len(message.payload(options)) > options.max_message_bytes:
                rule = f"is larger than max_message_bytes, {options.max_message_bytes}"
                yield Unsendable(f"{topic} {portion[0].name}", rule)
            else:
                yield message
