"""Every user type and every operation of the API: allowed or refused exactly as the tables say.

What was found is kept in test-output/permissions.csv, beside the routes that the portal's tests put there.
"""

from __future__ import annotations

import contextlib
import csv
import json
import os
import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient

from cloud.core.scope import Scope
from cloud.domains.access.schemas import RuleBody
from cloud.domains.access.service import AccessService
from cloud.domains.all import DOMAINS
from cloud.domains.identity.access import permissions_of
from cloud.domains.identity.models import AuthGroup, User
from cloud.domains.identity.repository import IdentityRepository
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.identity.service import IdentityService

from ...application import make_app
from ...databases import migrated_settings

PASSWORD = "correct!horse1"
TABLE = {
    row["code"]: row
    for row in csv.DictReader(
        (resources.files("cloud.domains.identity") / "permissions.csv").read_text("utf-8").splitlines()
    )
}
REQUIRED = permissions_of(router for domain in DOMAINS for router in domain.routers)
NOT_ASKED = {"logout"}  # would end the session of the rest
NOBODY = 2**31 - 1
VALUES = {"code": "Nothing", "lease": "0" * 16, "domain": "example.org"}
MATRIX = Path(__file__).resolve().parents[4] / "test-output" / "permissions.csv"
HEAD = ["type", "switches", "kind", "name", "allowed"]
POSITIONS: list[tuple[str, int]] = [
    *(("", user_type) for user_type in range(7)),
    ("ot", 0),
    ("rl", 0),
    *(("ot+rl", user_type) for user_type in range(7)),
]
"""Switches of the cloud configuration that are on, and the user type that is tried with them."""
NO_PORTAL = 5

Cell = list[str]
"""Type, switches, kind, name, allowed (1) or refused (0)."""


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> FastAPI:
    settings = migrated_settings(tmp_path_factory.mktemp("matrix"), sqlite_template)
    return make_app(settings)


@pytest.fixture(scope="module")
def client(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app, base_url="http://testserver") as made:
        for user_type in range(7):
            made.portal.call(
                app.state.services[IdentityService].add_user, f"type-{user_type}", PASSWORD, user_type
            )  # type: ignore[union-attr]
        yield made


def token(app: FastAPI, client: TestClient, user_type: int, group: list[str] | None = None) -> str:
    """A session of the user of a type, type 5 too, which no sign-in gives; in a group when one is given."""
    services = app.state.services

    async def make() -> str:
        async with services[IdentityService]._database.session() as session:
            repository = IdentityRepository(session)
            user = await repository.user_named(f"type-{user_type}")
            assert isinstance(user, User)
            user.group_id = None
            if group is not None:
                row = AuthGroup(
                    owner_id=user.id, title="g", user_type=user_type, permissions=group, created_ms=0
                )
                session.add(row)
                await session.flush()
                user.group_id = row.id
            tokens = services[IdentityService].open(repository, user.id, f"of {user_type}")
            await session.commit()
            services[AccessService]._grants.forget()
            return str(tokens.token)

    return str(client.portal.call(make))  # type: ignore[union-attr]


OPERATIONS = [
    (route.operation_id, verb, domain.prefix + route.path_format)
    for domain in DOMAINS
    for router in domain.routers
    for route in router.routes
    if isinstance(route, APIRoute) and route.include_in_schema and route.operation_id not in NOT_ASKED
    for verb in route.methods
]


async def asked(app: FastAPI, verb: str, path: str, word: str) -> tuple[int, bytes]:
    """Status and body, without a client between: there are a thousand calls."""
    sent: list[dict[str, Any]] = []
    body = iter([{"type": "http.request", "body": b"", "more_body": False}])

    async def receive() -> dict[str, Any]:
        return next(body, {"type": "http.disconnect"})

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": verb, "scheme": "http",
        "path": path, "raw_path": path.encode(), "root_path": "", "query_string": b"", "app": app,
        "headers": [(b"host", b"testserver"), (b"x-token", word.encode())],
        "client": ("192.0.2.1", 1), "server": ("testserver", 80),
    }  # fmt: skip
    await app(scope, receive, send)  # type: ignore[arg-type]
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent)


async def refused(app: FastAPI, verb: str, path: str, word: str, permission: str) -> bool:
    """Is this permission missing? There is no body: what is allowed may still be wrong or not there."""
    url = re.sub(r"{(\w+)}", lambda found: str(VALUES.get(found[1], NOBODY)), path)
    status, body = await asked(app, verb, url, word)
    assert status < 500 and status != 401, (verb, url, body)
    if status != 403:
        return False
    problem = json.loads(body)
    return problem["code"] == 10001 and problem["data"]["rule"] == permission


def given(user_type: int, *, ot: bool = False, rl: bool = False) -> set[str]:
    """What the table gives to a type, read here once more."""
    mine = {code for code, row in TABLE.items() if str(user_type) in row["types"]}
    if not ot:
        mine -= {code for code in TABLE if code == "OtaManager" or code.startswith("ota.")}
    return mine if rl else mine - {"auth.Rule"}


def check(app: FastAPI, client: TestClient, word: str, mine: set[str]) -> dict[str, bool]:
    """Ask for everything and compare. Operation to whether it is allowed."""

    async def answers() -> dict[str, bool]:
        return {
            str(name): await refused(app, verb, path, word, REQUIRED[str(name)] or "-")
            for name, verb, path in OPERATIONS
        }

    found = client.portal.call(answers)  # type: ignore[union-attr]
    expected = {name: REQUIRED[name] is not None and REQUIRED[name] not in mine for name in found}
    assert {name: said for name, said in found.items() if said != expected[name]} == {}
    return {name: not said for name, said in found.items()}


@contextlib.contextmanager
def switched(app: FastAPI, client: TestClient, on: dict[str, bool]) -> Iterator[None]:
    """The cloud configuration as the platform sets it; afterwards everything is off again."""

    def put(flags: dict[str, int]) -> None:
        headers = {"X-Token": token(app, client, 0)}
        body = {"key": "CDCF", "value": flags}
        assert client.put("/api/v1/dict", headers=headers, json=body).status_code == 200

    put({name: int(value) for name, value in on.items()})
    try:
        yield
    finally:
        put({})


def keep(cells: list[Cell]) -> None:
    """Put them into the generated matrix, in place of earlier rows of their types, switches and kinds."""
    MATRIX.parent.mkdir(exist_ok=True)
    replaced = {tuple(cell[:3]) for cell in cells}
    rows = list(csv.reader(MATRIX.read_text("utf-8").splitlines())) if MATRIX.exists() else []
    others = [row for row in rows[1:] if tuple(row[:3]) not in replaced] if rows and rows[0] == HEAD else []
    part = MATRIX.with_suffix(f".{os.getpid()}")
    with part.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([HEAD, *others, *cells])
    part.replace(MATRIX)


def test_every_operation_is_in_the_matrix() -> None:
    names = {name for name, _, _ in OPERATIONS}
    assert names == set(REQUIRED) - NOT_ASKED and len(names) > 60
    assert set(filter(None, REQUIRED.values())) <= set(TABLE)
    of_sign_in = {name for name, permission in REQUIRED.items() if permission is None}
    assert {"login", "getUserInfo", "why", "getProfile"} <= of_sign_in


@pytest.mark.parametrize(("switches", "user_type"), POSITIONS)
def test_every_type_and_operation(app: FastAPI, client: TestClient, switches: str, user_type: int) -> None:
    """Type 5, too, as if it had a session: only its sign-in is refused, whatever its permissions are."""
    on = dict.fromkeys(filter(None, switches.split("+")), True)
    with switched(app, client, on):
        found = check(app, client, token(app, client, user_type), given(user_type, **on))
    assert len(found) == len(OPERATIONS)
    keep([[str(user_type), switches, "operation", name, str(int(may))] for name, may in found.items()])


def test_group_takes_and_never_gives(app: FastAPI, client: TestClient) -> None:
    group = {"Monitor.DeviceMonitor", "Device/cmd", "auth.User", "auth.Rule", "Customize/index"}
    check(app, client, token(app, client, 3, sorted(group)), group & given(3))
    with switched(app, client, {"ot": True, "rl": True}):
        check(app, client, token(app, client, 0, sorted(group)), group & given(0, ot=True, rl=True))
    check(app, client, token(app, client, 1, []), set())


def test_rules_take_and_give(app: FastAPI, client: TestClient) -> None:
    services = app.state.services
    admin = CurrentUser(1, "type-0", 0, frozenset(), "", Scope.system())
    bodies = {"DeviceManage": RuleBody(enabled=False), "auth.User": RuleBody(types=[4])}
    for code, body in bodies.items():
        client.portal.call(services[AccessService].change_rule, admin, code, body)  # type: ignore[union-attr]
    try:
        check(app, client, token(app, client, 4), given(4) - {"DeviceManage"} | {"auth.User"})
        check(app, client, token(app, client, 0), given(0) - {"auth.User", "DeviceManage"})
    finally:
        for code in bodies:
            client.portal.call(services[AccessService].change_rule, admin, code, RuleBody())  # type: ignore[union-attr]


def test_rules_page_needs_its_switch(app: FastAPI, client: TestClient) -> None:
    with switched(app, client, {"ot": True, "rl": True}):
        for user_type, status in ((0, 200), (1, 403)):
            headers = {"X-Token": token(app, client, user_type)}
            assert client.get("/api/v1/auth/rule", headers=headers).status_code == status
            listed = set(client.get("/api/v1/auth/user/authList", headers=headers).json()["data"])
            assert listed == given(user_type, ot=True, rl=True)
        headers = {"X-Token": token(app, client, 0)}
        body = {"en": "Registered", "enabled": True}
        reply = client.put("/api/v1/auth/rule/auth.User%2Fregister", headers=headers, json=body)
        assert (reply.status_code, reply.json()["data"]["en"]) == (200, "Registered")


def test_type_5_is_refused_at_the_door(client: TestClient) -> None:
    cells: list[Cell] = []
    for user_type in range(7):
        body = {"username": f"type-{user_type}", "password": PASSWORD}
        reply = client.post("/api/v1/login/login", json=body)
        expected = (403, 10001, "sign_in.no_portal") if user_type == NO_PORTAL else (200, 0, None)
        data = reply.json()["data"]
        assert (reply.status_code, reply.json()["code"], data.get("reason")) == expected
        cells.append([str(user_type), "", "sign-in", "login", str(int(reply.status_code == 200))])
    keep(cells)


def test_demo_is_denied_by_default(client: TestClient) -> None:
    reply = client.post("/api/v1/login/demo")
    assert (reply.status_code, reply.json()["data"]["reason"]) == (403, "sign_in.no_demo")


def test_users_over_the_wire(client: TestClient) -> None:
    """Shapes, reasons and the sign-in log as the portal gets them."""
    body = {"username": "type-1", "password": PASSWORD}
    reply = client.post("/api/v1/login/login", json=body, headers={"User-Agent": "Firefox"})
    headers = {"X-Token": reply.json()["data"]["token"]}
    made = client.post("/api/v1/auth/user", headers=headers, json={"user_name": "li", "user_type": 2}).json()[
        "data"
    ]
    assert len(made["password"]) == 16 and made["user_name"] == "li"
    url = f"/api/v1/auth/user/{made['user_id']}"
    assert client.post(f"{url}/status", headers=headers, json={"status": 0}).json()["data"]["status"] == 0
    assert client.put(url, headers=headers, json={"nick_name": "Li"}).json()["data"]["nick_name"] == "Li"
    reply = client.put(url, headers=headers, json={"user_name": "other"})
    assert (reply.status_code, reply.json()["data"]["field"]) == (400, "user_name")
    reply = client.post("/api/v1/auth/user", headers=headers, json={"user_name": "x", "user_type": 1})
    assert (reply.status_code, reply.json()["data"]["reason"]) == (400, "user.name")
    assert client.get("/api/v1/auth/user?search=li&limit=100", headers=headers).json()["data"]["total"] == 1
    assert client.get("/api/v1/auth/user?limit=101", headers=headers).status_code == 400
    assert client.get("/api/v1/auth/user/all?limit=10000", headers=headers).json()["data"]["total"] == 2
    assert client.get("/api/v1/auth/user/all?limit=10001", headers=headers).status_code == 400
    row = client.get("/api/v1/auth/user/me/loginlog", headers=headers).json()["data"]["rows"][0]
    assert (row["user_name"], row["agent"], row["address"], row["result"]) == (
        "type-1", "Firefox", "testclient", "ok"
    )  # fmt: skip
    reply = client.get("/api/v1/auth/why?operation=listAudit,&permission=auth.Customize", headers=headers)
    assert reply.status_code == 400
    reply = client.get("/api/v1/auth/why?path=/user/customize&permission=auth.Customize", headers=headers)
    assert reply.json()["data"] == {
        "allowed": False,
        "reasons": [{"code": "type_lacks", "args": {"permission": "auth.Customize", "user_type": 1}}],
    }
    assert (
        client.delete(f"{url}?to={made['user_id']}", headers=headers).json()["data"]["reason"]
        == "user.circle"
    )
    assert client.delete(url, headers=headers).status_code == 200


def test_registered_users_are_types_5_and_6(app: FastAPI, client: TestClient) -> None:
    headers = {"X-Token": token(app, client, 0)}
    for query, names in (("", ["type-5", "type-6"]), ("?type=6", ["type-6"]), ("?type=3", [])):
        data = client.get(f"/api/v1/auth/register{query}", headers=headers).json()["data"]
        assert [row["user_name"] for row in data["rows"]] == names
