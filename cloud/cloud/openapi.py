"""The OpenAPI document: every operation names the statuses with which it may refuse, and the token that it
needs, in one place for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from cloud.domains.base import Domain
from cloud.domains.identity.access import signed_in

REFUSALS = {
    400: ("Invalid", "The input breaks a rule, named by data.field and data.rule (10002) or by data.reason"),
    401: ("NotSignedIn", "No valid token (10010), or a wrong sign-in (10009)"),
    403: ("NotPermitted", "The user may not do this (10001)"),
    404: ("NotFound", "No such thing, or not one that the user may see"),
    405: ("NotAllowed", "No such operation: the path has another method, or an id in it that is no number"),
    409: ("InConflict", "It is there already, or in a state that forbids this"),
    413: ("TooLarge", "The body is too large, or does not say how large it is"),
    429: ("Busy", "Too much of this at once: the same call may succeed later (20001)"),
    503: ("Unavailable", "A part that is needed cannot serve now"),
}
"""Status to the name and meaning of its response. Wrong input is a 400, never FastAPI's 422."""

SCHEME = "token"
_TOKEN = {
    "type": "apiKey",
    "in": "header",
    "name": "X-Token",
    "description": "token of POST /login/login; refreshed by POST /login/refreshtoken",
}

_CLASSES = ("4XX", "5XX", "422")
_UNUSED = ("HTTPValidationError", "ValidationError")


def document(app: FastAPI, domains: Sequence[Domain]) -> dict[str, Any]:
    """What FastAPI makes of the routes, with REFUSALS instead of the classes of statuses."""
    made: dict[str, Any] = FastAPI.openapi(app)
    components = made["components"]
    if "responses" in components:
        return made  # the same document as the last time
    failure = {"application/json": {"schema": {"$ref": "#/components/schemas/Failure"}}}
    components["responses"] = {
        name: {"description": meaning, "content": failure} for name, meaning in REFUSALS.values()
    }
    components["securitySchemes"] = {SCHEME: _TOKEN}
    signed = _signed(domains)
    made["paths"] = dict(sorted(made["paths"].items()))  # whatever the order of the domains
    for operations in made["paths"].values():
        for operation in operations.values():
            if operation.get("operationId") in signed:
                operation["security"] = [{SCHEME: []}]
            responses = operation["responses"]
            for name in _CLASSES:
                responses.pop(name, None)
            for status, (name, _) in REFUSALS.items():
                responses.setdefault(str(status), {"$ref": f"#/components/responses/{name}"})
    for name in _UNUSED:
        components["schemas"].pop(name, None)
    return made


def _signed(domains: Sequence[Domain]) -> set[str]:
    """Operations that nobody calls without having signed in."""
    return {
        route.operation_id
        for domain in domains
        for router in domain.routers
        for route in router.routes
        if isinstance(route, APIRoute) and route.operation_id and _asks(route.dependant)
    }


def _asks(dependant: Dependant) -> bool:
    return dependant.call is signed_in or any(map(_asks, dependant.dependencies))


def install(app: FastAPI, domains: Sequence[Domain]) -> None:
    """Let the application describe itself so."""
    app.openapi = lambda: document(app, domains)  # type: ignore[method-assign]
