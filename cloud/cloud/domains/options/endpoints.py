"""Options by name, the dictionary, and each user's own options."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Body, Depends, Request

from cloud.domains.identity.access import Signed, requires, signed_in
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.options.schemas import (
    CloudConfig,
    DictionaryBody,
    PlatformOptionBody,
    PlatformOptionName,
    UserOptionBody,
    UserOptionName,
)
from cloud.domains.options.service import OptionService
from cloud.kit.envelope import Envelope, ok

router = APIRouter(tags=["options"])


def _service(request: Request) -> OptionService:
    service: OptionService = request.app.state.services.options
    return service


Service = Annotated[OptionService, Depends(_service)]
Setter = Annotated[CurrentUser, requires("SystemSetting")]


@router.get("/option", operation_id="getOption", dependencies=[Depends(signed_in)])
async def get_option(name: PlatformOptionName, service: Service) -> Envelope[PlatformOptionBody]:
    """An option of the platform, or its default."""
    return Envelope(data=await service.option(name))


@router.put("/option", operation_id="putOption")
async def put_option(
    body: Annotated[PlatformOptionBody, Body()], user: Setter, service: Service
) -> Envelope[None]:
    """Replace an option of the platform."""
    await service.put_option(user, body)
    return ok(None)


@router.get("/dict", operation_id="getDictionary", dependencies=[Depends(signed_in)])
async def get_dictionary(key: Literal["CDCF"], service: Service) -> Envelope[CloudConfig]:
    """What this installation offers, by the dictionary key CDCF."""
    return ok(await service.cloud_config())


@router.put("/dict", operation_id="putDictionary")
async def put_dictionary(body: DictionaryBody, user: Setter, service: Service) -> Envelope[None]:
    """Change what this installation offers; it counts at once for everybody's permissions."""
    await service.put_cloud_config(user, body.value)
    return ok(None)


@router.get("/user/option", operation_id="getUserOption")
async def get_user_option(name: UserOptionName, user: Signed, service: Service) -> Envelope[UserOptionBody]:
    """The signed-in user's own option, or its default."""
    return Envelope(data=await service.user_option(user, name))


@router.put("/user/option", operation_id="putUserOption")
async def put_user_option(
    body: Annotated[UserOptionBody, Body()], user: Signed, service: Service
) -> Envelope[UserOptionBody]:
    """Replace the signed-in user's own option; answers it as it is kept."""
    return Envelope(data=await service.put_user_option(user, body))
