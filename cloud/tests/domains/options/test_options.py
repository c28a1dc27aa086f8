"""Options by name: forms, defaults, who may change them, and that the cloud configuration counts at once."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from cloud.db import Database
from cloud.domains.identity.flags import FlagReader
from cloud.domains.identity.permissions import CloudFlags
from cloud.domains.options.addresses import address
from cloud.domains.options.models import UserOption
from cloud.domains.options.schemas import AlarmLevelsOption, CloudConfig, NotificationsOption
from cloud.domains.options.service import OptionService
from cloud.errors import NoPermission

from ...conftest import Clock
from ..tenants import signed_in, tree

ICON = "/api/v1/file/" + "a" * 64


@pytest.mark.parametrize(
    "text",
    [
        "/", "/alarm/alarmlog?page=1#x", "http://a", "https://a.example:8443/x?y=1", "HTTPS://A.example",
        "https://例子.example/路径", "http://[::1]:80/", "/" + "x" * 499,
    ],
)  # fmt: skip
def test_addresses_that_a_browser_may_follow(text: str) -> None:
    assert address(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "", "x", "javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "//evil.example",
        "/\\evil.example", "\\\\evil", "https:/a.example", "https:///x", "http:", "ftp://a",
        "file:///etc/passwd", " /x", "/x y", "/\tx", "java\nscript:x", "https://u:p@a.example",
        "https://u@a.example", "http://[::1", "/" + "x" * 500, "vbscript:x", "blob:https://a",
        "/\u0000", "http\\://a",
    ],
)  # fmt: skip
def test_addresses_that_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"address|Invalid"):
        address(text)


@given(st.text(max_size=60))
def test_no_address_starts_anything_but_a_page(text: str) -> None:
    try:
        kept = address(text)
    except ValueError:
        return
    if kept.startswith("/"):
        assert not kept.startswith(("//", "/\\"))
    else:
        assert kept.lower().startswith(("http://", "https://"))


async def test_defaults_and_changes(database_url: str) -> None:
    database = Database(database_url)
    users = await tree(database)
    told: list[int] = []
    options = OptionService(database, lambda: told.append(1), clock=Clock())
    admin, factory = users["platform-x"], users["factory-x"]
    assert (await options.option("alarm_levels")).value == []
    assert await FlagReader(database).flags() == CloudFlags(0, 0, 0, 0)
    for levels in ([{"id": 201, "title": "Fire", "color": "#f00"}], []):
        body = AlarmLevelsOption.model_validate({"value": levels})
        await options.put_option(admin, body)
        assert await options.option("alarm_levels") == body
    with pytest.raises(NoPermission):
        await options.put_option(factory, AlarmLevelsOption())
    with pytest.raises(NoPermission):
        await options.put_cloud_config(factory, CloudConfig(rl=1))
    assert told == []
    await options.put_cloud_config(admin, CloudConfig(ot=1, rg=1))
    assert (await FlagReader(database).flags(), told) == (CloudFlags(1, 0, 0, 1), [1])
    default = (await options.user_option(factory, "notifications")).value
    assert default.model_dump() == {  # type: ignore[union-attr]
        "alarm": False, "onoff": False, "alarmTone": True, "onoffTone": False,
    }  # fmt: skip
    changed = NotificationsOption.model_validate({"value": {"alarm": True}})
    await options.put_user_option(factory, changed)
    assert await options.user_option(factory, "notifications") == changed
    assert (await options.user_option(admin, "notifications")).value == default  # each has his own
    await database.close()


async def test_a_kept_value_that_no_longer_fits_counts_as_default(database_url: str) -> None:
    database = Database(database_url)
    user = (await tree(database))["factory-x"]
    options = OptionService(database, clock=Clock())
    row = {"name": "notifications", "value": {"old": 1}, "changed_ms": 0, "user_id": user.id}
    await options._put(UserOption, row)
    assert await options.user_option(user, "notifications") == NotificationsOption()
    await database.close()


def put(client: TestClient, path: str, body: Any, name: str = "platform-x") -> tuple[int, Any]:
    reply = client.put(f"/api/v1/{path}", headers=signed_in(client, name), json=body)
    return reply.status_code, reply.json()["data"]


def get(client: TestClient, path: str, name: str = "platform-x") -> Any:
    return client.get(f"/api/v1/{path}", headers=signed_in(client, name)).json()["data"]


def test_unknown_names_and_broken_values_name_field_and_rule(client: TestClient) -> None:
    level = {"id": 1, "title": "x", "color": "#fff"}
    for path, body, field in (
        ("option", {"name": "smtp", "value": {}}, "body"),
        ("option", {"name": "user_config", "value": []}, "body"),
        ("option", {"name": "alarm_levels", "value": [{**level, "color": "red"}]}, "color"),
        ("option", {"name": "alarm_levels", "value": [{**level, "id": 0}]}, "id"),
        ("option", {"name": "alarm_levels", "value": [{**level, "more": 0}]}, "more"),
        ("option", {"name": "alarm_levels", "value": [level, level]}, "alarm_levels"),
        ("option", {"name": "alarm_levels", "value": [{**level, "id": n} for n in range(1, 53)]}, "value"),
        ("option", {"name": "links", "value": {"ota": "javascript:alert(1)"}}, "ota"),
        ("option", {"name": "links", "value": {"ota_hosts": ["a b"]}}, "0"),
        ("dict", {"key": "other", "value": {}}, "key"),
        ("dict", {"key": "CDCF", "value": {"ot": 2}}, "ot"),
        ("dict", {"key": "CDCF", "value": {"xx": 1}}, "xx"),
        ("user/option", {"name": "theme", "value": {}}, "body"),
        ("user/option", {"name": "user_config", "value": [{"url": "data:x", "text": "x"}]}, "url"),
        ("user/option", {"name": "user_config", "value": [{"url": "/", "text": ""}]}, "text"),
        ("user/option", {"name": "user_config", "value": [{"url": "/", "text": "x", "icon": "//a"}]}, "icon"),
        ("user/option", {"name": "notifications", "value": {"alarm": "loud"}}, "alarm"),
    ):
        status, problem = put(client, path, body)
        assert (status, problem["field"].split(".")[-1]) == (400, field), (path, body, problem)
        assert problem["rule"]
    for path in ("option?name=smtp", "user/option?name=alarm_levels", "dict?key=CDC"):
        assert get(client, path)["field"] in {"name", "key"}


def test_options_over_http(client: TestClient) -> None:
    level = {"id": 201, "title": "火警", "color": "rgb(1, 2, 3)"}
    assert put(client, "option", {"name": "alarm_levels", "value": [level]}) == (200, None)
    assert get(client, "option?name=alarm_levels", "person-x") == {"name": "alarm_levels", "value": [level]}
    assert put(client, "option", {"name": "links", "value": {"ota": "https://ota.example/"}})[0] == 200
    links = get(client, "option?name=links", "factory-x")["value"]
    assert links == {"ota": "https://ota.example/", "flow": "", "gis": "", "screen": "", "ota_hosts": []}
    for path, body in (("option", {"name": "links", "value": {}}), ("dict", {"key": "CDCF", "value": {}})):
        assert put(client, path, body, "factory-x")[0] == 403
    for name in ("alarm_levels", "links"):
        put(client, "option", {"name": name})


def test_quick_entries_keep_their_order(client: TestClient) -> None:
    entries = [
        {"url": "/b", "text": "b", "icon": "bell", "newWindow": False, "position": 9},
        {"url": "https://a.example", "text": "a", "icon": ICON, "newWindow": True, "position": 2},
    ]
    status, kept = put(client, "user/option", {"name": "user_config", "value": entries}, "factory-x")
    assert status == 200
    assert [(entry["url"], entry["position"]) for entry in kept["value"]] == [
        ("https://a.example", 0),
        ("/b", 1),
    ]
    assert get(client, "user/option?name=user_config", "factory-x") == kept
    assert get(client, "user/option?name=user_config", "factory-y")["value"] == []
    assert ICON in client.portal.call(client.app.state.services[OptionService].icons)  # type: ignore[attr-defined, union-attr]


def test_an_option_of_a_user_is_bounded(client: TestClient) -> None:
    table = {"order": [f"column-{n}" for n in range(100)], "hidden": [], "widths": {}}
    value = {"devices": table}
    assert put(client, "user/option", {"name": "columns", "value": value}, "factory-x")[0] == 200
    assert get(client, "user/option?name=columns", "factory-x")["value"] == value
    value = {f"table-{n}": table for n in range(100)}
    status, problem = put(client, "user/option", {"name": "columns", "value": value}, "factory-x")
    assert (status, problem["field"], problem["rule"]) == (400, "value", "at most 16384 bytes as JSON")


def test_marked_points_are_a_users_own(client: TestClient) -> None:
    most = [{"dsid": n, "device_id": 1, "label": "锅" * 100} for n in range(1, 41)]
    body = {"name": "history_points", "value": most}
    assert put(client, "user/option", body, "factory-x") == (200, body)
    assert get(client, "user/option?name=history_points", "factory-x") == body
    assert get(client, "user/option?name=history_points", "factory-y")["value"] == []
    for wrong in (
        most + most[:1],
        [{**most[0], "label": "x" * 101}],
        [{**most[0], "dsid": 0}],
        [{"dsid": 1}],
    ):
        assert put(client, "user/option", body | {"value": wrong}, "factory-x")[0] == 400


def test_views_of_a_list_are_addresses_under_a_name(client: TestClient) -> None:
    views = [{"title": "离线", "query": "status=offline&columns=title%2Cimei"}]
    assert put(client, "user/option", {"name": "device_views", "value": views}, "factory-x")[0] == 200
    assert get(client, "user/option?name=device_views", "factory-x")["value"] == views
    assert get(client, "user/option?name=device_views", "factory-y")["value"] == []
    assert get(client, "user/option?name=monitor_views", "factory-x")["value"] == []
    for wrong in ({"title": "", "query": ""}, {"title": "a", "query": "x#y"}, {"title": "a", "query": "x y"}):
        assert put(client, "user/option", {"name": "device_views", "value": [wrong]}, "factory-x")[0] == 400


def test_the_cloud_configuration_counts_with_the_next_call(client: TestClient) -> None:
    def has(code: str) -> bool:
        return code in get(client, "auth/user/authList")

    put(client, "dict", {"key": "CDCF", "value": {}})
    assert not has("OtaManager") and not has("auth.Rule")
    assert put(client, "dict", {"key": "CDCF", "value": {"ot": 1, "rl": 1}}) == (200, None)
    assert has("OtaManager") and has("auth.Rule")
    assert get(client, "dict?key=CDCF", "person-x") == {
        "ot": 1, "rl": 1, "ss": 0, "rg": 0, "announced": 0
    }  # fmt: skip
    put(client, "dict", {"key": "CDCF", "value": {}})
    assert not has("OtaManager")
