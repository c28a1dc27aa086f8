"""The text of a formula to words: every reference found and resolved before Python's parser sees anything.

A reference is `point` of the same slave, `slave.point`, or either in braces, which every name may stand in
and which names with a hyphen, a leading digit or a word of Python's need: `{meter-1.Ua}`, `{2nd}`, `{in}`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from keyword import iskeyword

from edge_agent.errors import ConfigError
from edge_agent.points.formula.functions import FUNCTIONS

MAX_CHARACTERS = 4000
MAX_WORDS = 1000
MAX_PARENTHESES = 30  # one in the other
MAX_TEXT = 64  # characters of a quoted text

KEYWORDS = {"and", "or", "not", "if", "else", "in", "True", "False"}
CONSTANTS = {"pi"}

WORD = re.compile(
    r"""\s*(?:
      (?P<brace>\{[^{}]*\})
    | (?P<number>0[xX][0-9a-fA-F]+|0[bB][01]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
    | (?P<name>[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_0-9][A-Za-z0-9_-]*)?)
    | (?P<text>"[^"\\]*"|'[^'\\]*')
    | (?P<double>&&|\|\||<>)
    | (?P<operator>\*\*|//|<<|>>|<=|>=|==|!=|[-+*/%&|~<>(),])
    | (?P<wrong>.)
    )""",
    re.VERBOSE | re.ASCII,
)
INSTEAD = {
    "=": "write == to compare",
    "!": "write not",
    "&&": "write and",
    "||": "write or",
    "<>": "write !=",
    "?": "write A if CONDITION else B",
    "^": "write ** for a power, xor(a, b) for exclusive or",
    "}": "a brace was not opened",
    "{": "a brace is not closed",
    '"': "a text is not closed, or has a backslash",
    "'": "a text is not closed, or has a backslash",
}


@dataclass
class FormulaTokens:
    """text: as Python's parser may read it, column for column; references: key by column, from 0."""

    text: str
    references: dict[int, int] = field(default_factory=dict)
    written: dict[int, str] = field(default_factory=dict)  # key to the name it was first given


def refused(where: str, column: int, rule: str) -> ConfigError:
    """column: from 0; people count from 1."""
    return ConfigError(where, f"column {column + 1}: {rule}")


def read_words(text: str, names: Mapping[str, int], where: str) -> FormulaTokens:
    """Words of a formula; ConfigError with field `where` for what is none, and for an unknown point."""
    if len(text) > MAX_CHARACTERS:
        raise ConfigError(where, f"must be at most {MAX_CHARACTERS} characters")
    if not text.strip():
        raise ConfigError(where, "must not be empty")
    for column, character in enumerate(text):
        if not (" " <= character <= "~" or character in "\t\r\n"):
            raise refused(where, column, f"must be ASCII, {character!r} is not")
    words = FormulaTokens(re.sub(r"\s", " ", text).rstrip())
    parts = list(words.text)
    count, end, open_at = 0, 0, list[int]()
    while end < len(words.text):
        match = WORD.match(words.text, end)
        assert match is not None and match.lastgroup is not None  # `wrong` takes any character
        kind, word = match.lastgroup, match[match.lastgroup]
        start, end = match.span(kind)
        count += 1
        if count > MAX_WORDS:
            raise refused(where, start, f"must be at most {MAX_WORDS} words")
        _check(where, words.text, kind, word, start, open_at)
        if kind == "brace" or (kind == "name" and _is_reference(where, words.text, word, start, names)):
            written = word.strip("{}").strip()
            if written not in names:
                raise refused(
                    where, start, f"{written!r} is no point; write point, slave.point or {{slave.point}}"
                )
            words.references[start] = names[written]
            words.written.setdefault(names[written], written)
            parts[start:end] = "_".ljust(end - start)
    if open_at:
        raise refused(where, open_at[-1], "a parenthesis is not closed")
    words.text = "".join(parts)
    return words


def _check(where: str, text: str, kind: str, word: str, start: int, open_at: list[int]) -> None:
    """Refuse a word for itself; open_at: columns of the parentheses that are open."""
    before = text[start - 1] if start else " "
    if kind in {"brace", "number", "name"} and (before.isalnum() or before in "_.}"):
        raise refused(
            where,
            start,
            "an operator is missing; a name with - or with a leading digit needs braces: {meter-1.Ua}",
        )
    if kind in {"double", "wrong"}:
        raise refused(where, start, INSTEAD.get(word, f"{word!r} has no meaning in a formula"))
    if kind == "text" and len(word) - 2 > MAX_TEXT:
        raise refused(where, start, f"a text must be at most {MAX_TEXT} characters")
    if word == "(":
        open_at.append(start)
        if len(open_at) > MAX_PARENTHESES:
            raise refused(where, start, f"must be at most {MAX_PARENTHESES} parentheses deep")
    if word == ")":
        if not open_at:
            raise refused(where, start, "a parenthesis was not opened")
        open_at.pop()


def _is_reference(where: str, text: str, word: str, start: int, names: Mapping[str, int]) -> bool:
    """Whether a bare name is a point, not a word of the language or a function."""
    if word in KEYWORDS:
        return False
    if text[start + len(word) :].lstrip().startswith("("):
        if word not in FUNCTIONS:
            raise refused(where, start, f"{word!r} is no function; there are {', '.join(FUNCTIONS)}")
        return False
    if iskeyword(word):
        raise refused(
            where, start, f"{word!r} has no meaning in a formula; a point of this name needs braces"
        )
    return word in names or word not in CONSTANTS
