"""Messages among the processes of one cloud: who may use their topic, and what they must hold."""

from __future__ import annotations

import pytest

from edge_contract.access import Action, Principal, Role, allowed
from edge_contract.errors import PayloadError, TopicError
from edge_contract.payloads import decode, encode
from edge_contract.push import (
    MAX_NOTICE_POINTS,
    MAX_PUSH_ROWS,
    NEEDED,
    NOTICE_EXPIRES_S,
    NOTICE_S,
    PUSH_TOPIC,
    Push,
    PushKind,
)
from edge_contract.topics import parse

PROCESS = "0123456789abcdef"
CLOUD, GATEWAY = Principal(Role.SERVICE, "cloud"), Principal(Role.GATEWAY, "gw-1")
WHOLE: dict[str, object] = {
    "device": 1, "rows": [(1, 2, 3.5, 0)], "message": {"type": "x"}, "permission": "Event", "user": 1,
    "sign_in": "a",
}  # fmt: skip


@pytest.mark.clause("C-110")
@pytest.mark.parametrize("action", Action)
def test_only_services_use_the_topic(action: Action) -> None:
    assert PUSH_TOPIC == "edge/v1/cloud/push"
    assert allowed(CLOUD, action, PUSH_TOPIC)
    assert not allowed(CLOUD, action, PUSH_TOPIC, retain=True)
    assert not allowed(GATEWAY, action, PUSH_TOPIC)
    for wider in ("edge/v1/cloud/+", "edge/#", "edge/v1/+/push", "#", f"$share/g/{PUSH_TOPIC}"):
        assert not allowed(GATEWAY, action, wider)
        assert not allowed(CLOUD, action, wider)


@pytest.mark.clause("C-110", "C-001")
@pytest.mark.parametrize("name", ["edge", "cloud", "v1-cloud"])
def test_no_gateway_is_called_so_that_its_topics_are_this_one(name: str) -> None:
    assert not allowed(Principal(Role.GATEWAY, name), Action.PUBLISH, PUSH_TOPIC)
    with pytest.raises(TopicError):
        parse(PUSH_TOPIC)


@pytest.mark.clause("C-112")
def test_a_notice_outlives_one_that_was_lost() -> None:
    assert (NOTICE_S, NOTICE_EXPIRES_S) == (10, 25)
    assert NOTICE_EXPIRES_S > 2 * NOTICE_S


@pytest.mark.parametrize("kind", PushKind)
def test_every_kind_says_which_field_it_lacks(kind: PushKind) -> None:
    fields = {name: WHOLE[name] for name in NEEDED.get(kind, ())}
    message = Push(process=PROCESS, kind=kind, **fields)  # type: ignore[arg-type]
    assert decode(Push, encode(message)) == message
    for name in fields:
        less = {other: value for other, value in fields.items() if other != name}
        with pytest.raises(ValueError, match=f"{name} is needed"):
            Push(process=PROCESS, kind=kind, **less)  # type: ignore[arg-type]


def test_sizes_are_bounded() -> None:
    most = Push(
        process=PROCESS, kind=PushKind.NOTICE, clients=1, points=list(range(1, MAX_NOTICE_POINTS + 1))
    )
    assert decode(Push, encode(most)) == most
    rows = b",".join([b"[1,1,1,0]"] * (MAX_PUSH_ROWS + 1))
    with pytest.raises(PayloadError) as caught:
        decode(Push, b'{"process":"%b","kind":"values","device":1,"rows":[%b]}' % (PROCESS.encode(), rows))
    assert caught.value.field == "rows"
