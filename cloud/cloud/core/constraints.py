"""What a value breaks, as a code with its limit, for which the portal has words in either language. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Limits = dict[str, int | float | str]

KINDS: Mapping[str, str] = {
    "greater_than_equal": "at_least",
    "greater_than": "above",
    "less_than_equal": "at_most",
    "less_than": "below",
    "multiple_of": "multiple_of",
    "finite_number": "finite",
    "string_too_short": "text_short",
    "string_too_long": "text_long",
    "string_pattern_mismatch": "pattern",
    "string_type": "text",
    "string_unicode": "text",
    "too_short": "few",
    "too_long": "many",
    "missing": "missing",
    "extra_forbidden": "unknown_field",
    "literal_error": "one_of",
    "enum": "one_of",
    "union_tag_invalid": "one_of",
    "union_tag_not_found": "missing",
    "json_invalid": "json",
    "int_type": "whole",
    "int_parsing": "whole",
    "int_parsing_size": "whole",
    "int_from_float": "whole",
    "float_type": "number",
    "float_parsing": "number",
    "decimal_type": "number",
    "decimal_parsing": "number",
    "bool_type": "bool",
    "bool_parsing": "bool",
}
"""Kinds of pydantic's errors that people meet; of any other it is said that the value has another form."""

LIMITS = ("ge", "gt", "le", "lt", "multiple_of", "min_length", "max_length", "expected", "expected_tags")
OTHER = "form"
CODES = frozenset({*KINDS.values(), OTHER})
MAX_TEXT = 300


def broken(error: Mapping[str, Any]) -> tuple[str, Limits]:
    """The code of one of pydantic's errors (an entry of `errors()`), with its limit as `limit`."""
    context: Mapping[str, Any] = error.get("ctx") or {}
    limit = next((context[name] for name in LIMITS if name in context), None)
    code = KINDS.get(str(error.get("type")), OTHER)
    if limit is None:
        return code, {}
    if isinstance(limit, float) and limit.is_integer():
        limit = int(limit)
    value = limit if isinstance(limit, int | float) else str(limit)[:MAX_TEXT].replace("'", "")
    return code, {"limit": value.replace(" or ", ", ") if isinstance(value, str) else value}
