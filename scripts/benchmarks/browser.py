"""A real browser for scripts/bench: the portal or its page of blocks, and what its main thread computes."""

from __future__ import annotations

import contextlib
import subprocess
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from _environment import VENV, WEB, node_env
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

CHROMIUM = "/usr/bin/chromium-headless-shell"
DESKTOP: ViewportSize = {"width": 1366, "height": 820}
BUILD_TIMEOUT_S = 300.0
BLOCKS = ("--config", str(WEB / "test" / "blocks" / "vite.config.ts"))


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


class MainThread:
    """Computing time of a page's main thread, which other programs on the machine do not lengthen."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._devtools = page.context.new_cdp_session(page)
        self._devtools.send("Performance.enable", {"timeDomain": "threadTicks"})

    def of(self, script: str) -> float:
        """Milliseconds of what the script begins until it ends."""
        before = self._spent()
        self._page.evaluate(script)
        return (self._spent() - before) * 1000

    def _spent(self) -> float:
        metrics = self._devtools.send("Performance.getMetrics")["metrics"]
        return float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """Address of a folder's files."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)


def built(folder: Path, *more: str) -> Path:
    """The portal, or with BLOCKS the page of its blocks, in a folder."""
    vite = [VENV / "bin" / "node", WEB / "node_modules" / "vite" / "bin" / "vite.js", "build"]
    words = [*map(str, vite), *more, "--outDir", str(folder), "--emptyOutDir", "--logLevel", "error"]
    subprocess.run(words, cwd=WEB, env=node_env(), check=True, timeout=BUILD_TIMEOUT_S, capture_output=True)
    return folder
