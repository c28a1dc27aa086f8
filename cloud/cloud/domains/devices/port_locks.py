"""Port locks of gateways, as the domain tunnels knows them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope


@dataclass(frozen=True)
class PortLock:
    """A port that somebody locked through the cloud. until_ms: None while it lasts."""

    device_id: int
    port: str
    user: str
    from_ms: int
    until_ms: int | None


PortLocksOf = Callable[[AsyncSession, Scope, Sequence[int], int, int | None], Awaitable[list[PortLock]]]
"""Port locks of these gateways that touch a time, the newest first; with None for its end, those that last.
"""


async def no_port_locks(
    session: AsyncSession, scope: Scope, device_ids: Sequence[int], from_ms: int, to_ms: int | None
) -> list[PortLock]:
    """Of a cloud, or a tool, without tunnels."""
    return []


def port_lock_at(
    port_locks: Sequence[PortLock], device_id: int, port: str, from_ms: int, to_ms: int
) -> PortLock | None:
    """The newest lock of a port that touches a time."""
    mine = (each for each in port_locks if (each.device_id, each.port) == (device_id, port))
    touching = (
        each for each in mine if each.from_ms < to_ms and (each.until_ms is None or each.until_ms > from_ms)
    )
    return next(touching, None)
