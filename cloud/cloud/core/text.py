"""Texts from outside, made fit for a column, and what is wrong with those of a request. Pure.

Halves of surrogate pairs, which UTF-8 and so no reply has a form for, are refused in every JSON body
(`json_bodies.py`, a dependency of the application). In titles, names and labels so are controls that turn
the reading direction, and texts of which nothing is seen. What is inside a name, as the joiners of emoji,
is fine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

MAX_FIELD = 200
"""Characters of the path that names a wrong text."""

NO_SURROGATES = "no half of a surrogate pair"
READABLE = "no characters that turn the reading direction, and at least one that is seen"

_HALF = re.compile("[\ud800-\udfff]")
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
_UNSEEN = re.compile("[\\s\u00ad\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u2060-\u2064\u3164\ufeff\uffa0]+")
_CALLED = re.compile(r"(^|_)(title|name|label|nick)$", re.IGNORECASE)
_SUSPECT = re.compile(
    rb"\x00|\xed[\xa0-\xbf]|\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa0-\xa9]|\xef\xbb\xbf|\xef\xbe\xa0"
    rb"|\xc2\xad|\xcd\x8f|\xd8\x9c|\xe1\x85[\x9f\xa0]|\xe1\xa0\x8e|\xe3\x85\xa4"
    rb"|\\u(?:[dD][89a-fA-F]|20[0-6]|00[aA][dD]|034[fF]|061[cC]|11[56]|180[eE]|3164|[fF][eE][fF][fF]|[fF]{2}[aA]0)"
)


def storable(text: str, max_length: int) -> str:
    """At most so many characters, without NUL, which PostgreSQL refuses, and halves of surrogate pairs."""
    return without_surrogates(text.replace("\0", "")[:max_length])


def without_surrogates(text: str) -> str:
    """The text with ? for each half of a surrogate pair: UTF-8 has no form for them."""
    return text.encode("utf-8", "replace").decode()


def is_suspect(body: bytes) -> bool:
    """May this JSON have a text that is refused? Seldom, so that few bodies are read twice."""
    return _SUSPECT.search(body) is not None


def refusal(value: Any) -> tuple[str, str] | None:
    """Field and rule of the first text that no domain may be given, in what was read from JSON.

    Halves of surrogate pairs are refused everywhere, also in names of fields; in titles and names also what
    turns the reading direction, and nothing but what is not seen. Marks inside a name, as in emoji, are fine.
    """
    return next(_refusals(value), None)


def _refusals(value: Any) -> Iterator[tuple[str, str]]:
    waiting: list[tuple[str, bool, Any]] = [("", False, value)]
    while waiting:
        path, called, value = waiting.pop()
        if isinstance(value, str):
            if _HALF.search(value):
                yield _field(path), NO_SURROGATES
            elif called and (_TURNING.search(value) or (value and _is_unseen(value))):
                yield _field(path), READABLE
        elif isinstance(value, list):
            inside = [(f"{path}.{at}", False, item) for at, item in enumerate(value)]
            waiting += reversed(inside)
        elif isinstance(value, dict):
            for name in value:
                if _HALF.search(name):
                    yield _field(f"{path}.{name}"), NO_SURROGATES
            fields = [(f"{path}.{name}", bool(_CALLED.search(name)), item) for name, item in value.items()]
            waiting += reversed(fields)


def _is_unseen(text: str) -> bool:
    return _UNSEEN.fullmatch(text) is not None and not text.isspace()  # blanks have rules of their own


def _field(path: str) -> str:
    return storable(path.removeprefix("."), MAX_FIELD) or "body"
