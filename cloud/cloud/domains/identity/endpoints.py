"""Sign-in and the signed-in user."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Header, Request

from cloud.domains.identity.access import Signed, identity
from cloud.domains.identity.schemas import LoginBody, RefreshBody, Tokens, UserInfo
from cloud.domains.identity.service import IdentityService
from cloud.kit.envelope import Envelope, ok

router = APIRouter(tags=["identity"])

Service = Annotated[IdentityService, Depends(identity)]


@router.post("/login/login", operation_id="login")
async def login(body: LoginBody, request: Request, service: Service) -> Envelope[Tokens]:
    """Sign in; 10009 whatever is wrong."""
    address = request.client.host if request.client else ""
    return ok(await service.login(body.username, body.password, address))


@router.post("/login/refreshtoken", operation_id="refreshToken")
async def refresh_token(body: RefreshBody, service: Service) -> Envelope[Tokens]:
    """New tokens for both old ones; 10010 when they have ended."""
    return ok(await service.refresh(body.token, body.refresh_token))


@router.post("/login/logout", operation_id="logout")
async def logout(
    user: Signed, service: Service, x_token: Annotated[str, Header(include_in_schema=False)] = ""
) -> Envelope[None]:
    """End the session and every one that came from the same sign-in."""
    await service.logout(x_token)
    return ok(None)


@router.get("/auth/user/info", operation_id="getUserInfo")
async def get_user_info(user: Signed, service: Service) -> Envelope[UserInfo]:
    """The signed-in user."""
    return ok(await service.info(user.id))


@router.get("/auth/user/authList", operation_id="getAuthList")
async def get_auth_list(user: Signed) -> Envelope[list[str]]:
    """Permission codes of the signed-in user."""
    return ok(sorted(user.permissions))
