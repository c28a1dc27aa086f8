"""The map on tiles of a service and of a file, and on the land when neither comes."""

from __future__ import annotations

import struct
import threading
import zlib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Response, expect
from stack import Stack

from .conftest import PAGE_TIMEOUT_MS
from .steps import sign_in, violations

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

KEY = "key-of-the-tiles"
SIDE = 256


def png(colour: tuple[int, int, int]) -> bytes:
    """A tile of one colour."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = (b"\0" + bytes(colour) * SIDE) * SIDE
    head = struct.pack(">IIBBBBB", SIDE, SIDE, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def archive(tile: bytes) -> bytes:
    """PMTiles version 3 with one tile for the five places of levels 0 and 1, nothing of it packed."""
    directory = bytes([1, 0, 5]) + _varint(len(tile)) + bytes([1])  # entries, id, run, length, offset + 1
    metadata = b"{}"
    root_at = 127
    metadata_at = root_at + len(directory)
    tiles_at = metadata_at + len(metadata)
    places = (root_at, len(directory), metadata_at, len(metadata), tiles_at, 0, tiles_at, len(tile))
    head = b"PMTiles\x03" + struct.pack("<8Q", *places) + struct.pack("<3Q", 5, 1, 1)
    head += bytes([1, 1, 1, 2, 0, 1])  # clustered, not packed twice, png, levels
    head += struct.pack("<4i", -180 * 10**7, -85 * 10**7, 180 * 10**7, 85 * 10**7)
    return head + bytes([0]) + struct.pack("<2i", 0, 0) + directory + metadata + tile


def _varint(number: int) -> bytes:
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes(found + bytes([number]))


class Tiles(ThreadingHTTPServer):
    """A map service on this machine. away: it answers nothing but errors."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Tile)
        self.asked: list[str] = []
        self.away = False
        self.tile = png((40, 120, 200))
        self.address = f"http://127.0.0.1:{self.server_port}"


class _Tile(BaseHTTPRequestHandler):
    server: Tiles

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        self.send_response(503 if self.server.away else 200)
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Content-Type", "image/png")
        self.end_headers()
        if not self.server.away:
            self.wfile.write(self.server.tile)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def tiles() -> Iterator[Tiles]:
    with Tiles() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def ground(stack: Stack) -> Iterator[Any]:
    """Sets the map's ground; it is the builtin one again afterwards."""

    def put(value: dict[str, Any], name: str = "map_base") -> None:
        stack.api.call("PUT", "/option", {"name": name, "value": value})

    yield put
    put({})
    put({}, "map_borders")


@pytest.fixture
def elsewhere(browser: Browser, stack: Stack) -> Iterator[Page]:
    """A page that may ask others than the portal."""
    context = browser.new_context(
        viewport={"width": 1366, "height": 820}, base_url=stack.api.base, reduced_motion="reduce"
    )
    made = context.new_page()
    made.set_default_timeout(PAGE_TIMEOUT_MS)
    yield made
    context.close()


def test_tiles_of_a_service_and_the_land_without_them(
    elsewhere: Page, stack: Stack, tiles: Tiles, ground: Any
) -> None:
    url = tiles.address + "/{z}/{x}/{y}.png?tk={key}"
    ground({"kind": "xyz", "url": url, "key": KEY, "datum": "GCJ02", "credit": "Survey"})
    line = [[100.0, 30.0], [110.0, 35.0]]
    ground({"approval": "GS-2026-1", "lines": [line]}, "map_borders")
    outside: list[str] = []
    elsewhere.on("request", lambda asked: outside.append(asked.url))
    sign_in(elsewhere, stack, "en", "/monitor/deviceMap")
    shown = elsewhere.get_by_test_id("map")
    expect(elsewhere.locator('[data-testid="map-gl"][data-idle]')).to_be_visible()
    assert shown.get_attribute("data-kind") == "gl"
    expect(elsewhere.get_by_test_id("map-credit")).to_have_text("Survey · Map approval no. GS-2026-1")
    assert tiles.asked and all(path.endswith(f".png?tk={KEY}") for path in tiles.asked)
    hosts = {urlsplit(each).netloc for each in outside if each.startswith("http")}
    assert hosts == {urlsplit(stack.api.base).netloc, urlsplit(tiles.address).netloc}
    tiles.away = True
    elsewhere.reload()
    missing = elsewhere.get_by_test_id("map-ground-missing")
    expect(missing).to_contain_text("built-in map is shown")
    assert violations(elsewhere) == []
    tiles.away = False
    missing.get_by_role("button").click()
    expect(missing).to_be_hidden()


def is_tile(reply: Response) -> bool:
    """Of a map file: not its beginning, which has the directory."""
    return "/map/file/" in reply.url and not reply.request.headers["range"].startswith("bytes=0-")


def test_a_map_file_and_how_it_is_set(page: Page, stack: Stack, ground: Any) -> None:
    """The page's fixture fails the test for any request to the outside."""
    folder = stack.data / "cloud" / "map"
    folder.mkdir(exist_ok=True)
    colour = png((200, 160, 60))
    (folder / "town.pmtiles").write_bytes(archive(colour))
    parts: list[int] = []
    page.on("response", lambda reply: parts.append(reply.status) if "/map/file/" in reply.url else None)
    sign_in(page, stack, "zh", "/other/systemSetting?tab=map")
    page.get_by_test_id("map-kind-pmtiles").click()
    page.get_by_test_id("map-file").click()
    page.get_by_role("option", name="town.pmtiles").click()
    with page.expect_response(is_tile) as tile:
        page.get_by_test_id("map-base-save").click()
    assert tile.value.body() == colour and set(parts) == {206}
    expect(page.get_by_test_id("map-ground-missing")).to_be_hidden()
    page.get_by_test_id("map-kind-xyz").click()
    page.get_by_test_id("map-base-save").click()
    expect(page.get_by_text("请输入包含 {z}、{x}、{y} 的 http(s):// 地址")).to_be_visible()
    assert violations(page) == []
