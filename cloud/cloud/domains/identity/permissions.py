"""The permissions that this cloud knows, with their names, and what each user type has.

The strings are the specification's; a route states one of them with `requires`. The table is permissions.csv.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Mapping
from importlib import resources
from typing import NamedTuple

PLATFORM = 0
"""The user type of the platform's own staff."""


class Permission(NamedTuple):
    """One permission and its name in both languages. types: who has it by default. kind: menu or action.

    announced: it opens only screens that are not built yet.
    """

    code: str
    parent: str
    zh: str
    en: str
    types: frozenset[int]
    kind: str
    announced: bool


class CloudFlags(NamedTuple):
    """The cloud configuration (dictionary key CDCF): what the whole installation offers."""

    ot: int = 0
    rl: int = 0
    ss: int = 0
    rg: int = 0
    announced: int = 0


def _read() -> tuple[Permission, ...]:
    table = (resources.files(__package__) / "permissions.csv").read_text(encoding="utf-8")
    return tuple(
        Permission(code, parent, zh, en, frozenset(map(int, types)), kind, announced == "1")
        for code, parent, zh, en, types, kind, announced in list(csv.reader(table.splitlines()))[1:]
    )


PERMISSIONS = _read()

CODES = frozenset(permission.code for permission in PERMISSIONS)

BY_FLAG: Mapping[str, frozenset[str]] = {
    "ot": frozenset(code for code in CODES if code == "OtaManager" or code.startswith("ota.")),
    "rl": frozenset({"auth.Rule"}),
}
"""What a switch of the cloud configuration brings."""


def of_type(user_type: int) -> frozenset[str]:
    """Permissions that a user type has by default."""
    return frozenset(permission.code for permission in PERMISSIONS if user_type in permission.types)


def off(flags: CloudFlags) -> frozenset[str]:
    """What the cloud configuration keeps from everybody."""
    return frozenset().union(*(codes for flag, codes in BY_FLAG.items() if not getattr(flags, flag)))


def of_user(
    user_type: int,
    group: Collection[str] | None,
    flags: CloudFlags,
    types: Mapping[str, Collection[int]] | None = None,
    disabled: Collection[str] = (),
    above: Collection[str] | None = None,
) -> frozenset[str]:
    """What a user has: his type's, of these what his group has, less what rules and cloud configuration take.

    group: None for a user without one. above: what the groups of everybody above him have in common.
    types: user types that rules give a permission, where they differ.
    """
    given = types or {}
    mine = frozenset(
        permission.code
        for permission in PERMISSIONS
        if user_type in given.get(permission.code, permission.types)
    )
    if group is not None:
        mine &= frozenset(group)
    if above is not None:
        mine &= frozenset(above)
    return mine - off(flags) - frozenset(disabled)
