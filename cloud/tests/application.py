"""The whole HTTP application on real parts: embedded broker, SQLite, embedded series.

Of a module: its periodic jobs go on while it lives, and would go on beside all later tests of the process.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from cloud.core.scope import Scope
from cloud.domains.devices.claims import ClaimService
from cloud.domains.devices.share_schemas import ShareBody
from cloud.domains.devices.shares import ShareService
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.identity.service import IdentityService
from cloud.main import create_app
from cloud.settings import Settings

from .databases import migrated_settings

PASSWORD = "correct!horse1"


_documents: list[dict[str, Any]] = []


def make_app(settings: Settings) -> FastAPI:
    """create_app, with one OpenAPI document for all of a process: they are equal, and each takes seconds."""
    made = create_app(settings)
    describe = made.openapi

    def openapi() -> dict[str, Any]:
        if not _documents:
            _documents.append(describe())
        return _documents[0]

    made.openapi = openapi  # type: ignore[method-assign]
    return made


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> FastAPI:
    folder = tmp_path_factory.mktemp("cloud")
    portal = folder / "portal"
    (portal / "assets").mkdir(parents=True)
    (portal / "index.html").write_text("<h1>portal</h1>")
    (portal / "assets" / "a-1.js").write_text("1")
    (portal / "assets" / "a-1.js.br").write_text("br")
    (portal / "assets" / "a-1.js.gz").write_text("gzip")
    return make_app(migrated_settings(folder, sqlite_template, portal_dir=portal))


@pytest.fixture(scope="module")
def client(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app, base_url="http://testserver") as made:
        made.portal.call(app.state.services[IdentityService].add_user, "admin", PASSWORD, 0)  # type: ignore[union-attr]
        made.portal.call(app.state.services[IdentityService].add_user, "viewer", PASSWORD, 4)  # type: ignore[union-attr]
        made.portal.call(app.state.services[ClaimService].claim, "gw-1", "Gateway 1")  # type: ignore[union-attr]
        platform = CurrentUser(1, "admin", 0, frozenset(), "", Scope.system())
        made.portal.call(app.state.services[ShareService].put, platform, 1, ShareBody(user_name="viewer"))  # type: ignore[union-attr]
        yield made


def token(client: TestClient, name: str = "admin") -> str:
    reply = client.post("/api/v1/login/login", json={"username": name, "password": PASSWORD})
    return str(reply.json()["data"]["token"])
