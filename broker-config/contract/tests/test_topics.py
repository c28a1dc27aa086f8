"""Topics: one spelling for each message, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_contract.errors import TopicError
from edge_contract.topics import CLOUD_FILTERS, Message, check_gateway, gateway_filter, parse, topic
from edge_contract.version import MAJOR, SPOKEN

identities = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{2,39}", fullmatch=True)


@pytest.mark.clause("C-001")
def test_the_topics() -> None:
    assert [topic("gw-1", message) for message in Message] == [
        "v1/gw-1/state",
        "v1/gw-1/up/hello",
        "v1/gw-1/up/catalog",
        "v1/gw-1/up/live",
        "v1/gw-1/up/history",
        "v1/gw-1/up/values",
        "v1/gw-1/up/pulse",
        "v1/gw-1/up/result",
        "v1/gw-1/up/receipt",
        "v1/gw-1/up/configuration",
        "v1/gw-1/up/collection",
        "v1/gw-1/up/evaluation",
        "v1/gw-1/up/events",
        "v1/gw-1/up/exchanged",
        "v1/gw-1/up/task_runs",
        "v1/gw-1/up/firmware",
        "v1/gw-1/up/traced",
        "v1/gw-1/up/tunnel",
        "v1/gw-1/down/welcome",
        "v1/gw-1/down/ack",
        "v1/gw-1/down/resend",
        "v1/gw-1/down/command",
        "v1/gw-1/down/deploy",
        "v1/gw-1/down/watch",
        "v1/gw-1/down/rules",
        "v1/gw-1/down/exchange",
        "v1/gw-1/down/tasks",
        "v1/gw-1/down/upgrade",
        "v1/gw-1/down/trace",
        "v1/gw-1/down/tunnel",
    ]


@pytest.mark.clause("C-001")
@given(identities, st.sampled_from(Message))
def test_a_topic_is_read_as_it_was_written(gateway: str, message: Message) -> None:
    assert parse(topic(gateway, message)) == (gateway, message)


@pytest.mark.clause("C-002")
@pytest.mark.parametrize("gateway", ["abc", "A-1", "0_0", "g" * 40])
def test_identities(gateway: str) -> None:
    assert check_gateway(gateway) == gateway


@pytest.mark.clause("C-002")
@pytest.mark.parametrize(
    "gateway",
    [
        "",
        "ab",
        "g" * 41,
        "-abc",
        "_abc",
        "a/b",
        "a+b",
        "+++",
        "a#b",
        "a b",
        "abc\n",
        "abc\0",
        "网关一",
        "١٢٣",
        "$SYS",
    ],
)
def test_no_identities(gateway: str) -> None:
    with pytest.raises(TopicError) as caught:
        topic(gateway, Message.STATE)
    assert caught.value.field == "gateway"


@pytest.mark.clause("C-003")
@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("", "topic"),
        ("v2/gw-1/state", "topic"),
        ("v1", "gateway"),
        ("v1//state", "gateway"),
        ("v1/+/state", "gateway"),
        ("v1/gw-1", "topic"),
        ("v1/gw-1/", "topic"),
        ("v1/gw-1/up", "topic"),
        ("v1/gw-1/up/hello/", "topic"),
        ("v1/gw-1/up/Hello", "topic"),
        ("v1/gw-1/up/unknown", "topic"),
        ("/v1/gw-1/state", "topic"),
        ("$SYS/broker/version", "topic"),
    ],
)
def test_foreign_topics(text: str, field: str) -> None:
    with pytest.raises(TopicError) as caught:
        parse(text)
    assert caught.value.field == field
    assert caught.value.rule


@pytest.mark.clause("C-004")
def test_directions() -> None:
    down = {message for message in Message if not message.from_gateway}
    assert down == {
        Message.WELCOME,
        Message.ACK,
        Message.RESEND,
        Message.COMMAND,
        Message.DEPLOY,
        Message.WATCH,
        Message.RULES,
        Message.EXCHANGE,
        Message.TASKS,
        Message.UPGRADE,
        Message.TRACE,
        Message.TUNNEL_DOWN,
    }
    assert gateway_filter().format(gateway="gw-1") == "v1/gw-1/down/+"
    assert CLOUD_FILTERS == ("v1/+/up/+", "v1/+/state")


@pytest.mark.clause("C-010")
def test_the_major_version_is_the_first_level() -> None:
    assert {topic("gw-1", message).split("/")[0] for message in Message} == {f"v{MAJOR}"}
    assert SPOKEN[0] <= MAJOR <= SPOKEN[1]
