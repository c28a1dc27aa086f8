"""Comparing texts without regard to case, in every alphabet and on both databases.

The lower() of SQLite knows A to Z alone, so that "насос" would not find "Насос". Words that have such letters
are compared there by a function of Python's; all others, also in scripts without case, by the database's own,
which costs less.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, SQLColumnExpression, String, func
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from cloud.db import CASEFOLD

Text = SQLColumnExpression[str]

_ESCAPE = "/"


class _Lowered(FunctionElement[str]):
    """A text without its case."""

    name = "lowered"
    type = String()
    inherit_cache = True


@compiles(_Lowered)
def _lower(element: _Lowered, compiler: SQLCompiler, **options: Any) -> str:
    return f"lower({compiler.process(element.clauses, **options)})"


@compiles(_Lowered, "sqlite")
def _casefold(element: _Lowered, compiler: SQLCompiler, **options: Any) -> str:
    return f"{CASEFOLD}({compiler.process(element.clauses, **options)})"


def contains(text: Text, word: str) -> ColumnElement[bool]:
    """Is the word somewhere in the text?"""
    if not _has_other_case(word):
        return text.icontains(word, autoescape=True)
    return _Lowered(text).like(_Lowered(f"%{_escaped(word)}%"), escape=_ESCAPE)


def begins(text: Text, word: str) -> ColumnElement[bool]:
    if not _has_other_case(word):
        return text.istartswith(word, autoescape=True)
    return _Lowered(text).like(_Lowered(f"{_escaped(word)}%"), escape=_ESCAPE)


def equals(text: Text, word: str) -> ColumnElement[bool]:
    if not _has_other_case(word):
        return func.lower(text) == func.lower(word)
    return _Lowered(text) == _Lowered(word)


def _has_other_case(word: str) -> bool:
    """Has it letters beyond A to Z that are written large and small?"""
    return not word.isascii() and any(not each.isascii() and each.lower() != each.upper() for each in word)


def _escaped(word: str) -> str:
    for each in (_ESCAPE, "%", "_"):
        word = word.replace(each, f"{_ESCAPE}{each}")
    return word
