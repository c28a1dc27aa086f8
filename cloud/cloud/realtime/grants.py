"""Permissions whose every change is told to the sockets, here and at the cloud's other processes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from cloud.db import Database
from cloud.domains.identity.grants import Grants
from cloud.domains.identity.permissions import CloudFlags
from cloud.realtime.hub import Hub


class ToldGrants(Grants):
    """Forgets for another process too, when that one has changed something."""

    def __init__(self, database: Database, flags: Callable[[], Awaitable[CloudFlags]], hub: Hub) -> None:
        super().__init__(database, flags)
        self._hub = hub
        hub.forget = super().forget

    def forget(self) -> None:
        """A group, a rule, the cloud configuration or a user's place in the tree has changed."""
        self._hub.doubt()
