"""A point that somebody looks at comes at once, long before its batch; its batch brings the same sample."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from evidence import history, sources
from stack import GATEWAY, Ports, Stack
from websockets.sync.client import ClientConnection, connect

pytestmark = [pytest.mark.system, pytest.mark.timeout(240)]

COMMIT_S = 15.0
EARLY_MS = 5000
"""On a busy machine; without being watched a value is up to COMMIT_S old."""
VALUES = 8
PATIENCE_S = 60.0


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    made = Stack(tmp_path_factory.mktemp("stack"), Ports.free(), commit_interval_s=COMMIT_S)
    with made.running():
        made.api.login(*made.sign_in())
        yield made


def say(socket: ClientConnection, **message: Any) -> None:
    socket.send(json.dumps(message))


def pushed(socket: ClientConnection, dsid: int, seconds: float, count: int) -> list[tuple[int, Any, float]]:
    """Time, value and moment of arrival of a point's pushes, at most so many within the time."""
    found: list[tuple[int, Any, float]] = []
    until = time.monotonic() + seconds
    while len(found) < count and (left := until - time.monotonic()) > 0:
        try:
            push = json.loads(socket.recv(timeout=left))
        except TimeoutError:
            break
        now_ms = time.time() * 1000
        rows = push.get("rows", []) if push["type"] == "dp" else []
        found += [(row[1], row[2], now_ms) for row in rows if row[0] == dsid]
    return found


@pytest.mark.clause("C-152", "C-153", "C-154")
def test_a_watched_point_comes_at_once_and_is_stored_as_ever(stack: Stack) -> None:
    dsid = sources(stack, GATEWAY)["boiler.steam_pressure"]
    url = stack.api.base.replace("http", "ws") + "/api/v1/ws"
    with connect(url, origin=stack.api.base) as socket:  # type: ignore[arg-type]
        say(socket, type="identify", token=stack.api.token)
        say(socket, type="subscribe", devices=[], dsids=[dsid])
        came = pushed(socket, dsid, PATIENCE_S, VALUES)
        delays_ms = sorted(at_ms - t_ms for t_ms, _, at_ms in came[1:])
        print(f"\nsample to browser: {[round(each) for each in delays_ms]} ms")
        assert len(came) == VALUES
        assert len({t_ms for t_ms, _, _ in came}) == VALUES
        assert delays_ms[len(delays_ms) // 2] < EARLY_MS
        say(socket, type="unsubscribe", devices=[], dsids=[dsid])
        pushed(socket, dsid, 1, VALUES)  # on its way
        assert pushed(socket, dsid, 3, 1) == []
    first, last = came[1][0], came[-1][0]
    until = time.monotonic() + PATIENCE_S
    stored: dict[int, Any] = {}
    while time.monotonic() < until and last not in stored:
        stored = {row["t_ms"]: row["value"] for row in history(stack, dsid, first, last + 1)}
        time.sleep(0.5)
    assert {t_ms: value for t_ms, value, _ in came[1:]}.items() <= stored.items()
