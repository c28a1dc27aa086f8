"""Reads the part of HOCON that the committed EMQX settings use: objects, arrays, dotted keys, words."""

from __future__ import annotations

import re
from typing import Any

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],=:\n]|[^\s{}\[\],="]+')


def parse(text: str) -> dict[str, Any]:
    """Settings as nested dictionaries; ValueError: not of the subset, or a key comes twice."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    tokens = TOKEN.findall("\n".join(lines))
    content, rest = _object(tokens, top=True)
    if rest:
        raise ValueError(f"not read: {rest[:5]}")
    return content


def _object(tokens: list[str], top: bool = False) -> tuple[dict[str, Any], list[str]]:
    result: dict[str, Any] = {}
    while tokens:
        word, *tokens = tokens
        if word in "\n,":
            continue
        if word == "}" and not top:
            return result, tokens
        if word in "{}[]=:":
            raise ValueError(f"unexpected {word!r}")
        if tokens[0] == "=":
            tokens = tokens[1:]
        value, tokens = _value(tokens)
        _set(result, [word.strip('"')] if word.startswith('"') else word.split("."), value)
    if not top:
        raise ValueError("an object is not closed")
    return result, tokens


def _value(tokens: list[str]) -> tuple[Any, list[str]]:
    word, *rest = tokens
    if word == "{":
        return _object(rest)
    if word == "[":
        items = []
        while rest[0] != "]":
            if rest[0] in "\n,":
                rest = rest[1:]
                continue
            item, rest = _value(rest)
            items.append(item)
        return items, rest[1:]
    if word in "}],=\n":
        raise ValueError(f"a value is missing before {word!r}")
    return word.strip('"'), rest


def _set(target: dict[str, Any], path: list[str], value: Any) -> None:
    for name in path[:-1]:
        target = target.setdefault(name, {})
    if path[-1] in target:
        raise ValueError(f"{path[-1]} is set twice")
    target[path[-1]] = value
