"""What the endpoints of every domain use: the signed-in user and the permission that a route needs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Any
from urllib.parse import parse_qsl

from fastapi import APIRouter, Depends, Header
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from cloud.core.services import service
from cloud.domains.identity.permissions import CODES
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.identity.service import IdentityService
from cloud.errors import NoPermission, ParameterError, SessionExpired

MAX_GIVEN = 40_000
"""Characters of the header; a server takes 64 KiB of headers."""
MAX_GIVEN_PASSWORDS = 2000


async def signed_in(
    service: Annotated[IdentityService, service(IdentityService)],
    x_token: Annotated[str, Header(max_length=100, include_in_schema=False)] = "",
    x_access_password: Annotated[str, Header(max_length=MAX_GIVEN, include_in_schema=False)] = "",
) -> CurrentUser:
    """The user whose token came in X-Token, with the access passwords that he gives. Raises SessionExpired
    without a valid token.
    """
    if not x_token:
        raise SessionExpired
    user = await service.current(x_token)
    return replace(user, given=given_passwords(x_access_password)) if x_access_password else user


def given_passwords(header: str) -> dict[int, str]:
    """Of X-Access-Password: `12=secret&13=other`, by the gateway's number, percent-encoded UTF-8. Raises
    ParameterError for a header of another form.
    """
    try:
        pairs = parse_qsl(header, strict_parsing=True, errors="strict", max_num_fields=MAX_GIVEN_PASSWORDS)
        return {int(number): password for number, password in pairs}
    except ValueError:
        raise ParameterError("X-Access-Password", "gateway=password, percent-encoded, joined by &") from None


Signed = Annotated[CurrentUser, Depends(signed_in)]


def requires(permission: str, *others: str) -> Any:
    """Dependency of a route: the user must have this permission, or one of the others (NoPermission). It
    gives the user. Raises ValueError for a code that is no permission.
    """
    either = (permission, *others)
    for code in either:
        if code not in CODES:
            raise ValueError(f"no permission is called {code}")

    async def check(user: Signed) -> CurrentUser:
        """The user. Raises NoPermission when he has none of the permissions."""
        if not any(map(user.may, either)):
            raise NoPermission(permission)
        return user

    check.permission = permission  # type: ignore[attr-defined]  # read by the test of all routes
    return Depends(check)


def permissions_of(routers: Iterable[APIRouter]) -> dict[str, str | None]:
    """Operation to the permission that it requires; None where signing in is enough, or not even that."""
    return {
        route.operation_id: _required(route.dependant)
        for router in routers
        for route in router.routes
        if isinstance(route, APIRoute) and route.operation_id
    }


def _required(dependant: Dependant) -> str | None:
    permission = getattr(dependant.call, "permission", None)
    if permission is not None:
        return str(permission)
    return next(filter(None, map(_required, dependant.dependencies)), None)


async def same_site(
    sec_fetch_site: Annotated[str, Header(include_in_schema=False)] = "",
    sec_purpose: Annotated[str, Header(include_in_schema=False)] = "",
) -> None:
    """Dependency of every GET that changes something (the specification has some). Raises NoPermission for
    what another site or a prefetch started. No reply of the API is ever stored (cloud/web.py).
    """
    if sec_fetch_site == "cross-site" or "prefetch" in sec_purpose:
        raise NoPermission("a call of this site's own pages")


CHANGES = Depends(same_site)
"""For `dependencies=[...]` of a GET that changes something."""
