"""Is each part serving?"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from pydantic import BaseModel
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from cloud.db import Database
from cloud.timeseries.base import TimeSeries, TimeSeriesError
from cloud.tunnels.addresses import is_loopback

log = logging.getLogger(__name__)

CHECK_TIMEOUT_S = 3.0


class GatewayBroker(BaseModel):
    """Where gateways find the broker. is_local: only on the cloud's own machine. is_set: by EDGE_GATEWAY_URL;
    else it is where the cloud itself finds the broker.
    """

    url: str
    is_local: bool
    is_set: bool


class SystemService:
    """link_healthy: whether the broker is connected; metrics_token: None when there is none.

    own_broker: where this cloud finds the broker; gateway_url: where gateways do, empty: there too.
    """

    def __init__(
        self,
        database: Database,
        series: TimeSeries,
        link_healthy: Callable[[], bool],
        metrics_token: str | None,
        own_broker: Callable[[], str],
        gateway_url: str = "",
    ) -> None:
        self._database = database
        self._series = series
        self._link_healthy = link_healthy
        self.metrics_token = metrics_token
        self._own_broker = own_broker
        self._gateway_url = gateway_url
        self._series_fault = ""

    def gateway_broker(self) -> GatewayBroker:
        """What stands in a gateway's configuration as cloud.url."""
        url = (self._gateway_url or self._own_broker()).rstrip("/")
        host = urlsplit(url).hostname or ""
        return GatewayBroker(url=url, is_local=is_loopback(host), is_set=bool(self._gateway_url))

    async def checks(self) -> dict[str, bool]:
        """Part to whether it serves."""
        return {
            "database": await self._within(self._database_serves),
            "timeseries": await self._within(self._series_serves),
            "broker": self._link_healthy(),
        }

    async def _within(self, check: Callable[[], Awaitable[None]]) -> bool:
        try:
            async with asyncio.timeout(CHECK_TIMEOUT_S):
                await check()
        except (TimeoutError, SQLAlchemyError, TimeSeriesError, OSError):
            return False
        return True

    async def _database_serves(self) -> None:
        async with self._database.reading() as session:
            await session.execute(text("SELECT 1"))

    async def _series_serves(self) -> None:
        try:
            await self._series.check()
        except TimeSeriesError as error:
            if str(error) != self._series_fault:
                log.error("the time series does not serve: %s", error)
            self._series_fault = str(error)
            raise
        self._series_fault = ""
