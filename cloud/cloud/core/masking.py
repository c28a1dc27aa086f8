"""What may be written down of values that no schema describes: secrets by their names. Pure."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from cloud.core.secret import MASK
from cloud.core.text import without_surrogates

CUT = "…"
MAX_BYTES = 4096
MAX_TEXT = 200
MAX_DEPTH = 8
MAX_ITEMS = 50
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
        if depth >= MAX_DEPTH:
            return CUT
        if isinstance(value, dict):
            return _object(value, depth, secret_names)
        return _list(value, depth, secret_names)
    if isinstance(value, str):
        text = _IN_URL.sub(f"://{MASK}@", value)
        return without_surrogates(text[:MAX_TEXT]) + (CUT if len(text) > MAX_TEXT else "")
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # no JSON
    return value


def _list(value: list[Any], depth: int, names: Names) -> list[Any]:
    items = [masked(item, depth + 1, names) for item in value[:MAX_ITEMS]]
    return [*items, f"{CUT}{len(value) - MAX_ITEMS}"] if len(value) > MAX_ITEMS else items


def _object(value: dict[str, Any], depth: int, names: Names) -> dict[str, Any]:
    labels = (value.get(name) for name in _NAMING)
    hidden = any(isinstance(word, str) and (is_secret(word) or _last(word) in names) for word in labels)
    result: dict[str, Any] = {}
    for name, item in list(value.items())[:MAX_ITEMS]:
        calls = name == "key" and not value.keys().isdisjoint(_CALLED)
        secret = is_secret(name) or _last(name) in names
        if (secret and not calls) or (hidden and name in _NAMED):
            result[without_surrogates(name[:MAX_TEXT])] = item if item in (None, "") else MASK
        else:
            result[without_surrogates(name[:MAX_TEXT])] = masked(item, depth + 1, names)
    if len(value) > MAX_ITEMS:
        result[CUT] = len(value) - MAX_ITEMS
    return result


def bounded(value: dict[str, Any], max_bytes: int = MAX_BYTES) -> dict[str, Any]:
    """The value when it has at most so many bytes as JSON; else fields that fit, insides only counted."""
    if _size(value) <= max_bytes:
        return value
    fields: dict[str, Any] = {}
    for name, item in value.items():
        more = {**fields, name: f"{CUT}{len(item)}" if isinstance(item, dict | list) else item}
        if _size({**more, CUT: len(value)}) > max_bytes:
            break
        fields = more
    return {**fields, CUT: len(value) - len(fields)} if len(fields) < len(value) else fields


def _last(name: str) -> str:
    """The last part of a path of names."""
    return re.split(r"[./]", name)[-1]


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
