"""The rules of the tree of users. No session, no clock."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cloud.core.scope import Scope
from cloud.domains.identity.models import User
from cloud.domains.identity.permissions import PLATFORM
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.identity.service import may_be_below
from cloud.domains.identity.user_repository import GroupOfUser, UserMapping
from cloud.domains.identity.user_schemas import UserLimits, UserRow
from cloud.errors import Conflict, NoPermission, ParameterError


def only_below(asker: CurrentUser, user: User) -> None:
    """Raises NoPermission when the user is the asker himself, above or beside him."""
    if user.id == asker.id or user.user_type <= asker.user_type:
        raise NoPermission(reason="user.not_below")


def check_type(asker: CurrentUser, parent: User | None, user_type: int) -> None:
    """Raises ParameterError unless the type is greater than the asker's and the parent's."""
    above = PLATFORM if parent is None else parent.user_type
    if user_type <= asker.user_type or not may_be_below(user_type, above):
        rule = f"greater than {max(asker.user_type, above)}"
        raise ParameterError("user_type", rule, reason="user.type_not_greater")


def check_group(row: GroupOfUser | None, user: User) -> None:
    """Raises ParameterError unless the group is one of the user's tree and of his type. None: not to
    be seen.
    """
    if row is None or not _above(row.owner, user.path):
        raise ParameterError("group_id", "a group of somebody above the user", reason="user.group_foreign")
    if row.group.user_type != user.user_type:
        rule = f"a group of user type {user.user_type}"
        raise ParameterError("group_id", rule, reason="user.group_type")


def check_moved_groups(
    groups: Iterable[tuple[str, GroupOfUser]], user: User, to: User, *, himself: bool
) -> None:
    """Conflict when users who move would keep a group whose owner no longer stands above them.

    Groups of a user who is deleted (himself is False) go with the rest to whoever takes it over.
    """
    left = sum(
        not (
            _above(group.owner, to.path)
            or group.owner.path.startswith(user.path)  # moves too, or is given away
        )
        for path, group in groups
        if himself or path != user.path
    )
    if left:
        raise Conflict(
            f"{left} users would lose their group", reason="user.groups_left", arguments={"users": left}
        )


def _above(owner: User, path: str) -> bool:
    return owner.user_type == PLATFORM or path.startswith(owner.path)


def row_of(row: UserMapping, scope: Scope) -> UserRow:
    """A row as whoever asks may see it."""
    values: dict[str, Any] = {str(name): value for name, value in row.items()}
    path = values.pop("parent_path")
    values["limits"] = UserLimits(projects=values.pop("projects"), devices=values.pop("devices"))
    if not scope.everything and not (path or "").startswith(scope.path):
        values |= {"parent_id": None, "parent_name": None}
    return UserRow(**values)
