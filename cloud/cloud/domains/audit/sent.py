"""What a request sent, as far as it may be written down: by what its operation takes.

Of a request that reached no operation only names and sizes are recorded; of a body above 64 KiB, or one that
is no JSON, its size; of one request at most 4 kB.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Annotated, Any
from urllib.parse import parse_qsl

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import TypeAdapter
from pydantic.fields import FieldInfo

from cloud.core.masking import CUT, MAX_ITEMS, MAX_TEXT, Names, bounded, masked
from cloud.core.secret import FORMAT, MASK
from cloud.core.text import storable, without_surrogates
from cloud.domains.audit.shapes import Shape

MAX_BODY_BYTES = 64 * 1024
"""Bytes of a body that are looked at; a larger one is only measured."""


class Operation:
    """What a route takes. Without a route nothing but names and sizes is recorded."""

    def __init__(self, route: APIRoute | None, secret_names: Names) -> None:
        body = route.body_field if route else None
        parameters = list(_parameters(route.dependant)) if route else []
        self.id = (route.operation_id or "") if route else ""
        self.path = route.path if route else ""
        self._body = Shape(_schema(body.field_info), secret_names) if body else None
        self._query = {name: _is_secret(field) for kind, name, field in parameters if kind == "query"}
        self._secret_ids = frozenset(
            name for kind, name, field in parameters if kind == "path" and _is_secret(field)
        )

    def body(self, content_type: str, body: bytes, length: int) -> dict[str, Any]:
        """length: of the complete body in bytes; body may be its beginning only."""
        if length == 0:
            return {}
        measured = {"bytes": length, "content_type": content_type[:MAX_TEXT]}
        if length > len(body) or "json" not in content_type or self._body is None:
            return measured
        try:
            sent = self._body.mask(json.loads(body))
        except (ValueError, RecursionError):  # no JSON, a number of ten thousand digits, a thousand levels
            return measured
        return bounded(sent if isinstance(sent, dict) else {"body": sent})

    def query(self, query: bytes) -> dict[str, Any]:
        """By name, of a repeated one the last. What the operation does not take is masked."""
        try:
            pairs = parse_qsl(
                query.decode("ascii", "replace"), keep_blank_values=True, max_num_fields=MAX_ITEMS
            )
        except ValueError:
            return {CUT: len(query)}
        sent = {
            without_surrogates(name[:MAX_TEXT]): MASK
            if value and self._query.get(name, True)
            else masked(value)
            for name, value in pairs
        }
        return bounded(sent)

    def ids(self, params: Mapping[str, Any]) -> dict[str, Any]:
        return {
            name: MASK if name in self._secret_ids else masked(storable(str(value), 64))
            for name, value in params.items()
        }

    def place(self, path: str) -> str:
        """The path, or that of the route where it has a secret in it."""
        return storable(self.path if self._secret_ids else path, 200)


class Operations:
    """Of every route, made when it is first called. secret_names: in free-form parts."""

    def __init__(self, secret_names: Names) -> None:
        self._names = secret_names
        self._known: dict[int, tuple[APIRoute | None, Operation]] = {}

    def of(self, route: object) -> Operation:
        key = route if isinstance(route, APIRoute) else None
        if id(key) not in self._known:
            self._known[id(key)] = key, Operation(key, self._names)  # holding it keeps its id unique
        return self._known[id(key)][1]


def _parameters(dependant: Dependant) -> Iterable[tuple[str, str, FieldInfo]]:
    """Kind, name and description of every parameter, those of dependencies too."""
    for kind, fields in (("path", dependant.path_params), ("query", dependant.query_params)):
        for field in fields:
            yield kind, field.alias, field.field_info
    for below in dependant.dependencies:
        yield from _parameters(below)


def _schema(field: FieldInfo) -> dict[str, Any]:
    annotation: Any = field.annotation
    return TypeAdapter(annotation).json_schema()


def _is_secret(field: FieldInfo) -> bool:
    """Whether the mark lies on the parameter or inside its type."""
    annotation: Any = field.annotation
    if field.metadata:
        annotation = Annotated[(annotation, *field.metadata)]
    return f'"format": "{FORMAT}"' in json.dumps(TypeAdapter(annotation).json_schema())
