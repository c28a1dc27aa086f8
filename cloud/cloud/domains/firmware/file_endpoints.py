"""Keys and files of firmware, and the file itself for a gateway that has an order."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import FileResponse

from cloud.core.envelope import Envelope, Page, Rows, ok
from cloud.core.paging import PageNumber, PageSize
from cloud.core.secret import Secret
from cloud.core.services import service
from cloud.domains.firmware.file_schemas import FirmwareFileRow, FirmwareKeyBody, FirmwareKeyRow
from cloud.domains.firmware.files import FirmwareFileService
from cloud.domains.firmware.keys import KeyService
from cloud.domains.firmware.permission import FileReader, Upgrader

router = APIRouter(tags=["firmware"])

BINARY = "application/octet-stream"
BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {BINARY: {"schema": {"type": "string", "format": "binary"}}},
    }
}
PART: dict[int | str, dict[str, Any]] = {
    200: {"description": "The file", "content": {BINARY: {"schema": {"type": "string", "format": "binary"}}}},
    206: {"description": "Bytes of it (RFC 9110, 14)"},
}

Keys = Annotated[KeyService, service(KeyService)]
Files = Annotated[FirmwareFileService, service(FirmwareFileService)]
Number = Annotated[int, Path(ge=1, le=2**31 - 1)]
Search = Annotated[str, Query(max_length=100, pattern=r"^[^\x00]*$")]
FileName = Annotated[
    str, Query(pattern=r"^[^\x00-\x1f\x7f/\\]{1,190}\.[bB][iI][nN]$", description="ends with .bin")
]
OrderId = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{8,40}$")]
Ticket = Annotated[str, Secret(pattern=r"^[0-9a-f]{64}$")]


@router.get("/firmware/key", operation_id="listFirmwareKeys")
async def list_keys(user: Upgrader, service: Keys) -> Envelope[Rows[FirmwareKeyRow]]:
    """Public keys by which firmware is taken from you, the installation's first."""
    return ok(await service.rows(user))


@router.post("/firmware/key", operation_id="addFirmwareKey")
async def add_key(body: FirmwareKeyBody, user: Upgrader, service: Keys) -> Envelope[FirmwareKeyRow]:
    """Trust the signatures of a key: for the installation when you are of the platform, else for you and
    those below you. Gateways trust keys of their own.
    """
    return ok(await service.add(user, body))


@router.delete("/firmware/key/{firmware_key:int}", operation_id="deleteFirmwareKey")
async def delete_key(firmware_key: Number, user: Upgrader, service: Keys) -> Envelope[None]:
    """Trust a key no more; rollouts of files that it signed pause."""
    await service.delete(user, firmware_key)
    return ok(None)


@router.get("/firmware/file", operation_id="listFirmware")
async def list_files(
    user: FileReader,
    service: Files,
    page: PageNumber = 1,
    limit: PageSize = 20,
    search: Search = "",
    upgrade_type: Annotated[int | None, Query(ge=1, le=2)] = None,
) -> Envelope[Page[FirmwareFileRow]]:
    """Files of firmware, newest first. upgrade_type: 1 application packages, which is all that is listed
    without ota.Firmware, 2 images.
    """
    return ok(await service.page(user, page, limit, search.strip(), upgrade_type))


@router.post("/firmware/file", operation_id="uploadFirmware", openapi_extra=BODY)
async def upload_file(
    file_name: FileName, request: Request, user: Upgrader, service: Files
) -> Envelope[FirmwareFileRow]:
    """Take in a signed .bin file, the body as it is. Its manifest says model, version and key; without a key
    that is trusted nothing is taken.
    """
    length = int(request.headers.get("content-length", "0"))
    return ok(await service.upload(user, file_name, length, request.stream()))


@router.delete("/firmware/file/{firmware_id:int}", operation_id="deleteFirmware")
async def delete_file(firmware_id: Number, user: Upgrader, service: Files) -> Envelope[None]:
    """Delete a file that no plan has."""
    await service.delete(user, firmware_id)
    return ok(None)


@router.get(
    "/firmware/download/{upgrade_id}/{ticket}",
    operation_id="downloadFirmware",
    response_class=Response,
    responses=PART,
)
async def download(upgrade_id: OrderId, ticket: Annotated[Ticket, Path()], service: Files) -> FileResponse:
    """The file of an order, in parts if wanted, for the gateway that was given this address with it; no
    longer than its order is open.
    """
    found = await service.download(upgrade_id, ticket)
    return FileResponse(found.path, media_type=BINARY, headers={"ETag": f'"{found.sha256}"'})
