"""The portal's screens, as its own manifest lists them."""

from __future__ import annotations

import functools
import json
import subprocess
from typing import Any

from _environment import VENV, WEB, node_env

ROUTES_TIMEOUT_S = 60.0  # a slow machine compiles the manifest first


@functools.cache
def routes() -> list[dict[str, Any]]:
    """Every screen: path, aliases, layout, gates, section, external, pending, title {zh, en}."""
    done = subprocess.run(
        [str(VENV / "bin" / "node"), "scripts/routes.mjs"],
        cwd=WEB, env=node_env(), capture_output=True, text=True, check=True, timeout=ROUTES_TIMEOUT_S,
    )  # fmt: skip
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows
