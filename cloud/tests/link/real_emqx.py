"""One real EMQX for the tests of a session, with the committed configuration, and what it asked the cloud."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from stack import Emqx

from cloud.link.broker_connection import BrokerAddress
from cloud.link.brokers.emqx import router
from cloud.link.brokers.takeover import end_session
from cloud.link.hooks import Authenticate
from cloud.link.link import service_authenticate
from edge_contract.access import Principal
from edge_contract.topics import Message, topic

from ..real_server import serving
from .equipment import SERVICE, SERVICE_PASSWORD, TLS_PORTS, Device, authenticator

CLEANER = "a-secret-of-the-clean-up"


class RealEmqx:
    """broker: its process. requests: headers and body of what it asked since the test began.

    is_answered False: the cloud is away, its answer is an error.
    """

    def __init__(self) -> None:
        self.requests: list[tuple[dict[str, str], dict[str, Any]]] = []
        self.is_answered = True
        self._check: Authenticate = authenticator({})

    @contextlib.contextmanager
    def running(self, folder: Path, launcher: Path) -> Iterator[None]:
        app = FastAPI()
        app.middleware("http")(self._record)
        with serving(app) as port:
            self.broker = Emqx(folder, launcher, port)
            app.include_router(router(self._asked, self.broker.secret))
            TLS_PORTS.update(dict.fromkeys((self.broker.port, self.broker.service_port), self.broker.ca_file))
            self.broker.start()
            try:
                yield
            finally:
                self.broker.kill()

    def serve(self, secrets: dict[str, str]) -> None:
        """From now on these gateways come in, and the service."""
        self.requests.clear()
        self.is_answered = True
        self._check = service_authenticate(SERVICE, SERVICE_PASSWORD, authenticator(secrets), several=True)

    async def clean(self, *gateways: str) -> None:
        """Forget the sessions and the retained states of a test."""
        self.serve(dict.fromkeys(gateways, CLEANER))
        for gateway in gateways:
            device = Device(self.broker.port, gateway, CLEANER)
            if await device.connect():
                await device.publish(topic(gateway, Message.STATE), b"", retain=True)
            await device.close()

    async def end(self, gateway: str) -> None:
        """As the cloud does it."""
        await end_session(self.address, gateway)

    @property
    def address(self) -> BrokerAddress:
        """The cloud's own."""
        port, authority = self.broker.service_port, self.broker.ca_file
        made = BrokerAddress("localhost", port, SERVICE, SERVICE_PASSWORD, tls=True)
        return replace(made, ca_file=authority)

    async def until_asked_again(self) -> None:
        """It has found its authenticator: one that was away is looked for every 15 s only."""
        for _ in range(400):
            device = Device(self.broker.port, "gw-probe", "wrong")
            await device.connect()
            await device.close()
            if self.requests:
                return
            await asyncio.sleep(0.1)
        raise AssertionError("EMQX does not ask")

    async def _asked(self, username: str, password: str) -> Principal | None:
        return await self._check(username, password)

    async def _record(self, request: Request, go_on: Callable[[Request], Awaitable[Response]]) -> Response:
        if not self.is_answered:
            return Response(status_code=503)
        self.requests.append((dict(request.headers), json.loads(await request.body())))
        return await go_on(request)
