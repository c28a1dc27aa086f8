"""What may be written down of values that no schema describes: secrets by their names. Pure."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from cloud.core.secret import MASK
from cloud.core.text import whole_text

CUT = "…"
MOST_BYTES = 4096
MOST_TEXT = 200
MOST_DEPTH = 8
MOST_ITEMS = 50
SECRET_WORDS = frozenset({
    "password", "passwd", "passphrase", "passcode", "pass", "pwd", "pw", "pin", "secret", "secrets", "token",
    "tokens", "key", "keys", "apikey", "appkey", "accesskey", "privatekey", "credential", "credentials",
    "authorization", "cookie", "psk",
})  # fmt: skip
Names = frozenset[str]
"""Further names of secrets, such as options that a protocol marks."""

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


def masked(value: Any, depth: int = 0, secret_names: Names = frozenset()) -> Any:
    """The value with secrets masked at every depth, and texts and lists cut.

    An object that names what its value is, as in {"name": "password", "value": "x"}, is masked in its value.
    """
    if isinstance(value, dict | list):
        if depth >= MOST_DEPTH:
            return CUT
        if isinstance(value, dict):
            return _object(value, depth, secret_names)
        return _list(value, depth, secret_names)
    if isinstance(value, str):
        text = _IN_URL.sub(f"://{MASK}@", value)
        return whole_text(text[:MOST_TEXT]) + (CUT if len(text) > MOST_TEXT else "")
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # no JSON
    return value


def _list(value: list[Any], depth: int, names: Names) -> list[Any]:
    kept = [masked(item, depth + 1, names) for item in value[:MOST_ITEMS]]
    return [*kept, f"{CUT}{len(value) - MOST_ITEMS}"] if len(value) > MOST_ITEMS else kept


def _object(value: dict[str, Any], depth: int, names: Names) -> dict[str, Any]:
    said = (value.get(name) for name in _NAMING)
    hidden = any(isinstance(word, str) and (is_secret(word) or _last(word) in names) for word in said)
    result: dict[str, Any] = {}
    for name, item in list(value.items())[:MOST_ITEMS]:
        calls = name == "key" and not value.keys().isdisjoint(_CALLED)
        secret = is_secret(name) or _last(name) in names
        if (secret and not calls) or (hidden and name in _NAMED):
            result[whole_text(name[:MOST_TEXT])] = item if item in (None, "") else MASK
        else:
            result[whole_text(name[:MOST_TEXT])] = masked(item, depth + 1, names)
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


def _last(name: str) -> str:
    """The last part of a path of names."""
    return re.split(r"[./]", name)[-1]


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
