"""One search over what the asker sees, for the command palette."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from cloud.core.envelope import Envelope, ok
from cloud.core.services import service
from cloud.domains.identity.access import Signed
from cloud.domains.search.schemas import SearchResults
from cloud.domains.search.service import SearchService

router = APIRouter(tags=["search"])


Service = Annotated[SearchService, service(SearchService)]


@router.get("/search", operation_id="searchEverything")
async def search_everything(
    service: Service,
    user: Signed,
    q: Annotated[str, Query(max_length=100, pattern=r"^[^\x00]*$")],
    limit: Annotated[int, Query(ge=1, le=10)] = 5,
) -> Envelope[SearchResults]:
    """Gateways, slave devices, points, projects and users with all words of q; of each kind the best `limit`.

    Kinds whose list you may not open stay empty.
    """
    return ok(await service.find(user, q, limit))
