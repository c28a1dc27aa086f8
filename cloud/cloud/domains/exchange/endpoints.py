"""Rules that pass a point's values on to another point."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from cloud.core.envelope import Envelope, Page, ok
from cloud.core.paging import PageNumber, PageSize
from cloud.core.services import service
from cloud.domains.exchange.schemas import ExchangeBody, ExchangeRow
from cloud.domains.exchange.service import ExchangeService
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser

router = APIRouter(tags=["exchange"])


Service = Annotated[ExchangeService, service(ExchangeService)]
Keeper = Annotated[CurrentUser, requires("DataExchange")]
RuleId = Annotated[int, Path(ge=1, le=2**31 - 1)]


@router.get("/device/dataexchange", operation_id="listExchangeRules")
async def list_exchange_rules(
    service: Service,
    user: Keeper,
    page: PageNumber = 1,
    limit: PageSize = 20,
    search: Annotated[str, Query(max_length=100, pattern=r"^[^\x00]*$")] = "",
    device_id: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
) -> Envelope[Page[ExchangeRow]]:
    """Rules between gateways that you see, newest first: where each runs, and its newest command."""
    return ok(await service.page(user, page, limit, search.strip(), device_id))


@router.post("/device/dataexchange", operation_id="createExchangeRule")
async def create_exchange_rule(service: Service, user: Keeper, body: ExchangeBody) -> Envelope[ExchangeRow]:
    """A new rule. It writes with your rights, as they are at that moment; it needs Device/cmd."""
    return ok(await service.create(user, body))


@router.put("/device/dataexchange/{rule_id:int}", operation_id="changeExchangeRule")
async def change_exchange_rule(
    service: Service, user: Keeper, rule_id: RuleId, body: ExchangeBody
) -> Envelope[ExchangeRow]:
    """Change a rule; from now on it writes with your rights."""
    return ok(await service.change(user, rule_id, body))


@router.delete("/device/dataexchange/{rule_id:int}", operation_id="deleteExchangeRule")
async def delete_exchange_rule(service: Service, user: Keeper, rule_id: RuleId) -> Envelope[None]:
    """Delete a rule; commands that are on their way stay."""
    await service.delete(user, rule_id)
    return ok(None)
