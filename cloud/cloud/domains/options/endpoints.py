"""Options by name, the dictionary, and each user's own options."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Depends, Header, Path, Response

from cloud.core.envelope import Envelope, ok
from cloud.core.services import service
from cloud.domains.identity.access import Signed, requires, signed_in
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.options.map_files import MapFile, MapFiles
from cloud.domains.options.schemas import (
    CloudConfig,
    DictionaryBody,
    PlatformOptionBody,
    PlatformOptionName,
    UserOptionBody,
    UserOptionName,
)
from cloud.domains.options.service import OptionService

router = APIRouter(tags=["options"])


Service = Annotated[OptionService, service(OptionService)]
Setter = Annotated[CurrentUser, requires("SystemSetting")]


Maps = Annotated[MapFiles, service(MapFiles)]

PART: dict[int | str, dict[str, Any]] = {
    206: {
        "description": "Bytes of the file",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


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


@router.get("/map/file", operation_id="listMapFiles")
async def list_map_files(user: Setter, maps: Maps) -> Envelope[list[MapFile]]:
    """Map files (PMTiles) in the folder `map` of the data folder, by name."""
    return ok(await maps.all(user))


@router.get(
    "/map/file/{file_name}",
    operation_id="getMapFile",
    status_code=206,
    response_class=Response,
    responses=PART,
)
async def get_map_file(
    file_name: Annotated[str, Path(max_length=100)],
    user: Signed,
    maps: Maps,
    span: Annotated[str, Header(alias="Range", max_length=100, include_in_schema=False)] = "",
) -> Response:
    """A part of a map file; the header Range names it (bytes=first-last, at most 8 MiB)."""
    part = await maps.part(user, file_name, span)
    last = part.first + len(part.data) - 1
    place = f"bytes {part.first}-{last}/{part.size}" if part.data else f"bytes */{part.size}"
    headers = {"Content-Range": place, "Accept-Ranges": "bytes", "ETag": part.tag}
    return Response(part.data, 206 if part.data else 416, headers, "application/octet-stream")
