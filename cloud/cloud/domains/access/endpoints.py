"""Groups, rules, and why somebody may or may not do something."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Query

from cloud.core.envelope import Envelope, Page, Rows, ok
from cloud.core.paging import PageNumber, PageSize
from cloud.core.services import service
from cloud.domains.access.answers import WhyService
from cloud.domains.access.schemas import (
    GroupBody,
    GroupRow,
    PermissionRow,
    RuleBody,
    RuleRow,
    WhyAnswer,
    WhyQuery,
)
from cloud.domains.access.service import AccessService
from cloud.domains.identity.access import Signed, requires, signed_in
from cloud.domains.identity.schemas import CurrentUser

router = APIRouter(tags=["access"])


Service = Annotated[AccessService, service(AccessService)]
Why = Annotated[WhyService, service(WhyService)]
Grouper = Annotated[CurrentUser, requires("auth.Group/index")]
Ruler = Annotated[CurrentUser, requires("auth.Rule")]
Key = Annotated[int, Path(ge=1, le=2**31 - 1)]
Text = Annotated[str, Query(max_length=100, pattern=r"^[^\x00]*$")]
Code = Annotated[str, Path(max_length=64, pattern=r"^[^\x00]*$")]
MAX_CODES_LENGTH = 2000


@router.get("/auth/permission", operation_id="listPermissions", dependencies=[Depends(signed_in)])
async def list_permissions(service: Service) -> Envelope[Rows[PermissionRow]]:
    """Every permission with its names, for whoever picks or shows some."""
    return ok(Rows(rows=await service.permissions()))


@router.get("/auth/group", operation_id="listGroups")
async def list_groups(
    user: Grouper,
    service: Service,
    search: Text = "",
    user_type: Annotated[int | None, Query(ge=0, le=6)] = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Envelope[Page[GroupRow]]:
    """Groups of the asker and of everybody below him, by title."""
    return ok(await service.groups(user.scope, search.strip(), user_type, page, limit))


@router.post("/auth/group", operation_id="createGroup")
async def create_group(body: GroupBody, user: Grouper, service: Service) -> Envelope[GroupRow]:
    """Make a group for users of a greater type than the asker's."""
    return ok(await service.make_group(user, body))


@router.put("/auth/group/{group_id:int}", operation_id="changeGroup")
async def change_group(group_id: Key, body: GroupBody, user: Grouper, service: Service) -> Envelope[GroupRow]:
    """Replace a group; it counts at once."""
    return ok(await service.change_group(user, group_id, body))


@router.delete("/auth/group/{group_id:int}", operation_id="deleteGroup")
async def delete_group(group_id: Key, user: Grouper, service: Service) -> Envelope[None]:
    """Delete a group that no user has."""
    await service.delete_group(user, group_id)
    return ok(None)


@router.get("/auth/rule", operation_id="listRules")
async def list_rules(user: Ruler, service: Service) -> Envelope[Rows[RuleRow]]:
    """Every permission with what the platform changed of it; parent makes the tree."""
    return ok(Rows(rows=await service.rules(user)))


@router.put("/auth/rule/{code:path}", operation_id="changeRule")
async def change_rule(code: Code, body: RuleBody, user: Ruler, service: Service) -> Envelope[RuleRow]:
    """Replace the rule of a permission; it counts at once."""
    return ok(await service.change_rule(user, code, body))


@router.get("/auth/why", operation_id="why")
async def why(
    user: Signed,
    service: Why,
    user_id: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    permission: Annotated[str, Query(max_length=MAX_CODES_LENGTH)] = "",
    path: Annotated[str, Query(max_length=300)] = "",
    types: Annotated[str, Query(pattern=r"^[0-6]{0,7}$")] = "",
    flag: Literal["", "ot", "rl", "ss", "rg"] = "",
    operation: Annotated[str, Query(max_length=100)] = "",
    device_id: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    writes: bool = False,
) -> Envelope[WhyAnswer]:
    """May a user, the asker when left out, do this, and why? permission: several with commas, any is enough.
    Of a screen the portal, which has them, sends permission, types and switch with its path.
    """
    query = WhyQuery(
        user_id=user_id,
        permissions=tuple(filter(None, permission.split(","))),
        types=types,
        flag=flag,
        operation=operation,
        device_id=device_id,
        writes=writes,
    )
    return ok(await service.why(user, query))
