"""The map's ground: which addresses may be set, what a page may load by them, and parts of map files."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from cloud.domains.options.map_files import MapFiles
from cloud.domains.options.maps import MAX_VERTICES, MapBase
from cloud.domains.options.tiles import origin, tile_address
from cloud.web import policy

from ..tenants import signed_in
from .test_options import get, put

TIANDITU = (
    "https://t0.tianditu.gov.cn/vec_w/wmts?SERVICE=WMTS&REQUEST=GetTile&VERSION=1.0.0&LAYER=vec&STYLE=default"
    "&TILEMATRIXSET=w&FORMAT=tiles&TILEMATRIX={z}&TILEROW={y}&TILECOL={x}&tk={key}"
)
TILES = "http://10.0.0.9:8081/{z}/{x}/{y}.png"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TIANDITU, "https://t0.tianditu.gov.cn"),
        (TILES, "http://10.0.0.9:8081"),
        ("HTTPS://Tiles.Example:443/{z}/{x}/{y}", "https://tiles.example:443"),
        ("https://tiles.example/{key}/{z}/{x}/{y}@2x.png", "https://tiles.example"),
    ],
)
def test_addresses_of_tiles(text: str, expected: str) -> None:
    assert origin(tile_address(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "/tiles/{z}/{x}/{y}", "https://a.example/{z}/{x}", "https://a.example/{z}/{x}/{y}/{s}",
        "https://{z}.example/{x}/{y}", "https://t{s}.example/{z}/{x}/{y}", "https://a.example/{z}/{x}/{y}}",
        "https://u:p@a.example/{z}/{x}/{y}", "https://a.example/{z}/{x}/{y}#x", "ftp://a.example/{z}/{x}/{y}",
        "https://a;b.example/{z}/{x}/{y}", "https://*.example/{z}/{x}/{y}", "https://a.example:x/{z}/{x}/{y}",
        "https://a'b/{z}/{x}/{y}", "https://[::1]/{z}/{x}/{y}", "javascript:{z}{x}{y}",
        "https://a.example/{z}/{x}/{y}?tk=0123456789", "https://a.example/{z}/{x}/{y}?AK=x",
    ],
)  # fmt: skip
def test_addresses_that_are_none_of_tiles(text: str) -> None:
    with pytest.raises(ValueError, match=r"address|Port|key|Invalid"):
        tile_address(text)


def test_a_page_may_load_from_this_site_and_the_tiles_alone() -> None:
    assert "tile" not in policy() and "connect-src 'self';" in policy()
    base = MapBase(kind="xyz", url=TIANDITU, label_url=TILES, key="k1")
    rules = dict(rule.split(" ", 1) for rule in policy(*base.origins()).split("; "))
    assert rules["img-src"] == "'self' data: https://t0.tianditu.gov.cn http://10.0.0.9:8081"
    assert rules["connect-src"] == "'self' https://t0.tianditu.gov.cn http://10.0.0.9:8081"
    assert rules["default-src"] == "'self'"
    assert MapBase(kind="builtin", url=TILES).origins() == ()
    assert MapBase(kind="xyz", url=TIANDITU, label_url=TIANDITU, key="k1").origins() == (
        "https://t0.tianditu.gov.cn",
    )


@pytest.fixture
def ground(client: TestClient) -> Any:
    """Sets the map's ground; it is the builtin one again afterwards."""
    yield lambda **value: put(client, "option", {"name": "map_base", "value": value})
    for name in ("map_base", "map_borders"):
        put(client, "option", {"name": name})


def test_the_next_page_may_load_tiles_and_only_pages_of_users_get_the_key(
    client: TestClient, ground: Any
) -> None:
    def tiles_allowed(path: str = "/monitor/deviceMap") -> bool:
        reply = client.get(path, headers={"Accept-Encoding": "identity"})
        return "https://t0.tianditu.gov.cn" in reply.headers["Content-Security-Policy"]

    assert not tiles_allowed()
    assert ground(kind="xyz", url=TIANDITU, key="secret-of-tiles", datum="GCJ02") == (200, None)
    assert tiles_allowed() and tiles_allowed("/")
    assert not tiles_allowed("/api/v1/customize/info") and not tiles_allowed("/assets/a-1.js")
    assert get(client, "option?name=map_base", "person-x")["value"]["key"] == "secret-of-tiles"
    assert client.get("/api/v1/option?name=map_base").status_code == 401
    assert "secret-of-tiles" not in client.get("/").text
    rows = client.get("/api/v1/audit?limit=5", headers=signed_in(client, "platform-x")).text
    assert "tianditu" in rows and "secret-of-tiles" not in rows
    assert ground(kind="builtin", url=TIANDITU, key="secret-of-tiles") == (200, None)
    assert not tiles_allowed()


def test_the_ground_must_be_complete(client: TestClient, ground: Any) -> None:
    for value in (
        {"kind": "xyz"},
        {"kind": "pmtiles"},
        {"kind": "xyz", "url": TIANDITU},
        {"kind": "xyz", "url": "https://a.example/{z}"},
        {"kind": "pmtiles", "file": "../cloud.db"},
        {"kind": "xyz", "url": TILES, "key": "a b"},
    ):
        status, problem = ground(**value)
        assert status == 400 and problem["rule"], value
    assert put(client, "option", {"name": "map_base", "value": {}}, "factory-x")[0] == 403


def test_borders_are_bounded_and_have_an_approval(client: TestClient, ground: Any) -> None:
    line = [[100.0, 30.0], [101.5, 31.25]]

    def borders(**value: Any) -> int:
        return put(client, "option", {"name": "map_borders", "value": value})[0]

    assert borders(approval="GS(2026)0001", lines=[line]) == 200
    assert get(client, "option?name=map_borders", "person-x")["value"] == {
        "approval": "GS(2026)0001",
        "lines": [line],
    }
    assert borders(approval="", lines=[line]) == borders(approval="  ", lines=[line]) == 400
    assert borders(approval="x", lines=[[[181, 0], [0, 0]]]) == borders(approval="x", lines=[[[0, 0]]]) == 400
    half = [[0.0, 0.0]] * (MAX_VERTICES // 2)
    assert borders(approval="x", lines=[half, half]) == 200
    assert borders(approval="x", lines=[half, half, line]) == 400


def test_parts_of_a_map_file(app: FastAPI, client: TestClient) -> None:
    folder = app.state.services[MapFiles]._folder
    folder.mkdir(exist_ok=True)
    data = b"PMTiles\x03" + bytes(range(200))
    (folder / "city.pmtiles").write_bytes(data)
    (folder / "other.pmtiles").write_bytes(b"something else")
    (folder / "notes.txt").write_bytes(data)
    assert get(client, "map/file") == [{"name": "city.pmtiles", "size": 208}]
    assert client.get("/api/v1/map/file", headers=signed_in(client, "factory-x")).status_code == 403

    def part(span: str, name: str = "city.pmtiles", user: str = "person-x") -> Any:
        headers = signed_in(client, user) | ({"Range": span} if span else {})
        return client.get(f"/api/v1/map/file/{name}", headers=headers)

    reply = part("bytes=0-6")
    assert (reply.status_code, reply.content) == (206, b"PMTiles")
    assert reply.headers["Content-Range"] == "bytes 0-6/208"
    beyond = part("bytes=200-16383")
    assert (beyond.content, beyond.headers["Content-Range"]) == (data[200:], "bytes 200-207/208")
    assert beyond.headers["ETag"] == reply.headers["ETag"]
    assert part("bytes=208-300").status_code == 416
    for span in ("", "bytes=0-", "bytes=5-4", "bytes=0-1,3-4", "bytes=0-8388608", "items=0-1"):
        assert (part(span).status_code, part(span).json()["data"]["field"]) == (400, "range"), span
    for name in ("gone.pmtiles", "notes.txt", "..%2fcloud.db", "%00.pmtiles"):
        assert part("bytes=0-6", name).status_code == 404, name
    assert client.get("/api/v1/map/file/city.pmtiles", headers={"Range": "bytes=0-6"}).status_code == 401
