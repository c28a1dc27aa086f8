"""The portal's screens, as its own manifest lists them, and the switches that decide which there are."""

from __future__ import annotations

import contextlib
import functools
import json
import subprocess
from collections.abc import Iterator
from typing import Any

from _environment import VENV, WEB, node_env
from stack import Stack

ROUTES_TIMEOUT_S = 60.0  # a slow machine compiles the manifest first
OUTSIDE_OTA = "/ota-link"
"""The one screen whose gate is no list of permissions: it is for who has no OTA in this portal."""
LINKS = {
    "ota": "https://ota.example",
    "flow": "https://flow.example",
    "gis": "/gis/",
    "screen": "https://screen.example",
    "ota_hosts": [],
}
QUERY = {"/deviceDetail": "?device_id=1", "/slavedevice": "?device_id=1&device_title=x"}


@functools.cache
def routes() -> list[dict[str, Any]]:
    """Every screen: path, aliases, layout, gates, section, external, pending, title {zh, en}."""
    done = subprocess.run(
        [str(VENV / "bin" / "node"), "scripts/routes.mjs"],
        cwd=WEB, env=node_env(), capture_output=True, text=True, check=True, timeout=ROUTES_TIMEOUT_S,
    )  # fmt: skip
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows


def address(path: str) -> str:
    """With what a screen about one device has to be told."""
    return path + next((query for end, query in QUERY.items() if end in path), "")


@contextlib.contextmanager
def switched(stack: Stack, **switches: bool) -> Iterator[None]:
    """The cloud configuration with these switches, and an address for every way out; afterwards as it was."""
    flags, links = stack.api.get("/dict?key=CDCF"), stack.api.get("/option?name=links")
    value = {**flags, **{name: int(on) for name, on in switches.items()}}
    stack.api.call("PUT", "/dict", {"key": "CDCF", "value": value})
    stack.api.call("PUT", "/option", {"name": "links", "value": LINKS})
    yield
    stack.api.call("PUT", "/dict", {"key": "CDCF", "value": flags})
    stack.api.call("PUT", "/option", links)
