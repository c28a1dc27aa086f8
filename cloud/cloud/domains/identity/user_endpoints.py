"""Users, one's own profile, the sign-in log."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Query

from cloud.core.envelope import Envelope, Page, ok
from cloud.core.paging import Millis, PageNumber, PageSize
from cloud.core.services import service
from cloud.domains.identity.access import Signed, requires
from cloud.domains.identity.limits import LimitService
from cloud.domains.identity.profile import ProfileService
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.identity.signin_log import LogQuery, SignInLog
from cloud.domains.identity.user_schemas import (
    MAX_MS,
    LimitState,
    MadeUser,
    NewPassword,
    OwnPassword,
    PasswordBody,
    Profile,
    ProfileChange,
    SignInRow,
    UserBody,
    UserChange,
    UserQuery,
    UserRow,
    UserStatusBody,
)
from cloud.domains.identity.users import MAX_AT_ONCE, REGISTERED, UserService

router = APIRouter(tags=["users"])


Text = Annotated[str, Query(max_length=100, pattern=r"^[^\x00]*$")]


def wanted(
    search: Text = "",
    type: Annotated[int | None, Query(ge=0, le=6)] = None,
    status: Annotated[int | None, Query(ge=0, le=1)] = None,
    sort: Text = "",
    expired: Annotated[int | None, Query(ge=0, le=1)] = None,
) -> UserQuery:
    """search looks into names, phone and mail address; sort takes '-' to reverse; expired: 1 yes, 0 no."""
    types = frozenset() if type is None else frozenset({type})
    return UserQuery(search.strip(), types, status, sort, None if expired is None else bool(expired))


Users = Annotated[UserService, service(UserService)]
Profiles = Annotated[ProfileService, service(ProfileService)]
UserLimitStates = Annotated[LimitService, service(LimitService)]
SignIns = Annotated[SignInLog, service(SignInLog)]
Wanted = Annotated[UserQuery, Depends(wanted)]
Keeper = Annotated[CurrentUser, requires("auth.User")]
UserId = Annotated[int, Path(ge=1, le=2**31 - 1)]
Result = Literal["", "ok", "wrong", "locked", "disabled", "expired", "refused_type", "above"]


@router.get("/auth/user", operation_id="listUsers")
async def list_users(
    user: Keeper, service: Users, query: Wanted, page: PageNumber = 1, limit: PageSize = 20
) -> Envelope[Page[UserRow]]:
    """The asker and everybody below him, by page."""
    return ok(await service.page(user.scope, query, page, limit))


@router.get("/auth/user/all", operation_id="listAllUsers")
async def list_all_users(
    user: Keeper,
    service: Users,
    query: Wanted,
    limit: Annotated[int, Query(ge=1, le=MAX_AT_ONCE)] = MAX_AT_ONCE,
) -> Envelope[Page[UserRow]]:
    """The same in one reply, for pickers and the list that scrolls through everybody."""
    return ok(await service.page(user.scope, query, 1, limit))


@router.get("/auth/register", operation_id="listRegisteredUsers")
async def list_registered_users(
    user: Annotated[CurrentUser, requires("auth.User/register")],
    service: Users,
    query: Wanted,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Envelope[Page[UserRow]]:
    """Users that registered themselves, types 5 and 6."""
    types = query.types & REGISTERED if query.types else REGISTERED
    if not types:
        return ok(Page(rows=[], total=0))
    return ok(await service.page(user.scope, replace(query, types=types), page, limit))


@router.post("/auth/user", operation_id="createUser")
async def create_user(body: UserBody, user: Keeper, service: Users) -> Envelope[MadeUser]:
    """Make a user of a greater type below the asker, or below somebody that he sees."""
    return ok(await service.create(user, body))


@router.get("/auth/user/me", operation_id="getProfile")
async def get_profile(user: Signed, service: Profiles) -> Envelope[Profile]:
    """One's own data."""
    return ok(await service.profile(user))


@router.put("/auth/user/me", operation_id="changeProfile")
async def change_profile(body: ProfileChange, user: Signed, service: Profiles) -> Envelope[Profile]:
    """Change one's own data."""
    return ok(await service.edit(user, body))


@router.post("/auth/user/me/password", operation_id="changeOwnPassword")
async def change_own_password(body: OwnPassword, user: Signed, service: Profiles) -> Envelope[None]:
    """Change one's password; the other sessions end."""
    await service.set_password(user, body)
    return ok(None)


@router.get("/auth/user/me/loginlog", operation_id="listOwnSignIns")
async def list_own_sign_ins(
    user: Signed, service: SignIns, page: PageNumber = 1, limit: PageSize = 20
) -> Envelope[Page[SignInRow]]:
    """One's own attempts to sign in, the newest first."""
    return ok(await service.page(user.scope, LogQuery(user_id=user.id), page, limit))


@router.get("/auth/user/me/limits", operation_id="listOwnLimits")
async def list_own_limits(user: Signed, service: UserLimitStates) -> Envelope[list[LimitState]]:
    """How many projects and gateways one may have, and has."""
    return ok(await service.states(user, user.id))


@router.get("/auth/user/{user_id:int}/limits", operation_id="listUserLimits")
async def list_user_limits(
    user_id: UserId, user: Keeper, service: UserLimitStates
) -> Envelope[list[LimitState]]:
    """How many projects and gateways a user may have, and has, with everybody below him."""
    return ok(await service.states(user, user_id))


@router.put("/auth/user/{user_id:int}", operation_id="changeUser")
async def change_user(user_id: UserId, body: UserChange, user: Keeper, service: Users) -> Envelope[UserRow]:
    """Change a user below; an absent field stays."""
    return ok(await service.edit(user, user_id, body))


@router.delete("/auth/user/{user_id:int}", operation_id="deleteUser")
async def delete_user(
    user_id: UserId,
    user: Keeper,
    service: Users,
    to: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
) -> Envelope[None]:
    """Delete a user below. to: who takes over the users, groups and devices below him."""
    await service.delete(user, user_id, to)
    return ok(None)


@router.post("/auth/user/{user_id:int}/password", operation_id="resetPassword")
async def reset_password(
    user_id: UserId, body: PasswordBody, user: Keeper, service: Users
) -> Envelope[NewPassword]:
    """Give a user below a new password; his sessions end."""
    return ok(await service.reset(user, user_id, body.password))


@router.post("/auth/user/{user_id:int}/status", operation_id="setUserStatus")
async def set_user_status(
    user_id: UserId, body: UserStatusBody, user: Keeper, service: Users
) -> Envelope[UserRow]:
    """Disable a user below, or let him in again."""
    return ok(await service.set_status(user, user_id, body.status))


@router.get("/auth/loginlog", operation_id="listSignIns")
async def list_sign_ins(
    user: Annotated[CurrentUser, requires("auth.UserLog")],
    service: SignIns,
    search: Text = "",
    result: Result = "",
    start_ms: Millis = 0,
    end_ms: Millis = MAX_MS,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Envelope[Page[SignInRow]]:
    """Attempts to sign in of the asker and everybody below him, the newest first."""
    query = LogQuery(search.strip(), result, start_ms, end_ms)
    return ok(await service.page(user.scope, query, page, limit))
