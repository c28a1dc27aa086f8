"""Processes of the cloud as an operator starts them, and browsers that remember."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import ClientConnection

from ..application import PASSWORD
from ..link.equipment import ADMIN, ADMIN_PASSWORD, SERVICE_PASSWORD, Mosquitto, eventually, free_port

START_S = 120.0


@dataclass
class Process:
    """A cloud that serves, as an operator starts it."""

    name: str
    home: Path
    port: int
    running: subprocess.Popen[bytes]

    @property
    def url(self) -> str:
        return f"127.0.0.1:{self.port}"

    async def ready(self) -> None:
        deadline = time.monotonic() + START_S
        async with httpx.AsyncClient() as client:
            while time.monotonic() < deadline:
                try:
                    if (await client.get(f"http://{self.url}/healthz")).status_code in (200, 503):
                        return
                except httpx.TransportError:
                    pass
                await asyncio.sleep(0.1)
        pytest.fail(f"{self.name} did not start: {(self.home / 'log').read_text()[-800:]}")

    async def call(self, verb: str, path: str, token: str = "", **words: Any) -> Any:
        async with httpx.AsyncClient(timeout=20) as client:
            headers = {"X-Token": token} if token else {}
            reply = await client.request(verb, f"http://{self.url}/api/v1{path}", headers=headers, **words)
        assert reply.status_code == 200, reply.text
        return reply.json()["data"]

    async def sign_in(self) -> str:
        words = {"username": "admin", "password": PASSWORD}
        return str((await self.call("POST", "/login/login", json=words))["token"])


class Browser:
    """A socket that remembers what it got."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.got: list[dict[str, Any]] = []
        self.reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for text in self.socket:
            self.got.append(json.loads(text))

    async def say(self, **message: Any) -> None:
        await self.socket.send(json.dumps(message))

    async def see(self, **words: Any) -> dict[str, Any]:
        """The first message with these words."""
        found = await eventually(
            lambda: [message for message in self.got if words.items() <= message.items()], 15
        )
        return dict(found[0])

    def count(self, **words: Any) -> int:
        """How many messages have these words."""
        return sum(words.items() <= message.items() for message in self.got)


def start(
    name: str, home: Path, broker: Mosquitto, database: str, *, administers: bool, **more: object
) -> Process:
    """more: further settings. A folder that is there already is started again."""
    folder = home / name
    folder.mkdir(exist_ok=True)
    for file, text in (("password", SERVICE_PASSWORD), ("admin", ADMIN_PASSWORD)):
        (folder / file).write_text(text)
    words: dict[str, object] = {
        "DATA_DIR": folder, "DATABASE_URL": database, "PORT": free_port(), "BROKER": "mosquitto",
        "BROKER_URL": f"mqtt://127.0.0.1:{broker.port}", "BROKER_USERNAME": name,
        "BROKER_PASSWORD_FILE": folder / "password",
    }  # fmt: skip
    words |= more
    if administers:
        words |= {"DYNSEC_USERNAME": ADMIN, "DYNSEC_PASSWORD_FILE": folder / "admin"}
    environment = {key: value for key, value in os.environ.items() if not key.startswith("EDGE_")}
    environment |= {f"EDGE_{key}": str(value) for key, value in words.items()}
    with (folder / "log").open("ab") as out:
        running = subprocess.Popen(
            [sys.executable, "-m", "cloud", "serve"], env=environment, stdout=out, stderr=out, cwd=folder
        )
    return Process(name, folder, int(str(words["PORT"])), running)
