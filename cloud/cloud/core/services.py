"""The objects of a running cloud by their type, and the dependency by which an endpoint gets one."""

from __future__ import annotations

from typing import Any, TypeVar, cast

from fastapi import Depends
from starlette.requests import HTTPConnection

T = TypeVar("T")


class Services:
    """One object of each type, added while the cloud is built, the lower layers first."""

    def __init__(self) -> None:
        self._built: dict[type[Any], object] = {}

    def add(self, built: T) -> T:
        """ValueError when there is one of its type already."""
        kind = type(built)
        if kind in self._built:
            raise ValueError(f"there is a {kind.__name__} already")
        self._built[kind] = built
        return built

    def __getitem__(self, kind: type[T]) -> T:
        """LookupError names a type of which nothing is built yet: it is of a higher layer, or of none."""
        try:
            return cast(T, self._built[kind])
        except KeyError:
            raise LookupError(f"no {kind.__name__} is built yet") from None


def service(kind: type[Any]) -> Any:
    """Dependency of a route: the running cloud's object of this type."""

    async def find(connection: HTTPConnection) -> object:
        return connection.app.state.services[kind]

    return Depends(find)
