"""Refused before any endpoint sees it: texts in a body that cannot be stored or mislead."""

from __future__ import annotations

from fastapi import Request
from starlette.requests import HTTPConnection

from cloud.core.text import NO_SURROGATES, is_suspect, refusal
from cloud.errors import ParameterError


async def readable_texts(connection: HTTPConnection) -> None:
    """Of every operation, before the domain's own rules; ParameterError names field and rule.

    A body that is no JSON passes: it is a file, or whoever reads it says what is wrong.
    """
    reads = getattr(connection.scope.get("route"), "body_field", None) is not None
    if not reads or not isinstance(connection, Request):
        return  # what nobody asked for is not read either
    if not is_suspect(await connection.body()):
        return
    try:
        found = refusal(await connection.json())
    except (ValueError, RecursionError):
        return
    if found is not None:
        field, rule = found
        raise ParameterError(field, rule, reason="text.half" if rule == NO_SURROGATES else "text.unreadable")
