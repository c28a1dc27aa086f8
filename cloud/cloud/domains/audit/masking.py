"""What of a request may be written down: secrets masked, long texts cut, at most 4 kB. Pure."""

from __future__ import annotations

import json
import math
import re
from typing import Any
from urllib.parse import parse_qsl

from cloud.kit.text import whole_text

MASK = "***"
CUT = "…"
MOST_BYTES = 4096
MOST_TEXT = 200
MOST_DEPTH = 8
MOST_ITEMS = 50
MOST_READ = 64 * 1024
"""Bytes of a body that are looked at; a larger one is only measured."""

SECRET_WORDS = frozenset({
    "password", "passwd", "passphrase", "passcode", "pass", "pwd", "pw", "pin", "secret", "secrets", "token",
    "tokens", "key", "keys", "apikey", "appkey", "accesskey", "privatekey", "credential", "credentials",
    "authorization", "cookie", "psk",
})  # fmt: skip
OF_OPERATION = {"bindDevice": frozenset({"code"})}
"""Fields of a body that hold a secret in this operation alone, by operation id."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_INSIDE = re.compile(r"passw|secret|token|credential|密码|密钥|口令", re.IGNORECASE)
_NAMING = ("name", "key", "field", "path", "id", "option")
_NAMED = frozenset({"value", "values", "new", "old", "default", "val", "data", "before", "after"})
_CALLED = frozenset({"value", "before"})
"""Beside these a key is what something is called, not what opens something."""
_IN_URL = re.compile(r"://[^/@\s]+@")


def is_secret(name: str) -> bool:
    """Does a field of this name hold a secret? accessPassword, api_key, X-Token, mqtt.pw ..."""
    return bool(_INSIDE.search(name)) or any(word.lower() in SECRET_WORDS for word in _WORD.findall(name))


def masked(value: Any, depth: int = 0) -> Any:
    """The value with secrets masked at every depth, and texts and lists cut.

    An object that names what its value is, as in {"name": "password", "value": "x"}, is masked in its value.
    """
    if isinstance(value, dict | list):
        if depth >= MOST_DEPTH:
            return CUT
        return _object(value, depth) if isinstance(value, dict) else _list(value, depth)
    if isinstance(value, str):
        text = _IN_URL.sub(f"://{MASK}@", value)
        return whole_text(text[:MOST_TEXT]) + (CUT if len(text) > MOST_TEXT else "")
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # no JSON
    return value


def _list(value: list[Any], depth: int) -> list[Any]:
    kept = [masked(item, depth + 1) for item in value[:MOST_ITEMS]]
    return [*kept, f"{CUT}{len(value) - MOST_ITEMS}"] if len(value) > MOST_ITEMS else kept


def _object(value: dict[str, Any], depth: int) -> dict[str, Any]:
    hidden = any(isinstance(value.get(name), str) and is_secret(value[name]) for name in _NAMING)
    result: dict[str, Any] = {}
    for name, item in list(value.items())[:MOST_ITEMS]:
        names = name == "key" and not value.keys().isdisjoint(_CALLED)
        if (is_secret(name) and not names) or (hidden and name in _NAMED):
            result[whole_text(name[:MOST_TEXT])] = item if item in (None, "") else MASK
        else:
            result[whole_text(name[:MOST_TEXT])] = masked(item, depth + 1)
    if len(value) > MOST_ITEMS:
        result[CUT] = len(value) - MOST_ITEMS
    return result


def bounded(value: dict[str, Any], most: int = MOST_BYTES) -> dict[str, Any]:
    """The value when it has at most so many bytes as JSON; else fields that fit, insides only counted."""
    if _size(value) <= most:
        return value
    kept: dict[str, Any] = {}
    for name, item in value.items():
        more = {**kept, name: f"{CUT}{len(item)}" if isinstance(item, dict | list) else item}
        if _size({**more, CUT: len(value)}) > most:
            break
        kept = more
    return {**kept, CUT: len(value) - len(kept)} if len(kept) < len(value) else kept


def of_body(content_type: str, body: bytes, length: int, operation: str = "") -> dict[str, Any]:
    """What a request sent, fit to be kept. length: of the whole body, of which body may be a part."""
    if length == 0:
        return {}
    measured = {"bytes": length, "content_type": content_type[:MOST_TEXT]}
    if length > len(body) or "json" not in content_type:
        return measured
    try:
        sent = masked(json.loads(body))
    except (ValueError, RecursionError):  # no JSON, a number of ten thousand digits, a thousand levels
        return measured
    if not isinstance(sent, dict):
        return bounded({"body": sent})
    return bounded(sent | dict.fromkeys(OF_OPERATION.get(operation, frozenset()) & sent.keys(), MASK))


def of_query(query: bytes) -> dict[str, Any]:
    """The query string by name; of a repeated name the last."""
    try:
        pairs = parse_qsl(query.decode("ascii", "replace"), keep_blank_values=True, max_num_fields=MOST_ITEMS)
    except ValueError:
        return {CUT: len(query)}
    return bounded(_object(dict(pairs), 0))


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
