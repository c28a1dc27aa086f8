"""Who may do what with firmware: he has OtaManager, which the switch `ot` gives, and the screen's code."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends

from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser
from cloud.errors import NoPermission

FIRMWARE, MANAGER = "ota.Firmware", "OtaManager"
APP, LOG, PROJECT = "ota.App", "ota.Log", "ota.Project"
"""Of the screens that only read."""


def may_upgrade(user: CurrentUser) -> bool:
    """The switch takes both permissions from everybody."""
    return user.may(FIRMWARE) and user.may(MANAGER)


def _with_manager(*either: str) -> Any:
    """Dependency: one of these permissions, and OtaManager (NoPermission). It gives the user."""

    permitted = requires(*either)

    async def check(user: CurrentUser = permitted) -> CurrentUser:
        """The user. Raises NoPermission."""
        if not user.may(MANAGER):
            raise NoPermission(MANAGER)
        return user

    return Depends(check)


Upgrader = Annotated[CurrentUser, _with_manager(FIRMWARE)]
FileReader = Annotated[CurrentUser, _with_manager(APP, FIRMWARE)]
"""Without ota.Firmware of application packages only."""
LogReader = Annotated[CurrentUser, _with_manager(LOG, FIRMWARE)]
ProjectReader = Annotated[CurrentUser, _with_manager(PROJECT, FIRMWARE)]
