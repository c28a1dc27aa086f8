"""A trace over a real broker: frames of the field bus reach the browser, and nobody has to end it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from mosquitto import Mosquitto
from stack import GATEWAY, Stack
from websockets.sync.client import connect
from websockets.sync.connection import Connection

pytestmark = [pytest.mark.system, pytest.mark.timeout(600)]

PATIENCE_S = 120.0
ENDED = "audit: the trace of signals and frames has ended"


@contextmanager
def browser(stack: Stack) -> Iterator[Connection]:
    url = stack.api.base.replace("http", "ws") + "/api/v1/ws"
    with connect(url, origin=stack.api.base) as socket:  # type: ignore[arg-type]
        socket.send(json.dumps({"type": "identify", "token": stack.api.token}))
        yield socket


def until(socket: Connection, done: Callable[[list[dict[str, Any]]], object]) -> list[dict[str, Any]]:
    """Messages of traces up to the one with which the condition holds."""
    came: list[dict[str, Any]] = []
    deadline = time.monotonic() + PATIENCE_S
    while not done(came):
        left = deadline - time.monotonic()
        assert left > 0, came
        try:
            message = json.loads(socket.recv(timeout=left))
        except TimeoutError:
            continue
        if message["type"] in ("strace", "strace_state"):
            came.append(message)
    return came


def entries(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [entry for one in messages if one["type"] == "strace" for entry in one["entries"]]


def frames(messages: list[dict[str, Any]], direction: str) -> list[dict[str, Any]]:
    return [one for one in entries(messages) if one["kind"] == "frame" and one["direction"] == direction]


def start(stack: Stack) -> str:
    """Once the gateway's pulse has said that it can be traced."""
    return str(stack.api.call("POST", "/ota/strace/1")["trace"])


@pytest.mark.clause("C-240", "C-242", "C-243", "C-245")
def test_frames_arrive_and_a_killed_cloud_ends_the_trace(counting_stack: Stack, mosquitto: Mosquitto) -> None:
    stack = counting_stack
    stack.wait(lambda: stack.api.get("/device/1")["link"]["online"], "the gateway is online")
    stack.api.call("PUT", "/dict", {"key": "CDCF", "value": {"ot": 1}})
    with browser(stack) as socket:
        trace = start(stack)
        came = until(socket, lambda all: frames(all, "sent") and len(frames(all, "received")) >= 3)
        sent, received = frames(came, "sent")[0], frames(came, "received")[0]
        assert sent["fields"]["name"].startswith("read ")
        assert received["fields"]["registers"]
        assert bytes.fromhex(received["data"])
        assert sent["source"]
        assert sent["device"]
        numbers = [entry["seq"] for entry in entries(came)]
        assert numbers == sorted(set(numbers))
        said = mosquitto.log.read_text()
        assert f"v1/{GATEWAY}/down/trace" in said
        ended = stack.api.call("DELETE", f"/ota/strace/1/{trace}")
        assert (ended["why"], ended["user"]) == ("done", stack.sign_in()[0])
        assert ended["entries"] >= len(entries(came))
        stack.wait(lambda: stack.agent.log.read_text().count(ENDED) == 1, "the gateway stops")
        start(stack)
        until(socket, lambda all: frames(all, "received"))
        stack.cloud.kill()
    stack.wait(
        lambda: stack.agent.log.read_text().count(ENDED) == 2,
        "the gateway stops by itself",
        stack.agent,
        timeout_s=PATIENCE_S + 60,
    )
    stack.start_cloud()
    stack.api.login(*stack.sign_in())
    rows = stack.api.get("/ota/strace?device_id=1")["rows"]
    assert sorted(row["why"] for row in rows) == ["done", "restart"]
