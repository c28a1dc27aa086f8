"""What of a configuration only shows when its parts are put together on this gateway."""

from __future__ import annotations

from edge_agent.config.model import Configuration
from edge_agent.errors import ConfigError
from edge_agent.forwarding.catalog import catalog_of
from edge_agent.model import PointKey
from edge_contract.payloads import MAX_CONTROL_BYTES, Catalog, encode

LARGE_NUMBER = 1_000_000
"""Stands for the numbers of points in the size of a catalog whose points have none yet."""


def checked(catalog: Catalog) -> Catalog:
    """ConfigError when the catalog is too large for a control message."""
    size = len(encode(catalog))
    if size > MAX_CONTROL_BYTES:
        raise ConfigError(
            "points", f"must describe themselves in {MAX_CONTROL_BYTES} bytes together, not {size}"
        )
    return catalog


def prove(configuration: Configuration) -> None:
    """ConfigError for what would only show when the parts are put together on this gateway."""
    numbers = {
        PointKey(point.slave, point.name): LARGE_NUMBER + at for at, point in enumerate(configuration.points)
    }
    checked(catalog_of(configuration, numbers, 0))
    if configuration.local_page.enable:
        from edge_agent.localweb.server import tls_of

        tls_of(configuration.local_page)
