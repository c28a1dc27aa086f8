"""Keeps the caching that a file's reply asks for.

No reply of the API is stored; a file is the one exception, because its name is the digest of its bytes.
"""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cloud.domains.files.schemas import PREFIX

CACHING = "file_caching"
"""Where a reply's own Cache-Control stands in the state of its request."""


class ImmutableFiles:
    """Outside of everything else that sets headers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on; a file that is sent may be stored."""
        if scope["type"] != "http" or not scope["path"].startswith(PREFIX):
            await self._app(scope, receive, send)
            return

        async def pass_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                caching = scope.get("state", {}).get(CACHING)
                if caching is not None:
                    MutableHeaders(scope=message)["Cache-Control"] = caching
            await send(message)

        await self._app(scope, receive, pass_on)
