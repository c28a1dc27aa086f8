"""The WebSocket endpoint: identify, subscribe, heartbeat, push."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import Awaitable, Callable, Collection
from typing import Annotated, Literal
from urllib.parse import urlsplit

from fastapi import WebSocket, WebSocketDisconnect
from pydantic import BaseModel, Field, ValidationError

from cloud.core.addresses import network_of
from cloud.core.clock import now_ms
from cloud.core.scope import Scope
from cloud.core.secret import Secret
from cloud.errors import CloudError
from cloud.realtime.audience import Listener
from cloud.realtime.clients import Client, ClientRegistry, HubFull
from cloud.realtime.rate_limit import MessageRate

IDENTIFY_TIMEOUT_S = 5.0
RECHECK_S = 30.0
"""How often the token is looked at again, and whether its user still sees what is subscribed."""

SILENT_S = 150.0
"""A browser sends a heartbeat every 60 s. One that missed two of them is gone."""

SEND_TIMEOUT_S = 10.0
"""A client whose connection takes nothing for this long is gone."""

MAX_TEXT = 64 * 1024

CLOSE_NOT_IDENTIFIED = 4401
CLOSE_FOREIGN_ORIGIN = 4403
CLOSE_TOO_SLOW = 4408
CLOSE_SILENT = 4409
CLOSE_BAD_MESSAGE = 4400
CLOSE_FULL = 1013

Identifier = Annotated[int, Field(ge=0, le=2**31 - 1)]
Identifiers = Annotated[list[Identifier], Field(max_length=2000)]
Check = Callable[[str], Awaitable[Listener]]
"""Who a token belongs to; CloudError when he may not listen."""

Allowed = Callable[[Scope, Collection[int], Collection[int]], Awaitable[tuple[set[int], set[int]]]]
"""Of gateways and data points those that a user may watch."""


class BrowserMessage(BaseModel):
    """What a browser may send."""

    type: Literal["identify", "heartbeat", "subscribe", "unsubscribe"]
    token: Annotated[str, Secret(max_length=100)] = ""
    devices: Identifiers = []
    dsids: Identifiers = []


class Closing(Exception):
    """The socket is to be closed with this code."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class Conversation:
    """One socket from accept to close."""

    def __init__(self, socket: WebSocket, clients: ClientRegistry, check: Check, allowed: Allowed) -> None:
        self._socket = socket
        self._clients = clients
        self._check = check
        self._allowed = allowed
        self._token = ""
        self._pace = MessageRate(time.monotonic)
        self._renewing = asyncio.Lock()

    async def run(self) -> None:
        """Serve until either side closes."""
        with contextlib.ExitStack() as arrival:
            try:
                arrival.enter_context(self._clients.arriving(self._address()))
            except HubFull as error:
                # Not even accepted: a closing handshake would keep the connection.
                await self._close(CLOSE_FULL, error.message)
                return
            await self._converse(arrival)

    async def _converse(self, arrival: contextlib.ExitStack) -> None:
        """arrival: left when the client has joined, or with the end of the conversation."""
        await self._socket.accept()
        try:
            self._check_origin()
            invalidations = self._clients.invalidations
            client = self._clients.join(await self._identify())
            if invalidations != self._clients.invalidations:
                client.invalidate()
            arrival.close()
            try:
                await self._send({"type": "identified", "t_ms": now_ms()})
                await self._serve(client)
            finally:
                self._clients.leave(client)
        except WebSocketDisconnect:
            return
        except Closing as error:
            await self._close(error.code, error.reason)
        except HubFull as error:
            await self._close(CLOSE_FULL, error.message)
        except CloudError as error:
            await self._close(CLOSE_NOT_IDENTIFIED, error.message)

    async def _close(self, code: int, reason: str) -> None:
        with contextlib.suppress(RuntimeError, TimeoutError):  # the other side was faster, or takes nothing
            async with asyncio.timeout(SEND_TIMEOUT_S):
                await self._socket.close(code, reason)

    def _address(self) -> str:
        return network_of(self._socket.client.host if self._socket.client else "")

    def _check_origin(self) -> None:
        origin = self._socket.headers.get("origin")
        if origin and urlsplit(origin).netloc != self._socket.headers.get("host"):
            raise Closing(CLOSE_FOREIGN_ORIGIN, "origin must be the page's host")

    async def _identify(self) -> Listener:
        try:
            async with asyncio.timeout(IDENTIFY_TIMEOUT_S):
                first = await self._receive()
        except TimeoutError:
            raise Closing(CLOSE_NOT_IDENTIFIED, "identify first") from None
        if first.type != "identify":
            raise Closing(CLOSE_NOT_IDENTIFIED, "identify first")
        async with self._clients.checks:
            user = await self._check(first.token)
        self._token = first.token
        return user

    async def _serve(self, client: Client) -> None:
        """Three tasks; the first that ends ends the conversation with its reason."""
        work = (self._listen(client), self._push(client), self._recheck(client))
        tasks = [asyncio.create_task(item) for item in work]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
                task.add_done_callback(_retrieve_exception)
            await asyncio.wait(tasks)

    async def _listen(self, client: Client) -> None:
        while True:
            try:
                async with asyncio.timeout(SILENT_S):
                    message = await self._receive()
            except TimeoutError:
                raise Closing(CLOSE_SILENT, "no heartbeat") from None
            await asyncio.sleep(self._pace.wait_s(len(message.devices) + len(message.dsids)))
            if message.type == "identify":
                await self._renew(client, message.token)
                await self._send({"type": "identified", "t_ms": now_ms()})
            elif message.type == "heartbeat":
                await self._send({"type": "heartbeat", "t_ms": now_ms()})
            elif message.type == "unsubscribe":
                client.unsubscribe(message.devices, message.dsids)
            else:
                await self._subscribe(client, message)

    async def _subscribe(self, client: Client, message: BrowserMessage) -> None:
        invalidations = self._clients.invalidations
        async with self._clients.checks:
            devices, dsids = await self._allowed(client.user.scope, message.devices, message.dsids)
        if not client.subscribe(devices, dsids):
            raise Closing(CLOSE_BAD_MESSAGE, "too many subscriptions")
        if invalidations != self._clients.invalidations:  # allowed by what was so before
            client.invalidate()

    async def _push(self, client: Client) -> None:
        while True:
            for message in await client.take(1):  # what a slow client has not got yet can still be withheld
                if client.ended:
                    break
                await self._send(message)
            if client.ended:
                raise Closing(CLOSE_NOT_IDENTIFIED, "session ended")
            if client.overflowed:
                raise Closing(CLOSE_TOO_SLOW, "too slow")

    async def _recheck(self, client: Client) -> None:
        while True:
            invalidations = await client.invalidated(RECHECK_S)
            await self._renew(client)
            client.revalidated(invalidations)

    async def _renew(self, client: Client, token: str | None = None) -> None:
        """As its user is now, or the one of a new token: what he does not see any more he watches no more."""
        async with self._renewing, self._clients.checks:
            token = self._token if token is None else token
            user = await self._check(token)
            self._clients.become(client, user)
            self._token = token
            devices, dsids = set(client.devices), set(client.dsids)
            may = await self._allowed(user.scope, devices, dsids)
            client.unsubscribe(devices - may[0], dsids - may[1])

    async def _receive(self) -> BrowserMessage:
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1005), message.get("reason"))
        text = message.get("text")
        if text is None:
            raise Closing(CLOSE_BAD_MESSAGE, "text only")
        if len(text) > MAX_TEXT:
            raise Closing(CLOSE_BAD_MESSAGE, f"at most {MAX_TEXT} characters")
        try:
            return BrowserMessage.model_validate_json(text)
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(map(str, first["loc"])) or "message"
            raise Closing(CLOSE_BAD_MESSAGE, f"{field}: {first['msg']}"[:100]) from None

    async def _send(self, message: dict[str, object]) -> None:
        try:
            async with asyncio.timeout(SEND_TIMEOUT_S):
                await self._socket.send_text(json.dumps(message, ensure_ascii=False, separators=(",", ":")))
        except TimeoutError:
            raise Closing(CLOSE_TOO_SLOW, "too slow") from None


def _retrieve_exception(task: asyncio.Task[None]) -> None:
    """The first task's end is the reason; that of the others is not reported."""
    if not task.cancelled():
        task.exception()
