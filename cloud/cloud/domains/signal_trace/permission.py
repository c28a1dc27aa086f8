"""Who may trace gateways: the cloud configuration has the switch, and he OtaManager and ota.Strace."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends

from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser
from cloud.errors import NoPermission

STRACE, MANAGER = "ota.Strace", "OtaManager"


def may_trace(user: CurrentUser) -> bool:
    """The switch takes both permissions from everybody."""
    return user.may(STRACE) and user.may(MANAGER)


async def _tracer(user: Annotated[CurrentUser, requires(STRACE)]) -> CurrentUser:
    """The user. Raises NoPermission when he may not trace gateways."""
    if not may_trace(user):
        raise NoPermission(MANAGER)
    return user


Tracer = Annotated[CurrentUser, Depends(_tracer)]
