"""No secret that is sent is found again: in the audit, the logs, an error, a later reply, the database."""

from __future__ import annotations

import itertools
import json
import logging
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from cloud.domains.audit import quota
from cloud.domains.audit.recorder import Recorder
from cloud.domains.audit.service import AuditService
from cloud.domains.devices.claims import ClaimService
from cloud.domains.identity.service import IdentityService

from ...application import PASSWORD, make_app
from ...databases import migrated_settings
from .secret_fields import Described, Document

REPLIED = {"value.key"}
"""Marked as readable: the key of a map's tiles, which every browser needs; stored, replied, never audited."""

NO_SECRET = {
    ("changeRule", "code"): "a permission's code",
    ("addFirmwareKey", "key_id"): "a key's name",
    ("addFirmwareKey", "public_key"): "a public key",
}
"""Fields whose names smell of a secret and hold none."""

FREE = re.compile(r"(saveDraft|importTemplate|saveTemplateVersion|instantiateTemplate)$")


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> FastAPI:
    settings = migrated_settings(tmp_path_factory.mktemp("canary"), sqlite_template)
    return make_app(settings)


@pytest.fixture(scope="module")
def client(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app, base_url="http://testserver") as made:
        services: Any = app.state.services
        made.portal.call(services[IdentityService].add_user, "admin", PASSWORD, 0)  # type: ignore[union-attr]
        made.portal.call(services[ClaimService].claim, "gw-1", "Gateway 1")  # type: ignore[union-attr]
        yield made


@pytest.fixture(autouse=True)
def unlimited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quota, "REFUSED_PER_MINUTE", 1_000_000)
    monkeypatch.setattr(quota, "UNAUTHENTICATED_PER_MINUTE", 1_000_000)


class Canaries:
    """Secrets that occur nowhere else, and what was said after each was sent."""

    def __init__(self, app: FastAPI, client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
        self._app, self._client, self._caplog = app, client, caplog
        self._numbers = itertools.count(1)
        self.sent: dict[str, str] = {}
        self.said: list[tuple[str, str]] = []
        self.headers: dict[str, str] = {}
        self.sign_in("admin", PASSWORD)

    def new(self, what: str) -> str:
        made = f"Kanarie{next(self._numbers):04d}zq"
        self.sent[made] = what
        return made

    def sign_in(self, name: str, password: str) -> dict[str, Any]:
        reply = self._client.post("/api/v1/login/login", json={"username": name, "password": password})
        data: dict[str, Any] = reply.json()["data"]
        if "token" in data:
            self.headers = {"X-Token": data["token"]}
            for name in ("token", "refresh_token"):
                self.sent[data[name]] = name
        else:
            self.said.append(("login", reply.text))
        return data

    def call(self, what: str, verb: str, path: str, **words: Any) -> Any:
        reply = self._client.request(verb, path, headers=self.headers, **words)
        assert reply.status_code < 500, (what, reply.text)
        if what != "refreshToken":  # it replies new ones
            self.said.append((what, reply.text))
        return reply

    def found(self, *, stored: bool) -> list[tuple[str, str]]:
        """Every canary that is found, and where."""
        self._client.portal.call(self._app.state.services[Recorder].flush)  # type: ignore[union-attr]
        database = self._app.state.services[AuditService]._database.engine.url.database
        with sqlite3.connect(database) as connection:
            tables = (
                connection.iterdump()
                if stored
                else map(json.dumps, connection.execute("SELECT * FROM audit_entry"))
            )
            places = [("database", line) for line in tables]
        places += [("log", self._caplog.text), *self.said]
        return [
            (what, f"{place}: {text[:300]}")
            for place, text in places
            for canary, what in self.sent.items()
            if canary in text
        ]


@pytest.fixture
def canaries(app: FastAPI, client: TestClient, caplog: pytest.LogCaptureFixture) -> Canaries:
    caplog.set_level(logging.DEBUG)
    for name in ("aiosqlite", "asyncio", "httpx", "httpcore", "amqtt", "sqlalchemy"):
        logging.getLogger(name).setLevel(logging.WARNING)
    return Canaries(app, client, caplog)


def document(app: FastAPI) -> Document:
    return Document(app.openapi())


def test_whatever_smells_of_a_secret_is_marked_as_one(app: FastAPI) -> None:
    smelling = {
        (operation.id, ".".join(field.path))
        for operation in document(app).operations
        for field in operation.fields
        if field.smells and not field.is_secret
    }
    assert smelling == set(NO_SECRET), "give it the type cloud.core.secret.Secret, or say why it is none"
    secret = {
        (operation.id, ".".join(field.path))
        for operation in document(app).operations
        for field in operation.secrets
    }
    assert secret >= {
        ("login", "password"), ("refreshToken", "token"), ("refreshToken", "refresh_token"),
        ("changeOwnPassword", "old"), ("changeOwnPassword", "new"), ("resetPassword", "password"),
        ("createUser", "password"), ("bindDevice", "code"), ("putAccessPassword", "password"),
        ("sendCommand", "password"), ("putOption", "value.key"),
    }  # fmt: skip


def wrong_ways(operation: Described, body: Any, canaries: Canaries) -> Iterator[tuple[str, dict[str, Any]]]:
    """The secret in its place, too long, in another type, in another field, as the body, as a parameter."""
    new = canaries.new
    yield "in its place", {"json": body(new(f"{operation.id} in its place"))}
    yield "too long", {"json": body(new(f"{operation.id} too long") * 30)}
    yield "text", {"json": new(f"{operation.id} as body")}
    yield "list", {"json": [new(f"{operation.id} as list")]}
    canary = new(f"{operation.id} misspelt")
    yield "misspelt", {"json": {**body("x"), "pasword": canary, "nested": {"deep": [canary]}}}
    yield "a list", {"json": {name: [new(f"{operation.id} list")] for name in body("x")}}
    yield "half a surrogate", {"content": json.dumps(body(new(f"{operation.id} half") + "\ud800")).encode()}
    yield "no JSON", {"content": b'{"password": "' + new(f"{operation.id} no JSON").encode()}
    yield "a form", {"data": {"password": new(f"{operation.id} form")}}
    yield "a parameter", {"json": {}, "params": {"old": new(f"{operation.id} parameter")}}
    yield "from afar", {"json": body(new(f"{operation.id} from afar"))}


def test_every_operation_with_a_secret(app: FastAPI, canaries: Canaries) -> None:
    described = document(app)
    walked = [each for each in described.operations if any(field.place != "path" for field in each.secrets)]
    assert len(walked) >= 8
    for operation in walked:
        path = re.sub(r"{\w+}", "1", operation.path)
        readable = any(".".join(field.path) in REPLIED for field in operation.secrets)

        def body(secret: str, operation: Described = operation) -> Any:
            return described.example(operation.body or {}, secret)

        for way, words in wrong_ways(operation, body, canaries):
            if readable and way == "in its place":
                continue
            before = dict(canaries.headers)
            if way == "from afar":
                canaries.headers = before | {"Sec-Fetch-Site": "cross-site"}
            canaries.call(operation.id, operation.verb, path, **words)
            canaries.headers = before
            if operation.id == "resetPassword" and way == "in its place":
                continue
    assert canaries.found(stored=True) == []


def test_a_secret_in_an_address(app: FastAPI, canaries: Canaries) -> None:
    walked = [
        (each, field.path[-1])
        for each in document(app).operations
        for field in each.secrets
        if field.place == "path"
    ]
    assert [(each.id, name) for each, name in walked] == [("downloadFirmware", "ticket")]
    for operation, name in walked:
        for secret in (canaries.new(operation.id), "0123456789abcdef" * 4):
            canaries.sent[secret] = operation.id
            path = operation.path.replace(f"{{{name}}}", secret)
            canaries.call(operation.id, operation.verb, re.sub(r"{\w+}", "fw-000000", path))
    assert canaries.found(stored=True) == []


def test_the_right_secrets(app: FastAPI, canaries: Canaries) -> None:
    """Those that are taken: a new user, one's own password, a reset, an access password, a refresh."""
    first, second, third = (canaries.new(f"password {n}") for n in range(3))
    made = canaries.call(
        "createUser",
        "POST",
        "/api/v1/auth/user",
        json={"user_name": "anna", "user_type": 1, "password": first},
    )
    number = made.json()["data"]["user_id"]
    admin = dict(canaries.headers)
    canaries.sign_in("anna", first)
    changed = canaries.call(
        "changeOwnPassword", "POST", "/api/v1/auth/user/me/password", json={"old": first, "new": second}
    )
    assert changed.status_code == 200
    tokens = canaries.sign_in("anna", second)
    refreshed = canaries.call(
        "refreshToken",
        "POST",
        "/api/v1/login/refreshtoken",
        json={name: tokens[name] for name in ("token", "refresh_token")},
    )
    assert refreshed.status_code == 200
    canaries.headers = admin
    reset = canaries.call(
        "resetPassword", "POST", f"/api/v1/auth/user/{number}/password", json={"password": third}
    )
    assert reset.status_code == 200
    access = canaries.new("access password")
    assert canaries.call(
        "putAccessPassword", "PUT", "/api/v1/device/1/accesspassword", json={"password": access}
    ).status_code == 200  # fmt: skip
    canaries.call(
        "sendCommand", "POST", "/api/v1/commander", json={"dsid": 1, "value": 1, "password": access}
    )
    for path in ("/audit", "/auth/user", "/auth/loginlog", "/device", "/device/1", "/auth/user/me"):
        canaries.call("afterwards", "GET", f"/api/v1{path}")
    export = canaries.call("afterwards", "GET", "/api/v1/audit/export")
    assert "changeOwnPassword" in export.text
    assert canaries.found(stored=True) == []


def test_configuration_documents(app: FastAPI, canaries: Canaries) -> None:
    """A draft keeps its meter's password, for the gateway; audit, logs and errors do not."""
    options = {
        "password": canaries.new("meter"),
        "wifi_psk": canaries.new("psk"),
        "PW": canaries.new("HJ212"),
    }
    slave = {"name": "meter", "port": "lan", "protocol": "dlt645_2007", "address": "1", "options": options}
    draft = {
        "document": {
            "gateway": {"id": "gw-1"},
            "ports": [],
            "slaves": [slave],
            "mqtt": {"password": canaries.new("mqtt")},
        }
    }
    kept = len(canaries.said)
    found = {operation.id: operation for operation in document(app).operations}
    assert {operation for operation in found if FREE.match(operation)}
    canaries.call("saveDraft", "PUT", "/api/v1/device/1/configuration", json=draft | {"base": None})
    canaries.call(
        "saveDraft", "PUT", "/api/v1/device/1/configuration", json=draft | {"pasted": options["password"]}
    )
    canaries.call("addSlave", "POST", "/api/v1/device/1/slavedevice", json=slave)
    canaries.call("changeSlave", "PUT", "/api/v1/device/1/slavedevice/meter", json={"options": options})
    del canaries.said[kept:]  # whoever may change it reads it again
    assert canaries.found(stored=False) == []
