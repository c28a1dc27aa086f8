"""Topics, names and payloads of a target, without a broker."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_agent.errors import BadValue
from edge_agent.forwarding.mqtt.config import MqttOptions, Variable
from edge_agent.forwarding.mqtt.formats import Format, Item, WriteOrder, orders, payload, portions
from edge_agent.forwarding.mqtt.messages import Message, Selection, Unsendable, messages_of
from edge_agent.forwarding.mqtt.naming import Naming
from edge_agent.forwarding.mqtt.topics import expanded, filter_of, may_meet, topic_fault
from edge_agent.model import PointKey, Quality, Sample
from edge_agent.system.rate import Rate

BOILER = {1: ("boiler", "t"), 2: ("boiler", "p")}
GOOD, OFFLINE = Quality.GOOD, Quality.DEVICE_OFFLINE


@pytest.mark.parametrize(
    ("template", "topic", "subscription"),
    [
        ("up", "up", "up"),
        ("v1/{gateway}/{slave}/{point}", "v1/gw-1/boiler/t", "v1/gw-1/+/+"),
        ("$sys/x-{slave}/set", "$sys/x-boiler/set", "$sys/+/set"),
        ("{gateway}{gateway}", "gw-1gw-1", "gw-1gw-1"),
    ],
)
def test_topics(template: str, topic: str, subscription: str) -> None:
    assert topic_fault(template) is None
    assert expanded(template, gateway="gw-1", slave="boiler", point="t") == topic
    assert filter_of(template, "gw-1") == subscription


@pytest.mark.parametrize(
    ("template", "rule"),
    [
        ("", "1 to 300"),
        ("x" * 301, "1 to 300"),
        ("a/+/b", "wildcards"),
        ("a/#", "wildcards"),
        ("a\0", "control"),
        ("a/{unit}", "{gateway}, {slave}, {point}"),
        ("a/{slave", "braces"),
        ("a/}", "braces"),
        ("a/{{slave}}", "braces"),
        ("a/{}", "braces"),
    ],
)
def test_topics_that_are_none(template: str, rule: str) -> None:
    assert rule in (topic_fault(template) or "")


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        ("a/b", "a/b", True),
        ("a/b", "a/c", False),
        ("a/b/c", "a/b", False),
        ("a/{slave}", "a/up", True),
        ("{slave}/x", "{point}/y", False),
        ("a/x-{slave}", "a/{gateway}", True),
    ],
)
def test_topics_that_may_meet(one: str, other: str, meet: bool) -> None:
    assert may_meet(one, other) is may_meet(other, one) is meet


@pytest.mark.parametrize(
    ("up_topic", "variables", "name", "topic"),
    [
        ("up", (), "boiler.t", "up"),
        ("up/{slave}", (), "t", "up/boiler"),
        ("up/{slave}/{point}", (), "t", "up/boiler/t"),
        ("up/{slave}", (Variable(name="T 1", point="boiler.t"),), "T 1", "up/boiler"),
    ],
)
def test_names(up_topic: str, variables: tuple[Variable, ...], name: str, topic: str) -> None:
    naming = Naming(MqttOptions(server="b", up_topic=up_topic, variables=variables), "gw-1")
    made = naming.name_of("boiler", "t")
    assert made is not None
    assert (made.name, made.topic) == (name, topic)
    assert (naming.name_of("boiler", "p") is None) == bool(variables)


def test_only_what_may_be_written_is() -> None:
    variables = (
        Variable(name="x", point="boiler.t", write=True),
        Variable(name="x", point="pump.t", write=True),
        Variable(name="y", point="boiler.p"),
    )
    made = MqttOptions(server="b", up_topic="up/{slave}", down_topic="set/{slave}", variables=variables)
    naming = Naming(made, "gw-1")
    assert naming.written_by("set/boiler", "x") == PointKey("boiler", "t")
    assert naming.written_by("set/pump", "x") == PointKey("pump", "t")
    assert naming.written_by("set/boiler", "y") is None
    assert naming.written_by("set", "x") is None


ITEMS = [
    Item("t", 5, 21.5, GOOD),
    Item("on", 5, True, Quality.UNCERTAIN_TIME),
    Item("p", 5, 99, OFFLINE),
]


def test_nv() -> None:
    assert json.loads(payload("NV", ITEMS, 0, repeat=False)) == [
        {"n": "t", "v": 21.5, "t": 5, "q": "good"},
        {"n": "on", "v": True, "t": 5, "q": "uncertain_time"},
        {"n": "p", "v": None, "t": 5, "q": "device_offline"},
    ]
    assert all(item["r"] is True for item in json.loads(payload("NV", ITEMS, 0, repeat=True)))


def test_kv() -> None:
    made = {
        "ts": 5,
        "values": {"t": 21.5, "on": True, "p": None},
        "quality": {"on": "uncertain_time", "p": "device_offline"},
    }
    assert json.loads(payload("KV", ITEMS, 5, repeat=False)) == made
    assert json.loads(payload("KV", ITEMS, 5, repeat=True)) == {**made, "repeat": True}
    assert "quality" not in json.loads(payload("KV", ITEMS[:1], 5, repeat=False))


VALUES = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text(max_size=40)
MADE = st.builds(
    Item,
    st.text(min_size=1, max_size=40),
    st.integers(0, 2**53),
    VALUES | st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(Quality),
)


@given(st.lists(MADE, max_size=60), st.sampled_from(["NV", "KV"]), st.integers(1000, 3000), st.booleans())
def test_no_payload_is_larger_than_it_may_be(
    items: list[Item], format: Format, max_bytes: int, repeat: bool
) -> None:
    made = list(portions(format, items, max_bytes))
    assert [item for portion in made for item in portion] == items
    for portion in made:
        size = len(payload(format, portion, 2**53, repeat=repeat))
        assert size <= max_bytes or len(portion) == 1


@pytest.mark.parametrize(
    ("format", "body", "expected"),
    [
        ("NV", [{"id": 7, "n": "a", "v": 1, "q": "good"}], [WriteOrder(7, "a", 1, None)]),
        ("NV", [{"id": "x", "n": "a", "v": "on", "t": 9}], [WriteOrder("x", "a", "on", 9)]),
        (
            "KV",
            {"id": "x", "values": {"a": True, "b": 1.5}, "ts": 9},
            [WriteOrder("x", "a", True, 9), WriteOrder("x", "b", 1.5, 9)],
        ),
    ],
)
def test_orders(format: Format, body: Any, expected: list[WriteOrder]) -> None:
    assert orders(format, json.dumps(body).encode()) == expected


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ([], "a table, not a list"),
        ({"values": {"a": 1}}, "id: must be given"),
        ({"id": "x", "values": {}}, "at least 1"),
        ({"id": "x", "values": {"a": None}}, "nothing"),
        ({"id": "x", "values": {str(n): n for n in range(51)}}, "at most 50"),
        ({"id": "x", "values": {"a": 1}, "ts": -1}, "ts: must be at least 0"),
        ({"id": "x" * 65, "values": {"a": 1}}, "id: must have at most 64"),
        ({"id": "x", "values": {"a" * 129: 1}}, "at most 128"),
    ],
)
def test_orders_that_are_none(body: Any, words: str) -> None:
    with pytest.raises(BadValue, match=words):
        orders("KV", json.dumps(body).encode())


@given(st.binary(max_size=200), st.sampled_from(["NV", "KV"]))
def test_any_bytes_are_orders_or_refused(body: bytes, format: Format) -> None:
    try:
        assert orders(format, body)
    except BadValue as error:
        assert str(error)


def test_changes_are_of_value_or_quality() -> None:
    options = MqttOptions(server="b", up_topic="up", send="changes")
    selection = Selection(options, 0)
    samples = [
        Sample(1, t_ms, value, quality)
        for t_ms, value, quality in (
            (3, 2, GOOD),
            (1, 1, GOOD),
            (2, 1, GOOD),
            (4, None, OFFLINE),
            (5, 2, GOOD),
        )
    ]
    assert [one.t_ms for _, one in selection.feed(1, 9, samples)] == [1, 3, 4, 5]
    assert [one.t_ms for _, one in selection.feed(2, 9, [Sample(1, 6, 2), Sample(2, 6, 2)])] == [6]
    assert selection.needs_seq(2) == 2


def test_an_interval_gives_the_newest_sample_good_or_not() -> None:
    options = MqttOptions(server="b", up_topic="up", send="interval", interval_s=10, format="KV")
    selection = Selection(options, 0)
    first = [Sample(1, 1000, 1), Sample(1, 9000, None, OFFLINE), Sample(2, 2000, 5)]
    assert selection.feed(1, 0, first) == []
    assert selection.needs_seq(1) == 0
    made = selection.feed(2, 0, [Sample(1, 21_000, 3)])
    assert made == [(10_000, first[1]), (10_000, first[2])]
    assert (selection.needs_seq(2), selection.ended_ms) == (1, 10_000)
    [message] = messages_of(options, Naming(options, "g"), BOILER, made, repeat=False)
    assert isinstance(message, Message)
    assert json.loads(message.payload(options))["values"] == {"boiler.t": None, "boiler.p": 5}


def test_a_point_without_a_name_cannot_be_sent() -> None:
    options = MqttOptions(server="b", up_topic="up")
    made = list(messages_of(options, Naming(options, "g"), {}, [(1, Sample(9, 1, 1))], repeat=False))
    assert made == [Unsendable("point 9", "its name is not stored any more")]


def test_bad_values_are_null_or_left_out() -> None:
    made = {}
    for way in ("null", "omit"):
        options = MqttOptions(server="b", up_topic="up", bad_values=way)
        samples = [(1, Sample(1, 1, 7, Quality.STALE)), (1, Sample(2, 1, 8))]
        [message] = messages_of(options, Naming(options, "g"), BOILER, samples, repeat=False)
        assert isinstance(message, Message)
        made[way] = [(item["n"], item["v"]) for item in json.loads(message.payload(options))]
    assert made == {"null": [("boiler.t", None), ("boiler.p", 8)], "omit": [("boiler.p", 8)]}


def test_rate() -> None:
    rate = Rate(2.0, 3)
    assert [rate.admits(10.0) for _ in range(4)] == [True, True, True, False]
    assert [rate.admits(10.5), rate.admits(10.5)] == [True, False]
    assert [rate.admits(99.0) for _ in range(4)] == [True, True, True, False]
