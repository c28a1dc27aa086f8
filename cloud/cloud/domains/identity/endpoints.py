"""Sign-in and the signed-in user."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Header, Request

from cloud.core.envelope import Envelope, ok
from cloud.core.services import service
from cloud.domains.identity.access import Signed
from cloud.domains.identity.schemas import LoginBody, RefreshBody, Tokens, UserInfo
from cloud.domains.identity.service import IdentityService
from cloud.domains.identity.signin import SignInService

router = APIRouter(tags=["identity"])

Service = Annotated[IdentityService, service(IdentityService)]


def caller(request: Request) -> str:
    """Where the caller is. Behind a trusted proxy (EDGE_TRUSTED_PROXIES) the server has taken its word."""
    return request.client.host if request.client else ""


SignIn = Annotated[SignInService, service(SignInService)]
Caller = Annotated[str, Depends(caller)]
Agent = Annotated[str, Header(include_in_schema=False, alias="User-Agent")]


@router.post("/login/login", operation_id="login")
async def login(body: LoginBody, service: SignIn, address: Caller, agent: Agent = "") -> Envelope[Tokens]:
    """Sign in; 10009 whatever is wrong."""
    return ok(await service.login(body.username, body.password, address, agent))


@router.post("/login/demo", operation_id="loginDemo")
async def login_demo(service: SignIn, address: Caller, agent: Agent = "") -> Envelope[Tokens]:
    """Sign in as the demo user; 10001 where there is none."""
    return ok(await service.demo(address, agent))


@router.post("/login/refreshtoken", operation_id="refreshToken")
async def refresh_token(body: RefreshBody, service: Service, address: Caller) -> Envelope[Tokens]:
    """New tokens for both old ones; 10010 when they have ended, 20001 after too many of those."""
    return ok(await service.refresh(body.token, body.refresh_token, address))


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
