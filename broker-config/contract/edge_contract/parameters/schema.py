"""JSON schema of every group, of which portal and others make their forms (2020-12)."""

from __future__ import annotations

from functools import cache

import msgspec

from edge_contract.parameters.groups import GROUPS
from edge_contract.parameters.model import Json, ParameterGroup


def schema_of(group: ParameterGroup) -> Json:
    """Of one row. Regular expressions are those of browsers and of Python alike."""
    schema = msgspec.json.schema(group.model)
    definitions = schema["$defs"]
    name = schema["$ref"].rpartition("/")[2]
    own = definitions.pop(name)
    made: Json = _plain(own)
    made["additionalProperties"] = False
    if definitions:
        made["$defs"] = {each: _plain(shape) for each, shape in definitions.items()}
    return made


@cache
def exported() -> Json:
    """All groups in their order: words, how many rows, what a row is known by, and the schema of a row."""
    return {
        group.name: {
            "title": {"zh": group.zh, "en": group.en},
            "key": list(group.key),
            "max_rows": group.max_rows,
            "row": schema_of(group),
        }
        for group in GROUPS.values()
    }


def _plain(shape: Json) -> Json:
    """Without what JSON schema has no use for: the end of a text is the end."""
    made: Json = {}
    for key, value in shape.items():
        if isinstance(value, dict):
            made[key] = _plain(value)
        elif isinstance(value, list | tuple):
            made[key] = [_plain(each) if isinstance(each, dict) else each for each in value]
        elif key == "pattern":
            made[key] = value.replace("(?!\\n)", "")
        else:
            made[key] = value
    return made
