"""Signing in and out, and a new password.

GET /api/session: signed in or not. POST /api/login {password}: 429 with wait_s while the address is
locked. POST /api/logout. POST /api/system/password {password, new}.
"""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import msgspec
from aiohttp import web
from aiohttp.typedefs import Handler

from edge_agent.errors import BadValue
from edge_agent.localweb import passwords
from edge_agent.localweb.connections import body_of
from edge_agent.localweb.guard import answer
from edge_agent.localweb.lasting import Lasting
from edge_agent.localweb.refusals import guarded, refused
from edge_agent.rules import request_fault
from edge_agent.system.clock import Clock

log = logging.getLogger(__name__)

COOKIE = "edge_session"
PUBLIC = {"/api/login", "/api/session"}


class SignIn(msgspec.Struct, forbid_unknown_fields=True):
    password: str


class NewPassword(msgspec.Struct, forbid_unknown_fields=True):
    password: str
    new: str


class SigningPages:
    """folder: where the password lies. secure: the cookie travels over TLS only."""

    def __init__(self, folder: Path, title: str, lasting: Lasting, clock: Clock, *, secure: bool) -> None:
        self._folder = folder
        self._title = title
        self._sessions = lasting.sessions
        self._gate = lasting.gate
        self._clock = clock
        self._secure = secure
        self._hashing = asyncio.Lock()  # one at a time: each takes 19 MB

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/api/session", self._session),
            web.post("/api/login", self._login),
            web.post("/api/logout", self._logout),
            web.post("/api/system/password", guarded(self._change)),
        ]

    @web.middleware
    async def signed_in(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Everything under /api/ but PUBLIC is for who is signed in."""
        path = request.path
        if path.startswith("/api/") and path not in PUBLIC and not self._valid(request):
            return refused(401, "session", "must be signed in")
        return await handler(request)

    def _valid(self, request: web.Request) -> bool:
        return self._sessions.valid(request.cookies.get(COOKIE, ""), self._clock.monotonic())

    async def _session(self, request: web.Request) -> web.Response:
        return answer(200, {"signed_in": self._valid(request), "title": self._title})

    async def _login(self, request: web.Request) -> web.Response:
        address = request.remote or ""
        try:
            wanted = msgspec.json.decode(await body_of(request), type=SignIn)
        except msgspec.MsgspecError as error:
            return refused(400, *request_fault(error, "password"))
        async with self._hashing:
            wait_s = self._gate.wait_s(address, self._clock.monotonic())
            if wait_s > 0:
                response = answer(
                    429, {"error": {"field": "password", "rule": "too many failures"}, "wait_s": wait_s}
                )
                response.headers["Retry-After"] = str(int(wait_s) + 1)
                return response
            right = await asyncio.to_thread(passwords.verify, self._folder, wanted.password)
            if not right:
                self._gate.failed(address, self._clock.monotonic())
        if not right:
            log.warning("audit: failed sign-in to the local page from %s", address)
            return refused(401, "password", "is wrong")
        self._gate.succeeded(address)
        log.info("audit: sign-in to the local page from %s", address)
        return self._begin({"signed_in": True})

    def _begin(self, body: object) -> web.Response:
        response = answer(200, body)
        token = self._sessions.begin(self._clock.monotonic())
        response.set_cookie(COOKIE, token, httponly=True, samesite="Strict", secure=self._secure, path="/")
        return response

    async def _logout(self, request: web.Request) -> web.Response:
        self._sessions.end(request.cookies.get(COOKIE, ""))
        response = answer(200, {"signed_in": False})
        response.del_cookie(COOKIE, path="/")
        return response

    async def _change(self, body: bytes, who: str) -> web.Response:
        """A new password; whoever else is signed in has to sign in again."""
        wanted = msgspec.json.decode(body, type=NewPassword)
        async with self._hashing:
            if not await asyncio.to_thread(passwords.verify, self._folder, wanted.password):
                log.warning("audit: %s could not change the password: the present one was wrong", who)
                return refused(403, "password", "is wrong")
            try:
                await asyncio.to_thread(passwords.change, self._folder, wanted.new)
            except BadValue as error:
                return refused(400, "new", str(error))
        self._sessions.end_all()
        log.info("audit: %s changed the local page's password", who)
        return self._begin({"changed": True})
