"""What a request really changed: told by services, kept in the row."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from cloud.core.changes import RecordChange, listening, record_change
from cloud.core.masking import MASK, MAX_BYTES

from ..tenants import signed_in
from .test_every_operation import rows

FIELDS = st.dictionaries(
    st.text(max_size=8), st.one_of(st.integers(0, 3), st.text(max_size=300)), max_size=40
)


def test_only_what_differs() -> None:
    change = RecordChange({"a": 1, "b": [1], "gone": 0}, {"a": 1, "b": [2], "new": None}, {"name": "x"})
    assert change.differences() == {
        "name": "x", "before": {"b": [1], "gone": 0}, "after": {"b": [2], "new": None}
    }  # fmt: skip
    assert RecordChange({"a": 1}, {"a": 1}).differences() == {"before": {}, "after": {}}


def test_a_secret_shows_that_it_changed_and_no_more() -> None:
    shown = RecordChange(
        {"pw": "one", "n": {"api_key": "two"}}, {"pw": "six", "n": {"api_key": "ten"}}
    ).differences()
    assert shown == {side: {"pw": MASK, "n": {"api_key": MASK}} for side in ("before", "after")}
    named = RecordChange({"value": "one"}, {"value": "two"}, {"name": "mqtt_password"}).differences()
    assert "one" not in str(named) and "two" not in str(named)


@given(FIELDS, FIELDS)
def test_bounded_and_honest(before: dict[str, Any], after: dict[str, Any]) -> None:
    shown = RecordChange(before, after).differences()
    assert len(json.dumps(shown, ensure_ascii=False).encode()) <= MAX_BYTES
    assert not any(
        before.get(name, after) == after.get(name, before) for name in shown["before"] if name != "…"
    )


async def test_tasks_below_tell_the_same_listener_and_others_do_not() -> None:
    record_change({"a": 1}, {})  # nobody listens

    async def request(number: int) -> object:
        with listening() as heard:
            await asyncio.sleep(0)
            await asyncio.create_task(work(number))
        record_change({"late": 1}, {})
        return heard.change

    async def work(number: int) -> None:
        await asyncio.sleep(0)
        record_change({"n": 0}, {"n": number})

    found = await asyncio.gather(*(request(number) for number in range(5)))
    assert found == [RecordChange({"n": 0}, {"n": number}) for number in range(5)]


def changed(client: TestClient, verb: str, path: str, body: Any = None, name: str = "platform-x") -> Any:
    """What the row of this request keeps, and the reply's data."""
    reply = client.request(verb, f"/api/v1{path}", headers=signed_in(client, name), json=body)
    (row,) = [row for row in rows(client) if row["request_id"] == reply.headers["X-Request-Id"]]
    return row["changes"], reply.json()["data"]


def both(before: dict[str, Any], after: dict[str, Any], **of: str) -> dict[str, Any]:
    return {**of, "before": before, "after": after}


def test_users_groups_and_rules(client: TestClient) -> None:
    sent, made = changed(client, "POST", "/auth/user", {"user_name": "told", "user_type": 3, "remark": "r"})
    assert sent == {"user_name": "told", "user_type": 3, "remark": "r"}  # of something new, what was sent
    user = f"/auth/user/{made['user_id']}"
    kept, _ = changed(client, "PUT", user, {"remark": "s", "phone": "", "user_expire": 5})
    assert kept == both({"user_expire": None, "remark": "r"}, {"user_expire": 5, "remark": "s"})
    assert changed(client, "PUT", user, {"remark": "s"})[0] == both({}, {})
    assert changed(client, "POST", f"{user}/status", {"status": 0})[0] == both({"status": 1}, {"status": 0})
    assert changed(client, "PUT", user, {"group_id": 999})[0] == {"group_id": 999}  # refused: nothing changed
    kept, _ = changed(client, "DELETE", user)
    assert (kept["before"]["user_name"], kept["before"]["remark"], kept["after"]) == ("told", "s", {})
    kept, _ = changed(client, "PUT", "/auth/user/me", {"phone": "+86 1", "email": ""})
    assert kept == both({"phone": ""}, {"phone": "+86 1"})
    group = {"title": "told", "user_type": 3, "permissions": ["Event"], "remark": ""}
    _, made = changed(client, "POST", "/auth/group", group)
    place = f"/auth/group/{made['group_id']}"
    assert changed(client, "PUT", place, group | {"title": "new"})[0] == both(
        {"title": "told"}, {"title": "new"}
    )
    assert changed(client, "DELETE", place)[0]["before"]["title"] == "new"
    rule: dict[str, Any] = {"types": [0, 1], "enabled": True}
    changed(client, "PUT", "/dict", {"key": "CDCF", "value": {"rl": 1}})  # else there are no rules
    changed(client, "PUT", "/auth/rule/Event", rule)
    kept, _ = changed(client, "PUT", "/auth/rule/Event", rule | {"types": None})
    changed(client, "PUT", "/dict", {"key": "CDCF", "value": {}})
    assert kept == both({"types": "01"}, {"types": None})


def test_options_looks_and_gateways(client: TestClient) -> None:
    kept, _ = changed(client, "PUT", "/dict", {"key": "CDCF", "value": {"ot": 1}})
    assert kept == both({"ot": 0}, {"ot": 1}, key="CDCF")
    changed(client, "PUT", "/dict", {"key": "CDCF", "value": {"ot": 0}})
    body = {"name": "user_config", "value": []}
    changed(client, "PUT", "/user/option", body, "factory-y")
    assert changed(client, "PUT", "/user/option", body, "factory-y")[0] == both({}, {}, name="user_config")
    changed(client, "PUT", "/customize/told.example", {"icp": "1"})
    kept, _ = changed(client, "PUT", "/customize/told.example", {"icp": "2"})
    assert kept == both({"icp": "1"}, {"icp": "2"})
    kept, _ = changed(client, "DELETE", "/customize/told.example")
    assert (kept["before"]["icp"], kept["after"]) == ("2", {})
    before = client.get("/api/v1/device/1", headers=signed_in(client, "platform-x")).json()["data"]
    kept, _ = changed(client, "PUT", "/device/1", {"device_title": "Told"})
    assert kept == both({"device_title": before["device_title"]}, {"device_title": "Told"})
    changed(client, "PUT", "/device/1", {"device_title": before["device_title"]})


def test_who_only_looks_leaves_no_row(client: TestClient) -> None:
    headers = signed_in(client, "platform-x")
    reply = client.get("/api/v1/device/rproxy/1?mode=status", headers=headers)
    assert reply.status_code == 200
    refused = client.get("/api/v1/device/rproxy/1?mode=open", headers=headers)
    kept = [row["request_id"] for row in rows(client)]
    assert refused.headers["X-Request-Id"] in kept and reply.headers["X-Request-Id"] not in kept
