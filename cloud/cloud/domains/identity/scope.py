"""What of the data a user may see: himself and everybody below him in the tree of users."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, select, true
from sqlalchemy.orm import InstrumentedAttribute

from cloud.domains.identity.models import User


@dataclass(frozen=True)
class Scope:
    """Given by whoever asks to every repository that serves users. path: of the user, such as /1/7/."""

    user_id: int
    path: str
    everything: bool = False

    @classmethod
    def system(cls) -> Scope:
        """Of jobs and the link, which serve nobody in particular."""
        return cls(0, "/", everything=True)


def within(scope: Scope, owner: InstrumentedAttribute[int | None]) -> ColumnElement[bool]:
    """Rows whose owner is the user or somebody below him. Rows without an owner are the platform's."""
    if scope.everything:
        return true()
    return owner.in_(select(User.id).where(User.path.startswith(scope.path, autoescape=True)))


def users_within(scope: Scope) -> ColumnElement[bool]:
    """The user himself and everybody below him."""
    return true() if scope.everything else User.path.startswith(scope.path, autoescape=True)
