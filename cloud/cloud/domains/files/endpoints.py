"""Uploading a file, and the file itself.

Public kinds (background, logo, carousel, icon) may be stored by browsers for a year, others are requested
again.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Path, Request, Response

from cloud.core.envelope import Envelope, ok
from cloud.core.multipart import BODY, received_file
from cloud.core.services import service
from cloud.domains.files.kinds import MEDIA_TYPES, FileKind
from cloud.domains.files.schemas import FileInfo
from cloud.domains.files.service import FileService
from cloud.domains.identity.access import Signed
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.identity.service import IdentityService
from cloud.errors import NotFound, SessionExpired

router = APIRouter(tags=["files"])

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; sandbox"
    ),
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Disposition": "inline",
    "X-Content-Type-Options": "nosniff",
}
"""An SVG that is opened as a page of its own runs nothing and loads nothing, whatever is in it."""

FOREVER = "public, max-age=31536000, immutable"
ASK_AGAIN = "private, no-cache"
"""The bytes never change, but who may see them does."""

PICTURES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The picture",
        "content": {
            media: {"schema": {"type": "string", "format": "binary"}} for media in MEDIA_TYPES.values()
        },
    },
    304: {"description": "The browser has it"},
}


Service = Annotated[FileService, service(FileService)]


@router.post("/file", operation_id="uploadFile", openapi_extra=BODY)
async def upload_file(kind: FileKind, request: Request, user: Signed, service: Service) -> Envelope[FileInfo]:
    """Store a file for a use; each kind has its forms, its size, and perhaps a permission of its own."""
    return ok(await service.upload(user, kind, await received_file(request, kind.value)))


async def _perhaps_signed_in(
    service: Annotated[IdentityService, service(IdentityService)],
    x_token: Annotated[str, Header(max_length=100, include_in_schema=False)] = "",
) -> CurrentUser | None:
    """The signed-in user; None without a session, which may see what the sign-in page shows."""
    if not x_token:
        return None
    try:
        return await service.current(x_token)
    except SessionExpired:
        return None


@router.get("/file/{file_id}", operation_id="getFile", response_class=Response, responses=PICTURES)
async def get_file(
    file_id: Annotated[str, Path(max_length=100)],
    service: Service,
    user: Annotated[CurrentUser | None, Depends(_perhaps_signed_in)],
    if_none_match: Annotated[str, Header(max_length=1000, include_in_schema=False)] = "",
) -> Response:
    """An uploaded file. Icons and what the sign-in page shows are public, others for users in line. Raises
    NotFound; SessionExpired when it is not there for a caller without a session.
    """
    try:
        content = await service.content(file_id, user)
    except NotFound:
        if user is None:
            raise SessionExpired from None
        raise
    tag = f'"{file_id}"'
    headers = HEADERS | {"ETag": tag, "Cache-Control": FOREVER if content.public else ASK_AGAIN}
    if tag in if_none_match:
        return Response(status_code=304, headers=headers)
    return Response(content.data, media_type=content.media_type, headers=headers)
