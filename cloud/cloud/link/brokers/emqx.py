"""EMQX's HTTP authenticator: one request a connection, answered with the client's whole access list.

EMQX 5.8 takes a 4xx or 5xx answer as "ignore"; as the only authenticator of the chain that denies. Nothing
here answers 204, which would admit.

EMQX asks the full process, which lets in, with the cloud's password, every name that begins with its own
and `-`. The answer is the whole list; any failure is `deny`. A revoked gateway's open session is ended by
taking it over (`takeover.py`).
"""

from __future__ import annotations

import hmac
import logging
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from fastapi import APIRouter, Header, Request
from fastapi.responses import JSONResponse

from cloud.link.hooks import Authenticate
from edge_contract.access import Action, Principal, Role, grants, well_formed
from edge_contract.topics import Message, topic

log = logging.getLogger(__name__)

PATH = "/internal/emqx/auth"

MAX_REQUEST_BYTES = 16 * 1024

DENY = {"result": "deny"}


def router(authenticate: Authenticate, secret: str) -> APIRouter:
    """The endpoint. secret: value of the header X-Emqx-Secret; ValueError when it is too short to be one."""
    if len(secret) < 16:
        raise ValueError("emqx_secret_file: at least 16 characters")
    made = APIRouter()

    @made.post(PATH, include_in_schema=False)
    async def auth(request: Request, x_emqx_secret: str = Header(default="")) -> JSONResponse:
        if not hmac.compare_digest(x_emqx_secret.encode(), secret.encode()):
            return JSONResponse(DENY, status_code=401)
        fields = await _fields(request)
        username, password = fields.get("username", ""), fields.get("password", "")
        if not password or not well_formed(username, fields.get("clientid", "")):
            return JSONResponse(DENY)
        try:
            principal = await authenticate(username, password)
        except Exception:
            # Any failure has to become a refusal here: EMQX would take an error as "ignore".
            log.exception("cannot authenticate %s", username)
            return JSONResponse(DENY)
        return JSONResponse(DENY if principal is None else allow(principal))

    return made


def allow(principal: Principal) -> dict[str, Any]:
    """The answer that admits a client, with everything that it may do and a final deny."""
    rules: list[dict[str, Any]] = []
    for grant in grants(principal):
        if grant.action is Action.PUBLISH:
            rules.append(_rule("publish", grant.topic) | {"retain": "all" if grant.retain else False})
        else:
            rules.append(_rule("subscribe", f"eq {grant.topic}"))
    if principal.role is Role.GATEWAY:
        down = (topic(principal.name, message) for message in Message if not message.from_gateway)
        rules += [_rule("subscribe", f"eq {item}") for item in down]
    rules.append({"permission": "deny", "action": "all", "topics": ["#", "$SYS/#"]})
    return {"result": "allow", "is_superuser": False, "acl": rules}


def _rule(action: str, item: str) -> dict[str, Any]:
    return {"permission": "allow", "action": action, "topic": item, "qos": [0, 1]}


async def _fields(request: Request) -> dict[str, str]:
    """Text fields of a JSON or form body; empty when it is neither, or too large."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MAX_REQUEST_BYTES:
            return {}
    try:
        if request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
            return dict(parse_qsl(body.decode(), keep_blank_values=True))
        return msgspec.json.decode(body, type=dict[str, str])
    except (msgspec.DecodeError, UnicodeDecodeError):
        return {}
