"""What the agent refuses, as an answer with field and rule."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

import msgspec
from aiohttp import web
from aiohttp.typedefs import Handler

from edge_agent.errors import BadValue, ConfigError, ConfigErrors, FieldbusError, StoreError
from edge_agent.localweb.connections import body_of
from edge_agent.localweb.guard import answer
from edge_agent.rules import request_fault
from edge_contract.payloads import Outcome


class Pages(Protocol):
    """One part of what the page can ask."""

    def routes(self) -> list[web.RouteDef]: ...


def refused(status: int, field: str, rule: str) -> web.Response:
    return answer(status, {"error": {"field": field, "rule": rule}})


def guarded(handler: Callable[[bytes, str], Awaitable[web.Response]]) -> Handler:
    """Hand over the body and who asks; what the agent refuses becomes an answer with field and rule."""

    async def guard(request: web.Request) -> web.StreamResponse:
        try:
            # A browser that goes away leaves a write half answered otherwise.
            return await asyncio.shield(handler(await body_of(request), who_asks(request)))
        except msgspec.MsgspecError as error:
            return refused(400, *request_fault(error, "request"))
        except ConfigErrors as error:
            faults = [{"field": one.field, "rule": one.rule} for one in error.errors]
            return answer(400, {"error": faults[0], "faults": faults})
        except ConfigError as error:
            return refused(400, error.field, error.rule)
        except BadValue as error:
            return refused(400, "value", str(error))
        except FieldbusError as error:
            described = {"error": {"field": "device", "rule": str(error)}, "code": error.code}
            return answer(502, described | ({"outcome": Outcome.UNKNOWN} if error.may_have_acted else {}))
        except StoreError as error:
            return refused(503, "medium", str(error))

    return guard


def who_asks(request: web.Request) -> str:
    """For the log."""
    return f"admin at {request.remote}"
