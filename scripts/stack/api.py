"""The cloud's REST API, asked with the standard library alone."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from typing import Any

from stack.program import StackError

REQUEST_TIMEOUT_S = 30.0  # GET /device is the slowest call, by specification


class Api:
    """The REST API as a client sees it; only what the scripts and tests ask."""

    def __init__(self, port: int) -> None:
        self.base = f"http://127.0.0.1:{port}"
        self.token = ""

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """The data of the reply's envelope; StackError with the server's message on any error."""
        request = urllib.request.Request(
            f"{self.base}/api/v1{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json", "X-Token": self.token},
        )
        try:
            with urllib.request.urlopen(request, timeout=REQUEST_TIMEOUT_S) as reply:
                envelope = json.load(reply)
        except urllib.error.HTTPError as error:
            raise StackError(
                f"{method} {path}: {error.code} {error.read().decode(errors='replace')}"
            ) from None
        except (OSError, http.client.HTTPException) as error:  # it may be killed while it answers
            raise StackError(f"{method} {path}: {error}") from None
        if envelope["code"] != 0:
            raise StackError(f"{method} {path}: {envelope}")
        return envelope["data"]

    def get(self, path: str) -> Any:
        return self.call("GET", path)

    def login(self, name: str, password: str) -> None:
        self.token = self.call("POST", "/login/login", {"username": name, "password": password})["token"]

    def healthy(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.base}/healthz", timeout=REQUEST_TIMEOUT_S) as reply:
                return bool(reply.status == 200)
        except (OSError, http.client.HTTPException):
            return False
