"""What the link asks of the domains. It knows no domain itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from cloud.timeseries.base import SeriesColumn
from edge_contract.access import Principal
from edge_contract.payloads import Catalog, CommandResult, Hello, Pulse, State, Welcome

Authenticate = Callable[[str, str], Awaitable[Principal | None]]
"""User name and password to the principal, None when they do not belong together."""


@dataclass(frozen=True)
class LinkHooks:
    """Asynchronous callables, each bounded by HOOK_TIMEOUT_S. An exception is logged and ends the message."""

    on_hello: Callable[[str, Hello], Awaitable[Welcome]]
    """The link publishes the welcome."""

    on_catalog: Callable[[str, Catalog], Awaitable[None]]

    on_state: Callable[[str, State], Awaitable[None]]

    on_pulse: Callable[[str, Pulse], Awaitable[None]]

    on_result: Callable[[str, CommandResult], Awaitable[None]]
    """The link acknowledges the result when this has returned; until then the gateway repeats it."""

    series_of: Callable[[str, str], Awaitable[dict[int, int] | None]]
    """Gateway and catalog hash to {point number: series}; None when the catalog is not known yet."""

    on_filed: Callable[[str, list[SeriesColumn], bool], Awaitable[None]]
    """Gateway, what was durably written, and whether it came by the back-fill lane."""
