"""Input that is read for something else than was meant: refused or told, with field and rule."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import World


def ask(world: World, verb: str, url: str, body: Any) -> Any:
    return world.ask("admin", {"method": verb, "url": f"/api/v1{url}", "json": body})


@pytest.mark.parametrize("wrong", [True, "3", 3.0])
@pytest.mark.parametrize("resource", ["devices", "projects"])
def test_a_limit_is_a_number(world: World, resource: str, wrong: Any) -> None:
    body = {"user_name": "limited", "user_type": 3, "limits": {resource: wrong}}
    someone = world.alpha.ids["user_id"]
    for verb, url, sent in (
        ("POST", "/auth/user", body),
        ("PUT", f"/auth/user/{someone}", {"limits": {resource: wrong}}),
    ):
        reply = ask(world, verb, url, sent)
        told = reply.json()["data"]
        assert reply.status_code == 400, reply.text
        assert told["field"] == f"limits.{resource}"
        assert told["rule"] == "Input should be a valid integer"
        assert told["reason"] == "constraint.whole"


@pytest.mark.parametrize(
    ("host", "code"),
    [
        ("127.0.0.1; rm -rf", "host_blanks"),
        ("http://10.0.0.7", "host_alone"),
        ("10..7", "host_labels"),
        ("plc-1", None),
    ],
)
def test_the_host_of_a_port_is_judged_as_the_gateway_does(world: World, host: str, code: str | None) -> None:
    name = f"lan-{code or 'good'}".replace("_", "-")
    body = {"name": name, "type": "NET", "ip": host, "port": 502}
    device = world.alpha.ids["device_id"]
    saved = ask(world, "POST", f"/device/{device}/port", body).json()["data"]
    told = [(fault["field"], fault["code"]) for fault in saved["faults"] if fault["name"] == name]
    assert told == ([] if code is None else [("ip", code)])
    world.ask("admin", {"method": "DELETE", "url": f"/api/v1/device/{device}/port/{name}"})
