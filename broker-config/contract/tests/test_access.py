"""The access rule: a table of requests, and the promise that no gateway reaches another."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from edge_contract.access import Action, Principal, Role, allowed, grants, well_formed
from edge_contract.topics import Message, topic

GATEWAY = Principal(Role.GATEWAY, "gw-1")
CLOUD = Principal(Role.SERVICE, "cloud")
PUBLISH, SUBSCRIBE = Action.PUBLISH, Action.SUBSCRIBE


@pytest.mark.clause("C-080")
@pytest.mark.parametrize("message", Message)
def test_a_gateway_uses_its_own_side_of_its_own_topics(message: Message) -> None:
    own, foreign = topic("gw-1", message), topic("gw-2", message)
    assert allowed(GATEWAY, PUBLISH, own) is message.from_gateway
    assert allowed(GATEWAY, SUBSCRIBE, own) is not message.from_gateway
    assert not allowed(GATEWAY, PUBLISH, foreign)
    assert not allowed(GATEWAY, SUBSCRIBE, foreign)


@pytest.mark.clause("C-080")
@pytest.mark.parametrize("message", Message)
def test_only_state_may_be_retained(message: Message) -> None:
    assert allowed(GATEWAY, PUBLISH, topic("gw-1", message), retain=True) is (message is Message.STATE)
    assert not allowed(CLOUD, PUBLISH, topic("gw-1", message), retain=True)


@pytest.mark.clause("C-080")
@pytest.mark.parametrize(
    ("filter_", "verdict"),
    [
        ("v1/gw-1/down/+", True),
        ("v1/gw-1/down/ack", True),
        ("v1/gw-1/down/#", False),
        ("v1/gw-1/down", False),
        ("v1/gw-1/down/+/+", False),
        ("v1/gw-1/+/ack", False),
        ("v1/gw-1/#", False),
        ("v1/+/down/+", False),
        ("v1/+/down/ack", False),
        ("+/gw-1/down/+", False),
        ("+/+/+/+", False),
        ("#", False),
        ("+", False),
        ("", False),
        ("/v1/gw-1/down/+", False),
        ("v1/gw-1/down/+/", False),
        ("v1/gw-10/down/+", False),
        ("v1/GW-1/down/+", False),
        ("$SYS/#", False),
        ("$SYS/broker/clients/+", False),
        ("$CONTROL/dynamic-security/v1", False),
        ("$share/g/v1/gw-1/down/+", False),
        ("$share/g/v1/+/up/+", False),
        ("$share/g/#", False),
        ("$queue/v1/gw-1/down/+", False),
    ],
)
def test_filters_of_a_gateway(filter_: str, verdict: bool) -> None:
    assert allowed(GATEWAY, SUBSCRIBE, filter_) is verdict


@pytest.mark.clause("C-080")
@pytest.mark.parametrize(
    "published",
    ["v1/+/state", "v1/gw-1/up/+", "v1/gw-1/#", "#", "v1/gw-1/up/unknown", "v1/gw-1/up/live/", "$SYS/x"],
)
def test_topics_that_nobody_publishes(published: str) -> None:
    assert not allowed(GATEWAY, PUBLISH, published)
    assert not allowed(CLOUD, PUBLISH, published)


@pytest.mark.clause("C-004")
@pytest.mark.parametrize("message", Message)
def test_the_cloud_uses_the_other_side(message: Message) -> None:
    assert allowed(CLOUD, PUBLISH, topic("gw-1", message)) is not message.from_gateway
    assert allowed(CLOUD, SUBSCRIBE, topic("gw-1", message)) is message.from_gateway


@pytest.mark.clause("C-004")
@pytest.mark.parametrize(
    ("action", "requested", "verdict"),
    [
        (SUBSCRIBE, "v1/+/up/+", True),
        (SUBSCRIBE, "v1/+/state", True),
        (SUBSCRIBE, "v1/+/up/#", False),
        (SUBSCRIBE, "v1/#", False),
        (SUBSCRIBE, "#", False),
        (SUBSCRIBE, "+/+/up/+", False),
        (SUBSCRIBE, "v1/+/down/+", False),
        (SUBSCRIBE, "$SYS/#", False),
        (PUBLISH, "v1/+/down/ack", False),
        (PUBLISH, "v1/gw-1/down/unknown", False),
    ],
)
def test_requests_of_the_cloud(action: Action, requested: str, verdict: bool) -> None:
    assert allowed(CLOUD, action, requested) is verdict


levels = st.sampled_from(
    ["v1", "gw-1", "gw-2", "up", "down", "state", "ack", "live", "+", "#", "", "$share", "g", "*"]
)
near_misses = st.tuples(  # a granted filter with levels replaced and a tail cut or added
    st.sampled_from(["v1", "+"]),
    st.sampled_from(["gw-1", "gw-2", "+", "#"]),
    st.sampled_from(["down", "up", "+", "#"]),
    st.sampled_from(["+", "ack", "#"]),
    st.sampled_from(["+", "#", ""]),
)
filters = st.one_of(
    st.lists(levels, min_size=1, max_size=6).map("/".join),
    st.tuples(near_misses, st.integers(1, 5)).map(lambda pair: "/".join(pair[0][: pair[1]])),
)
identities = st.one_of(
    st.sampled_from(["gw-1", "gw-2", "v1-", "down", "state"]),
    st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{2,39}", fullmatch=True),
)


def matches(filter_: str, published: str) -> bool:
    """Topic matching of MQTT 3.1.1 section 4.7, written down independently of the rule under test."""
    parts, names = filter_.split("/"), published.split("/")
    if parts[0] == "$share":
        parts = parts[2:]
    for index, part in enumerate(parts):
        if part == "#":
            return True
        if index >= len(names) or part not in ("+", names[index]):
            return False
    return len(parts) == len(names)


@pytest.mark.clause("C-080")
@given(filters, identities, identities, st.sampled_from(Message))
@settings(max_examples=400, deadline=None)
def test_no_granted_filter_reaches_another_gateway(
    filter_: str, mine: str, other: str, message: Message
) -> None:
    assume(mine != other)
    principal = Principal(Role.GATEWAY, mine)
    candidates = [filter_, *(grant.topic for grant in grants(principal) if grant.action is SUBSCRIBE)]
    for candidate in candidates:
        if allowed(principal, SUBSCRIBE, candidate):
            assert not matches(candidate, topic(other, message))
    assert not allowed(principal, PUBLISH, topic(other, message))


@pytest.mark.clause("C-081")
@pytest.mark.parametrize(
    ("username", "client_id", "verdict"),
    [
        ("gw-1", "gw-1", True),
        ("gw-1", "gw-2", False),
        ("gw-1", "", False),
        ("gw-1", None, False),
        (None, None, False),
        ("", "", False),
        ("+", "+", False),
        ("#", "#", False),
        ("a/b", "a/b", False),
        ("$SYS", "$SYS", False),
        ("gw-1\n", "gw-1\n", False),
        ("gw-1 ", "gw-1 ", False),
        ("gw-１", "gw-１", False),
    ],
)
def test_identities_of_a_connection(username: str | None, client_id: str | None, verdict: bool) -> None:
    assert well_formed(username, client_id) is verdict


@pytest.mark.clause("C-081")
@pytest.mark.parametrize("name", ["", "+", "#", "+/+", "{gateway}", "gw/1"])
def test_a_principal_without_an_identity_may_do_nothing(name: str) -> None:
    principal = Principal(Role.GATEWAY, name)
    for requested in ("v1/gw-1/down/+", f"v1/{name}/down/+", f"v1/{name}/state", "#"):
        assert not allowed(principal, SUBSCRIBE, requested)
        assert not allowed(principal, PUBLISH, requested)
