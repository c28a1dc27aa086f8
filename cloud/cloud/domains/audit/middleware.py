"""Sees every request of the API and has a row written for each one that changes something.

Keeps the beginning of the body, the status and the envelope's code. The user is looked up beside the
request, because the request may end the session. The listener for what services report is a context
variable that holds an object, so that tasks below it report to the same one.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any

from sqlalchemy.exc import SQLAlchemyError
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cloud.core.changes import Heard, listening
from cloud.core.clock import NowMs, now_ms
from cloud.core.masking import Names
from cloud.core.text import storable
from cloud.domains.audit.metrics import DROPPED
from cloud.domains.audit.quota import Quota
from cloud.domains.audit.recorder import Recorder
from cloud.domains.audit.sent import MAX_BODY_BYTES, Operations
from cloud.domains.identity.access import CHANGES
from cloud.domains.identity.schemas import CurrentUser
from cloud.errors import CloudError

log = logging.getLogger(__name__)

API = "/api/v1/"
SIGN_IN = "/api/v1/login/"  # has a log of its own
SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})

MAX_TOKEN_LENGTH = 100
MAX_REPLY_BYTES = 4096

Who = Callable[[str], Awaitable[CurrentUser]]


class AuditMiddleware:
    """Outside of what refuses and answers, so that it sees every end. who: whose token it is.

    secret_names: of secrets in free-form parts of bodies, as protocols mark them.
    """

    def __init__(
        self,
        app: ASGIApp,
        recorder: Recorder,
        who: Who,
        secret_names: Names = frozenset(),
        *,
        clock: NowMs = now_ms,
    ) -> None:
        self._app = app
        self._recorder = recorder
        self._who = who
        self._clock = clock
        self._quota = Quota()
        self._operations = Operations(secret_names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on; afterwards, when the reply is on its way, put the row."""
        path = scope["path"] if scope["type"] == "http" else ""
        if not path.startswith(API) or path.startswith(SIGN_IN):
            await self._app(scope, receive, send)
        elif scope["method"] in SAFE:
            seen = _Exchange(scope, self._clock(), receive, send)
            with listening() as seen.heard:
                await self._app(scope, receive, seen.send)
            if CHANGES in getattr(scope.get("route"), "dependencies", ()) and not seen.heard.looked:
                self._put(seen, await self._user(seen.token))
        else:
            seen = _Exchange(scope, self._clock(), receive, send)
            # Asked beside the request and not after it, which may end the session.
            user = asyncio.create_task(self._user(seen.token))
            try:
                with listening() as seen.heard:
                    await self._app(scope, seen.receive, seen.send)
            finally:
                self._put(seen, await user)

    async def _user(self, token: str) -> CurrentUser | None:
        if not 0 < len(token) <= MAX_TOKEN_LENGTH:
            return None
        try:
            return await self._who(token)
        except (CloudError, SQLAlchemyError, OSError):
            return None

    def _put(self, seen: _Exchange, user: CurrentUser | None) -> None:
        if self._quota.takes(user.id if user else None, seen.status, self._clock()):
            self._recorder.put(seen.row(user, self._operations))
        else:
            DROPPED.labels("refused_call" if user else "stranger").inc()


class _Exchange:
    """One request and what was answered."""

    def __init__(self, scope: Scope, at_ms: int, receive: Receive, send: Send) -> None:
        self._scope = scope
        self._at_ms = at_ms
        self._began_s = time.perf_counter()
        self._receive = receive
        self._send = send
        self._body = b""
        self._length = 0
        self.status = 500
        self._request_id = ""
        self._reply = b""
        self._headers = Headers(scope=scope)
        self.heard = Heard()
        self.token = self._headers.get("x-token", "")

    async def receive(self) -> Message:
        """Store the first MAX_BODY_BYTES of the body and count all of it."""
        message = await self._receive()
        if message["type"] == "http.request":
            part = message.get("body", b"")
            self._length += len(part)
            self._body += part[: max(0, MAX_BODY_BYTES - len(self._body))]
        return message

    async def send(self, message: Message) -> None:
        """Note status and request number; of a failure also its body, which has the code."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self._request_id = Headers(raw=message["headers"]).get("x-request-id", "")
        elif self.status >= 400 and len(self._reply) < MAX_REPLY_BYTES:
            self._reply += message.get("body", b"")[:MAX_REPLY_BYTES]
        await self._send(message)

    def row(self, user: CurrentUser | None, operations: Operations) -> dict[str, Any]:
        """Columns of its row."""
        client = self._scope.get("client")
        operation = operations.of(self._scope.get("route"))
        kind = self._headers.get("content-type", "")
        return {
            "at_ms": self._at_ms,
            "user_id": user.id if user else None,
            "user_name": user.name if user else "",
            "user_path": user.scope.path if user else "",
            "everything": bool(user and user.scope.everything),
            "address": storable(client[0] if client else "", 64),
            "method": storable(self._scope["method"], 8),
            "path": operation.place(self._scope["path"]),
            "operation": operation.id,
            "ids": operation.ids(self._scope.get("path_params", {})) | self._touched(),
            "query": operation.query(self._scope["query_string"]),
            "changes": (
                self.heard.change.differences()  # where a service reported it; else what was sent
                if self.heard.change is not None
                else operation.body(kind, self._body, self._length)
            ),
            "status": self.status,
            "code": self._code(),
            "duration_ms": round((time.perf_counter() - self._began_s) * 1000),
            "request_id": self._request_id[:12],
            "reference": self.heard.reference,
        }

    def _touched(self) -> dict[str, str]:
        """Of a failed request nothing: its user may not know what it would have changed."""
        touched = self.heard.touched if self.status < 400 else {}
        return {name: storable(value, 64) for name, value in touched.items()}

    def _code(self) -> int:
        if self.status < 400:
            return 0
        try:
            return int(json.loads(self._reply)["code"])
        except (ValueError, TypeError, KeyError):
            return self.status
