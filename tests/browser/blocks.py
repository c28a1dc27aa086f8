"""The page of blocks (web/test/blocks), built and served without a cloud but for the options of a user."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from _environment import VENV, WEB, node_env
from playwright.sync_api import Browser, Page

from .conftest import PAGE_TIMEOUT_MS
from .steps import COUNT_CALLS

BUILD_TIMEOUT_S = 120
DESK = (1366, 820)
PHONE = (390, 844)


class BlocksServer(ThreadingHTTPServer):
    """Serves a folder. columns: the option 'columns' of the one user, as it was last written."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        self.columns: dict[str, object] = {}
        super().__init__(("127.0.0.1", 0), partial(_Handler, directory=str(folder)))

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(SimpleHTTPRequestHandler):
    server: BlocksServer

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        if self.path.startswith("/api/v1/user/option"):
            self._answer()
        elif self.path == "/favicon.ico":
            self.send_response(204)
            self.end_headers()
        else:
            super().do_GET()

    def do_PUT(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.columns = body["value"]
        self._answer()

    def _answer(self) -> None:
        reply = {"code": 0, "msg": "", "data": {"name": "columns", "value": self.server.columns}}
        text = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


@contextmanager
def serving(base: Path) -> Iterator[BlocksServer]:
    """Serve the page from a folder beside the tests' own, into which it is built once for all workers."""
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "blocks"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "index.html").exists():
            _build(folder)
    server = BlocksServer(folder)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)


def _build(folder: Path) -> None:
    vite = [VENV / "bin" / "node", WEB / "node_modules" / "vite" / "bin" / "vite.js", "build"]
    where = [
        "--config",
        WEB / "test" / "blocks" / "vite.config.ts",
        "--outDir",
        folder,
        "--logLevel",
        "error",
    ]
    command = [str(word) for word in (*vite, *where)]
    subprocess.run(command, cwd=WEB, env=node_env(), check=True, timeout=BUILD_TIMEOUT_S, capture_output=True)


@contextmanager
def opened(
    browser: Browser,
    server: BlocksServer,
    part: str,
    query: str = "lang=en",
    size: tuple[int, int] = DESK,
    scheme: str = "light",
) -> Iterator[Page]:
    """A page of blocks in a browser of its own; an error in its console fails the test."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if scheme == "dark" else "light",
        base_url=server.base,
        has_touch=size == PHONE,
    )
    page = context.new_page()
    page.set_default_timeout(PAGE_TIMEOUT_MS)
    page.add_init_script(COUNT_CALLS)
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda line: problems.append(line.text) if line.type == "error" else None)
    page.goto(f"/?{query}#{part}")
    page.locator("h1").wait_for()
    yield page
    context.close()
    assert problems == []
