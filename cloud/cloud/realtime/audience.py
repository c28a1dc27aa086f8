"""Who listens, and who may have what is pushed, without a question to the database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from cloud.core.scope import Scope


@dataclass(frozen=True)
class Audience:
    """Who sees a gateway. owner_path: of its user, empty for the platform's own."""

    owner_path: str = ""
    shared_with: frozenset[int] = frozenset()

    def includes(self, scope: Scope) -> bool:
        """The same answer as devices' `visible`."""
        if scope.everything:
            return True
        return scope.is_placed and (
            self.owner_path.startswith(scope.path) or scope.user_id in self.shared_with
        )


class Listener(Protocol):
    """The user of a socket, as he was when last checked. sign_in: names every session of one sign-in."""

    @property
    def id(self) -> int: ...
    @property
    def sign_in(self) -> str: ...
    @property
    def scope(self) -> Scope: ...
    def may(self, permission: str) -> bool: ...
