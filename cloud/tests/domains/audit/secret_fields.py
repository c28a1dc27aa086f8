"""Secrets of an OpenAPI document: where each operation takes one, and a well formed body around it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Schema = dict[str, Any]

SMELL = re.compile(
    r"passw|passcode|passphrase|pwd|secret|token|key|credential|community|private|signature"
    r"|(^|_)(pw|psk|pin|code|auth|old|new)($|_)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Field:
    """A field of a body, or a parameter. place: json, form, query, path or header; path: from outside."""

    place: str
    path: tuple[str, ...]
    schema: Schema

    @property
    def is_secret(self) -> bool:
        return any(each.get("format") == "password" for each in (self.schema, *unions(self.schema)))

    @property
    def smells(self) -> bool:
        return SMELL.search(self.path[-1]) is not None and not self.holds_no_text

    @property
    def holds_no_text(self) -> bool:
        """A number, a switch, an object or one of a few words is no secret."""
        kinds = {"integer", "number", "boolean", "null", "object", "array"}
        return all(
            each.get("type") in kinds or "enum" in each or "const" in each or "$ref" in each
            for each in unions(self.schema) or [self.schema]
        )


@dataclass(frozen=True)
class Described:
    """An operation of the document."""

    id: str
    verb: str
    path: str
    fields: tuple[Field, ...]
    body: Schema | None

    @property
    def secrets(self) -> list[Field]:
        return [field for field in self.fields if field.is_secret]


def unions(schema: Schema) -> list[Schema]:
    return [each for name in ("anyOf", "oneOf", "allOf") for each in schema.get(name, ())]


class Document:
    def __init__(self, document: dict[str, Any]) -> None:
        self._schemas = document["components"]["schemas"]
        self.operations = [
            self._operation(verb, path, operation)
            for path, verbs in document["paths"].items()
            for verb, operation in verbs.items()
        ]

    def _operation(self, verb: str, path: str, operation: dict[str, Any]) -> Described:
        fields = [
            Field(each["in"], (each["name"],), each["schema"]) for each in operation.get("parameters", ())
        ]
        contents = operation.get("requestBody", {}).get("content", {})
        for kind, content in contents.items():
            place = "json" if "json" in kind else "form"
            fields += [Field(place, *found) for found in self._walk(content["schema"], (), frozenset())]
        body = contents.get("application/json", {}).get("schema")
        return Described(operation["operationId"], verb.upper(), path, tuple(fields), body)

    def _walk(
        self, schema: Schema, path: tuple[str, ...], seen: frozenset[str]
    ) -> Iterator[tuple[tuple[str, ...], Schema]]:
        if ref := schema.get("$ref"):
            if ref not in seen:
                yield from self._walk(self.at(schema), path, seen | {ref})
            return
        inside = [*unions(schema), schema.get("items"), schema.get("additionalProperties")]
        for each in filter(lambda found: isinstance(found, dict), inside):
            yield from self._walk(each, path, seen)
        for name, each in schema.get("properties", {}).items():
            yield (*path, name), each
            yield from self._walk(each, (*path, name), seen)

    def at(self, schema: Schema) -> Schema:
        """What a schema refers to."""
        found: Schema = self._schemas[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
        return found

    def example(self, schema: Schema, secret: str) -> Any:
        """A small value of the schema with the secret in each secret field."""
        schema = self.at(schema)
        if schema.get("format") == "password":
            return secret
        if found := unions(schema):
            secret_ones = [each for each in found if self.at(each).get("format") == "password"]
            return self.example((secret_ones or found)[0], secret)
        if "const" in schema or "enum" in schema:
            return schema.get("const", schema.get("enum", [None])[0])
        if "properties" in schema:
            wanted = schema.get("required", [])
            return {
                name: self.example(each, secret)
                for name, each in schema["properties"].items()
                if name in wanted or Field("json", (name,), each).is_secret
            }
        by_type = {"integer": 1, "number": 1, "boolean": True, "array": [], "object": {}, "string": "x" * 8}
        return by_type.get(schema.get("type", ""))
