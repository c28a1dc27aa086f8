"""The envelope of every JSON reply: code 0 with data, or a code of the error catalogue with a message."""

from __future__ import annotations

from typing import Generic, TypeVar

from pydantic import BaseModel

T = TypeVar("T")


class Envelope(BaseModel, Generic[T]):
    """A successful reply."""

    code: int = 0
    msg: str = ""
    data: T


class Page(BaseModel, Generic[T]):
    """Part of a list; total: how many the whole list has."""

    rows: list[T]
    total: int


class Rows(BaseModel, Generic[T]):
    """A bounded list that needs no paging."""

    rows: list[T]


def ok(data: T) -> Envelope[T]:
    return Envelope(data=data)
