"""A gateway's local page as a browser asks it."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from typing import Any

TIMEOUT_S = 30.0


class LocalPage:
    """Keeps the session's cookie."""

    def __init__(self, port: int) -> None:
        self._base = f"http://127.0.0.1:{port}/api"
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))

    def sign_in(self, password: str) -> tuple[int, Any]:
        """HTTP status and answer."""
        return self._ask("/login", {"password": password})

    def status(self) -> Any:
        """What the page shows of gateway, link, outbox, ports and slaves."""
        code, answer = self._ask("/status")
        assert code == 200, answer
        return answer

    def write(self, slave: str, point: str, value: Any) -> tuple[int, Any]:
        """HTTP status and outcome of a write as the page sends it."""
        return self._ask("/write", {"slave": slave, "point": point, "value": value})

    def _ask(self, path: str, body: Any = None) -> tuple[int, Any]:
        request = urllib.request.Request(
            self._base + path,
            data=None if body is None else json.dumps(body).encode(),
            headers={"X-Edge": "1", "Content-Type": "application/json"},
        )
        try:
            with self._opener.open(request, timeout=TIMEOUT_S) as reply:
                return reply.status, json.load(reply)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)
