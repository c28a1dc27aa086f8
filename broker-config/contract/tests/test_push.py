"""Messages among the processes of one cloud: who may use their topic, and what they must hold."""

from __future__ import annotations

import json

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
COMPLETE: dict[str, object] = {
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
    fields = {name: COMPLETE[name] for name in NEEDED.get(kind, ())}
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


@pytest.mark.parametrize(
    ("field", "good", "bad"),
    [
        ("clients", [0, 1_000_000], [-1, 1_000_001]),
        ("device", [1, 2**31 - 1], [0, 2**31]),
        ("user", [1, 2**31 - 1], [0, 2**31]),
        ("points", [[1, 2**31 - 1], [1] * 20_000], [[0], [2**31], [1] * 20_001]),
        ("shared_with", [[1] * 1000], [[1] * 1001, [0]]),
        (
            "rows",
            [[[1, 0, 1.5, 255]], [[1, 0, None, 0]] * 2000],
            [[[1, 0, 1.5, 256]], [[0, 0, 1, 0]], [[1, -1, 1, 0]]],
        ),
        ("permission", ["x" * 64], ["x" * 65]),
        ("sign_in", ["x" * 64], ["x" * 65]),
        ("owner_path", ["x" * 400], ["x" * 401]),
    ],
)
def test_every_field_has_its_bounds(field: str, good: list[object], bad: list[object]) -> None:
    for value in good:
        message = {"process": PROCESS, "kind": "notice", field: value}
        found = getattr(decode(Push, json.dumps(message).encode()), field)
        assert json.loads(json.dumps(found)) == value
    for value in bad:
        with pytest.raises(PayloadError) as caught:
            decode(Push, json.dumps({"process": PROCESS, "kind": "notice", field: value}).encode())
        assert caught.value.field.startswith(field)


def test_what_is_left_out_is_nothing() -> None:
    message = Push(process=PROCESS, kind=PushKind.ASK)
    assert (message.clients, message.points, message.every_point, message.device) == (0, [], False, None)
    assert (message.rows, message.message, message.shared_with, message.user) == ([], {}, [], None)


def test_the_numbers_that_all_services_keep_to() -> None:
    assert (MAX_NOTICE_POINTS, MAX_PUSH_ROWS, NOTICE_S, NOTICE_EXPIRES_S) == (20_000, 2000, 10, 25)
