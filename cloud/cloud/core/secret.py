"""Secrets in requests: one mark, by which audit, logs and the API's description know what is not shown."""

from __future__ import annotations

from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

MASK = "***"
FORMAT = "password"
"""Of a secret in a JSON schema."""


class SecretText(str):
    """A text that shows itself as MASK wherever it is not asked for by name."""

    __slots__ = ()

    def __repr__(self) -> str:
        return repr(MASK)


class Secret:
    """Marks a field: `password: Annotated[str, Secret()]`. Its value is a SecretText, and masked as JSON.

    readable: replies have it too, so that JSON keeps it; the audit masks it all the same.
    """

    def __init__(
        self,
        *,
        min_length: int | None = None,
        max_length: int = 200,
        pattern: str | None = None,
        readable: bool = False,
    ) -> None:
        self._limits = {"min_length": min_length, "max_length": max_length, "pattern": pattern}
        self._readable = readable

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        given: dict[str, Any] = {name: limit for name, limit in self._limits.items() if limit is not None}
        text = core_schema.str_schema(**given)
        if self._readable:
            return core_schema.no_info_after_validator_function(SecretText, text)
        shown = core_schema.plain_serializer_function_ser_schema(
            _masked, when_used="json", return_schema=core_schema.str_schema()
        )
        return core_schema.no_info_after_validator_function(SecretText, text, serialization=shown)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        made = handler(schema)
        made["format"] = FORMAT
        if not self._readable:
            made["writeOnly"] = True
        return made


def _masked(value: str) -> str:
    return MASK if value else value
