"""SIM cards: list, adding, changing, binding, usage, files."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from cloud.core.envelope import Envelope, Page, ok
from cloud.core.multipart import BODY, received_file
from cloud.core.paging import PageNumber, PageSize
from cloud.core.services import service
from cloud.core.xlsx import MEDIA_TYPE
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.sim_cards.importing import CardImportService
from cloud.domains.sim_cards.schemas import (
    CardFilter,
    CardStatus,
    Language,
    Operator,
    SimCardBindBody,
    SimCardBody,
    SimCardDetail,
    SimCardImportPreview,
    SimCardImportResult,
    SimCardRangeBody,
    SimCardRangePreview,
    SimCardRangeResult,
    SimCardRow,
    UsageDays,
)
from cloud.domains.sim_cards.service import SimCardService

router = APIRouter(tags=["sim-cards"])

FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The workbook",
        "content": {MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}},
    }
}

Cards = Annotated[SimCardService, service(SimCardService)]
Files = Annotated[CardImportService, service(CardImportService)]
Keeper = Annotated[CurrentUser, requires("ota.Sim")]
CardNumber = Annotated[int, Path(ge=1, le=2**31 - 1)]
FileName = Annotated[str, Query(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]*$")]


def _wanted(
    search: Annotated[str, Query(max_length=100, pattern=r"^[^\x00]*$")] = "",
    operator: Operator | Literal[""] = "",
    status: CardStatus | Literal[""] = "",
    expires_within: Annotated[int | None, Query(ge=0, le=3660)] = None,
    bound: bool | None = None,
    moved: bool | None = None,
    sort: Literal["iccid", "expires_on"] = "iccid",
) -> CardFilter:
    return CardFilter(search.strip(), operator, status, expires_within, bound, moved, sort)


Wanted = Annotated[CardFilter, Depends(_wanted)]


@router.get("/sim-card", operation_id="listSimCards")
async def list_sim_cards(
    service: Cards, user: Keeper, wanted: Wanted, page: PageNumber = 1, limit: PageSize = 20
) -> Envelope[Page[SimCardRow]]:
    """SIM cards of you and of everybody below you. search: in number, supplier, plan, remark and gateway;
    expires_within: days from today, cards that have expired included; moved: in another gateway than theirs.
    """
    return ok(await service.page(user, wanted, page, limit))


@router.post("/sim-card", operation_id="createSimCard")
async def create_sim_card(service: Cards, user: Keeper, body: SimCardBody) -> Envelope[SimCardRow]:
    """Add a card. It is bound to the gateway that reports it first."""
    return ok(await service.create(user, body))


@router.post("/sim-card/range/preview", operation_id="previewSimCardRange")
async def preview_sim_card_range(
    service: Cards, user: Keeper, body: SimCardRangeBody
) -> Envelope[SimCardRangePreview]:
    """How many cards a range has, and which of them are there already. Nothing is changed."""
    return ok(await service.preview_range(user, body))


@router.post("/sim-card/range", operation_id="addSimCardRange")
async def add_sim_card_range(
    service: Cards, user: Keeper, body: SimCardRangeBody
) -> Envelope[SimCardRangeResult]:
    """Add the cards of a range; those that are there already stay as they are."""
    return ok(await service.add_range(user, body))


@router.get(
    "/sim-card/template", operation_id="downloadSimCardTemplate", response_class=Response, responses=FILE
)
async def download_sim_card_template(files: Files, user: Keeper, language: Language = "zh") -> Response:
    """An empty workbook for the import."""
    return _file(await files.template(user, language), "sim-card-template.xlsx")


@router.get("/sim-card/export", operation_id="exportSimCards", response_class=Response, responses=FILE)
async def export_sim_cards(files: Files, user: Keeper, wanted: Wanted, language: Language = "zh") -> Response:
    """Up to 10,000 cards of a list as a workbook that the import takes back without a change."""
    return _file(await files.export(user, wanted, language), "sim-cards.xlsx")


@router.post("/sim-card/import/preview", operation_id="previewSimCardImport", openapi_extra=BODY)
async def preview_sim_card_import(
    request: Request, files: Files, user: Keeper, file_name: FileName
) -> Envelope[SimCardImportPreview]:
    """What a workbook or CSV file would add and change, with the errors of its rows. At most 1,000,000 bytes
    and 10,000 rows. Nothing is changed.
    """
    return ok(await files.preview(user, await received_file(request), file_name))


@router.post("/sim-card/import", operation_id="importSimCards", openapi_extra=BODY)
async def import_sim_cards(
    request: Request,
    files: Files,
    user: Keeper,
    file_name: FileName,
    digest: Annotated[str, Query(pattern=r"^[0-9a-f]{32}$")],
) -> Envelope[SimCardImportResult]:
    """Do what the preview with this digest said; 409 when it would be something else by now."""
    return ok(await files.apply(user, await received_file(request), file_name, digest))


@router.get("/sim-card/{sim_card_id:int}", operation_id="getSimCard")
async def get_sim_card(service: Cards, user: Keeper, sim_card_id: CardNumber) -> Envelope[SimCardDetail]:
    """A card, what was billed beside what its gateway counted, and what its modem says."""
    return ok(await service.card(user, sim_card_id))


@router.get("/sim-card/{sim_card_id:int}/usage", operation_id="getSimCardUsage")
async def get_sim_card_usage(
    service: Cards,
    user: Keeper,
    sim_card_id: CardNumber,
    days: Annotated[int, Query(ge=1, le=400)] = 60,
) -> Envelope[UsageDays]:
    """Bytes of each of the last days, today's included."""
    return ok(await service.usage(user, sim_card_id, days))


@router.put("/sim-card/{sim_card_id:int}", operation_id="changeSimCard")
async def change_sim_card(
    service: Cards, user: Keeper, sim_card_id: CardNumber, body: SimCardBody
) -> Envelope[SimCardRow]:
    """Replace what is known of a card. Another number is another card: its binding ends."""
    return ok(await service.change(user, sim_card_id, body))


@router.put("/sim-card/{sim_card_id:int}/device", operation_id="bindSimCard")
async def bind_sim_card(
    service: Cards, user: Keeper, sim_card_id: CardNumber, body: SimCardBindBody
) -> Envelope[SimCardRow]:
    """Bind a card to a gateway, or to none. The alarm of a card that has moved is over."""
    return ok(await service.bind(user, sim_card_id, body))


@router.delete("/sim-card/{sim_card_id:int}", operation_id="deleteSimCard")
async def delete_sim_card(service: Cards, user: Keeper, sim_card_id: CardNumber) -> Envelope[None]:
    """Delete a card with its usage and the operator's records. Its gateway stays as it is."""
    await service.delete(user, sim_card_id)
    return ok(None)


def _file(content: bytes, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=MEDIA_TYPE, headers=headers)
