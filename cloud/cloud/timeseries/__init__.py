"""Time series: one interface, an embedded version and InfluxDB. `create` chooses by the settings."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Protocol

from cloud.timeseries.base import TimeSeries, TimeSeriesError, TimeSeriesMisconfigured
from cloud.timeseries.embedded import EmbeddedTimeSeries

log = logging.getLogger(__name__)


class TimeSeriesSettings(Protocol):
    """What `create` reads of the settings."""

    @property
    def data_dir(self) -> Path: ...
    @property
    def timeseries(self) -> str: ...
    @property
    def influx_url(self) -> str | None: ...
    @property
    def influx_version(self) -> int: ...
    @property
    def influx_database(self) -> str | None: ...
    @property
    def influx_username(self) -> str | None: ...
    @property
    def influx_password_file(self) -> Path | None: ...
    @property
    def influx_token_file(self) -> Path | None: ...
    @property
    def influx_org(self) -> str | None: ...
    @property
    def influx_bucket(self) -> str | None: ...


def create(settings: TimeSeriesSettings) -> TimeSeries:
    """The time series that the settings name; ValueError names a missing setting. Connects nothing."""
    if settings.timeseries == "embedded":
        return EmbeddedTimeSeries(settings.data_dir / "timeseries.db")
    from cloud.timeseries.influx import (
        connect_v1,
        connect_v2,
    )  # costs a second: not for those who do not use it

    url = _needed("influx_url", settings.influx_url)
    if settings.influx_version == 1:
        database = _needed("influx_database", settings.influx_database)
        return connect_v1(
            url, database, settings.influx_username or "", _secret(settings.influx_password_file)
        )
    org = _needed("influx_org", settings.influx_org)
    bucket = _needed("influx_bucket", settings.influx_bucket)
    token_file = settings.influx_token_file
    return connect_v2(url, _needed("influx_token_file", _secret(token_file)), org, bucket)


async def verify(settings: TimeSeriesSettings) -> None:
    """ValueError for an InfluxDB that reads and writes different places; one that is away is no fault."""
    if settings.timeseries == "embedded":
        return
    series = create(settings)
    try:
        await series.check()
    except TimeSeriesMisconfigured as error:
        raise ValueError(str(error)) from error
    except TimeSeriesError as error:
        log.warning("what comes waits for the time series: %s", error)
    finally:
        await series.close()


def _needed(name: str, value: str | None) -> str:
    if not value:
        raise ValueError(f"{name}: needed when timeseries is influx")
    return value


def _secret(path: Path | None) -> str:
    return path.read_text().strip() if path else ""
