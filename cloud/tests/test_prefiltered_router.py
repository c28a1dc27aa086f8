"""A router that is asked once: the same answers as from FastAPI's own, of every operation there is."""

from __future__ import annotations

import re

import pytest
from fastapi import APIRouter, FastAPI, WebSocket
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from starlette.routing import Match

from cloud.domains.all import DOMAINS
from cloud.prefiltered_router import PrefilteredRouter

router = APIRouter()


@router.get("/things/{number}")
def get_thing(number: int) -> int:
    return number


@router.get("/files/{path:path}")
def get_file(path: str) -> str:
    return path


@router.websocket("/live")
async def live(socket: WebSocket) -> None:
    await socket.accept()
    await socket.send_text("here")
    await socket.close()


def client_of(included: APIRouter, prefix: str = "", **settings: str) -> TestClient:
    app = FastAPI()
    app.include_router(included, prefix=prefix)
    return TestClient(app, follow_redirects=False, **settings)


@pytest.fixture
def client() -> TestClient:
    return client_of(PrefilteredRouter(router, "/api"), "/api")


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/things/7", 200),
        ("/api/things/x", 422),
        ("/api/things/7/", 307),
        ("/api/things", 404),
        ("/things/7", 404),
        ("/api/files/a/b", 200),
        ("/other", 404),
    ],
)
def test_paths(client: TestClient, path: str, status: int) -> None:
    assert client.get(path).status_code == status
    assert client_of(router, "/api").get(path).status_code == status


def test_other_method(client: TestClient) -> None:
    assert client.post("/api/things/7").status_code == 405


def test_web_socket(client: TestClient) -> None:
    with client.websocket_connect("/api/live") as socket:
        assert socket.receive_text() == "here"


def test_below_a_root_path() -> None:
    below = client_of(PrefilteredRouter(router, "/api"), "/api", root_path="/site")
    assert below.get("/site/api/things/7").json() == 7


def test_every_operation_is_found_in_its_own_router() -> None:
    seen = 0
    for domain in DOMAINS:
        for router in domain.routers:
            narrow = PrefilteredRouter(router, domain.prefix)
            app = FastAPI()
            app.include_router(narrow, prefix=domain.prefix)
            for route in router.routes:
                if isinstance(route, APIRoute):
                    path = re.sub(r"{[^}]+}", "7", domain.prefix + route.path)
                    scope = {"type": "http", "path": path, "method": next(iter(route.methods)), "headers": []}
                    assert any(each.matches(dict(scope))[0] is Match.FULL for each in app.router.routes), path
                    scope["path"] = f"{path}/of-another"
                    assert narrow.matches(dict(scope)) == (Match.NONE, {}), path
                    seen += 1
    assert seen > 200
