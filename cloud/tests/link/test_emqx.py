"""EMQX's requests, replayed, and what 5.8 makes of each answer. No EMQX runs here.

test_real_emqx.py compares what is replayed with what a real one sends.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest
from fastapi import FastAPI

from cloud.link.brokers.emqx import PATH, router
from cloud.link.link import service_authenticate
from edge_contract.access import Action, Principal, Role, allowed
from edge_contract.topics import Message, topic

from .equipment import SERVICE, SERVICE_PASSWORD

SECRET = "a-secret-of-32-characters-or-more"
GW, PASSWORD = "gw-alpha", "secret-a"

# What EMQX 5.8.9 sends besides host and content-length: the configured headers, which replace its own.
HEADERS = {"content-type": "application/json", "x-emqx-secret": SECRET}


def body(**changes: str) -> dict[str, str]:
    """The rendered body; an undefined placeholder is the empty string."""
    rendered = {"username": GW, "password": PASSWORD, "clientid": GW, "peerhost": "10.0.0.9"}
    return rendered | changes


def taken(answer: httpx.Response) -> str:
    """allow, deny or ignore: how 5.8 reads an answer. An exhausted chain of "ignore" is not_authorized."""
    if answer.status_code == 204:
        return "allow"
    if answer.status_code != 200 or "json" not in answer.headers["content-type"]:
        return "ignore"
    result = answer.json().get("result")
    return result if result in ("allow", "deny") else "ignore"


@pytest.fixture
async def emqx() -> AsyncIterator[httpx.AsyncClient]:
    async def authenticate(username: str, password: str) -> Principal | None:
        if username == "gw-explodes":
            raise RuntimeError("the database is away")
        return Principal(Role.GATEWAY, username) if (username, password) == (GW, PASSWORD) else None

    app = FastAPI()
    app.include_router(router(service_authenticate(SERVICE, SERVICE_PASSWORD, authenticate), SECRET))
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://cloud") as client:
        client.headers = httpx.Headers(HEADERS)  # instead of the client's own
        yield client


REFUSED: list[tuple[str, dict[str, str]]] = [
    ("wrong password", body(password="wrong")),
    ("no password", body(password="")),
    ("unknown", body(username="gw-other", clientid="gw-other")),
    ("another client id", body(clientid="gw-beta")),
    ("no client id", body(clientid="")),
    ("anonymous", body(username="", password="", clientid="gw-alpha")),
    *(
        (f"wildcard {name}", body(username=name, clientid=name))
        for name in ("+", "#", "gw/+", "gw/x", "$SYS", "g w")
    ),
    ("control character", body(username="gw\n", clientid="gw\n")),
    ("the service with a wrong password", body(username=SERVICE, clientid=SERVICE)),
    ("failure inside", body(username="gw-explodes", clientid="gw-explodes")),
]


@pytest.mark.clause("C-085", "C-081", "C-084")
@pytest.mark.parametrize(("why", "request_body"), REFUSED, ids=[why for why, _ in REFUSED])
@pytest.mark.parametrize("form", [False, True], ids=["json", "form"])
async def test_refused(emqx: httpx.AsyncClient, why: str, request_body: dict[str, str], form: bool) -> None:
    answer = await ask(emqx, request_body, form)
    assert taken(answer) == "deny"
    assert answer.json() == {"result": "deny"}


async def ask(client: httpx.AsyncClient, request_body: dict[str, str], form: bool = False) -> httpx.Response:
    if form:
        content, kind = urlencode(request_body), "application/x-www-form-urlencoded"
        return await client.post(PATH, content=content, headers={"content-type": kind})
    return await client.post(PATH, json=request_body)


@pytest.mark.clause("C-085")
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"x"',
        b'{"username": 1}',
        b"\xff\xfe",
        b'{"username": null}',
        b"x" * 20_000,
    ],
)
async def test_what_is_no_request_is_refused(emqx: httpx.AsyncClient, content: bytes) -> None:
    for kind in ("application/json", "application/x-www-form-urlencoded", "text/plain"):
        answer = await emqx.post(PATH, content=content, headers={"content-type": kind})
        assert taken(answer) == "deny"


@pytest.mark.clause("C-085")
@pytest.mark.parametrize("secret", ["", "wrong", SECRET + "x", SECRET[:-1], "ä"])
async def test_only_emqx_may_ask(emqx: httpx.AsyncClient, secret: str) -> None:
    answer = await emqx.post(PATH, json=body(), headers={"x-emqx-secret": secret.encode()})
    assert answer.status_code == 401
    assert taken(answer) == "ignore"  # which ends the chain: not_authorized
    del emqx.headers["x-emqx-secret"]
    assert (await emqx.post(PATH, json=body())).status_code == 401


def test_a_short_secret_is_refused_at_the_start() -> None:
    async def nobody(*_: str) -> None:
        return None

    with pytest.raises(ValueError, match="emqx_secret_file"):
        router(nobody, "short")


@pytest.mark.clause("C-080", "C-082")
@pytest.mark.parametrize("form", [False, True], ids=["json", "form"])
async def test_a_gateway_gets_its_list(emqx: httpx.AsyncClient, form: bool) -> None:
    answer = await ask(emqx, body(), form)
    assert taken(answer) == "allow"
    got = answer.json()
    assert got["is_superuser"] is False
    check_rules(got["acl"])
    principal = Principal(Role.GATEWAY, GW)
    for gateway in (GW, "gw-beta"):
        for message in Message:
            name = topic(gateway, message)
            for retain in (False, True):
                want = allowed(principal, Action.PUBLISH, name, retain=retain)
                assert decide(got["acl"], "publish", name, retain) is want, (name, retain)
            assert decide(got["acl"], "subscribe", name) is allowed(principal, Action.SUBSCRIBE, name)
    own = f"v1/{GW}/down/+"
    assert decide(got["acl"], "subscribe", own)
    for item in ("#", "+/#", "v1/+/down/+", f"v1/{GW}/#", "v1/gw-beta/down/+", "$SYS/#", f"v1/{GW}/down/#"):
        assert not decide(got["acl"], "subscribe", item)


@pytest.mark.clause("C-004", "C-082")
async def test_the_cloud_gets_its_list(emqx: httpx.AsyncClient) -> None:
    answer = await ask(emqx, body(username=SERVICE, password=SERVICE_PASSWORD, clientid=SERVICE))
    rules = answer.json()["acl"]
    check_rules(rules)
    assert decide(rules, "subscribe", "v1/+/up/+")
    assert decide(rules, "subscribe", "v1/+/state")
    assert decide(rules, "publish", topic(GW, Message.COMMAND))
    assert not decide(rules, "publish", topic(GW, Message.STATE))
    assert not decide(rules, "publish", topic(GW, Message.ACK), retain=True)
    assert not decide(rules, "subscribe", "#")


def check_rules(rules: list[dict[str, Any]]) -> None:
    """A rule that 5.8 cannot parse makes it refuse the connection."""
    assert rules[-1] == {"permission": "deny", "action": "all", "topics": ["#", "$SYS/#"]}
    for rule in rules[:-1]:
        assert set(rule) <= {"permission", "action", "topic", "qos", "retain"}
        assert rule["permission"] == "allow"
        assert rule["action"] in ("publish", "subscribe")
        assert rule["qos"] == [0, 1]
        assert ("retain" in rule) is (rule["action"] == "publish")
        assert rule.get("retain", False) in (False, "all")
        assert "${" not in rule["topic"]  # nothing that EMQX would fill in


def decide(rules: list[dict[str, Any]], action: str, name: str, retain: bool = False) -> bool:
    """First rule that matches decides, as EMQX does it; none: no_match=deny."""
    for rule in rules:
        if rule["action"] not in (action, "all"):
            continue
        if action == "publish" and rule.get("retain", "all") not in ("all", retain):
            continue
        for item in rule.get("topics") or [rule["topic"]]:
            if item == f"eq {name}" or (not item.startswith("eq ") and matches(item, name)):
                return bool(rule["permission"] == "allow")
    return False


def matches(topic_filter: str, name: str) -> bool:
    """emqx_topic:match: words of the name are compared as they stand, wildcards in it included."""
    if name.startswith("$") and topic_filter[0] in "+#":
        return False
    have, want = topic_filter.split("/"), name.split("/")
    for i, word in enumerate(have):
        if word == "#":
            return True
        if i >= len(want) or (word not in ("+", want[i])):
            return False
    return len(have) == len(want)


CONF = Path(__file__).parents[3] / "broker-config" / "emqx" / "emqx.conf"


@pytest.mark.clause("C-085")
def test_the_configuration_fails_closed() -> None:
    """Read as text: what must be in it so that a cloud that is away admits nobody."""
    if not CONF.is_file():
        pytest.skip("broker-config/emqx/emqx.conf is not there")
    lines = (line.split("#")[0] for line in CONF.read_text().splitlines() if not line.strip().startswith("#"))
    text = re.sub(r"\s*([={}\[\],])\s*", r"\1", " ".join(" ".join(lines).split()))
    assert re.search(r"\bno_match=\"?deny", text)
    assert "X-Emqx-Secret" in CONF.read_text()  # its value comes from the environment
    assert PATH in text
    assert re.search(r"\bmechanism=\"?password_based", text)
    assert not re.search(r"enable_authn=\"?false", text)
    for name in ("username", "password", "clientid"):
        assert "${" + name + "}" in text
