"""Permissions whose every change has the sockets checked anew, here and at the cloud's other processes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from cloud.db import Database
from cloud.domains.identity.grants import Grants
from cloud.domains.identity.permissions import CloudFlags


class SharedGrants(Grants):
    """doubt: tells every process, this one too, which then calls forget_here."""

    def __init__(
        self, database: Database, flags: Callable[[], Awaitable[CloudFlags]], doubt: Callable[[], None]
    ) -> None:
        super().__init__(database, flags)
        self._doubt = doubt

    def forget(self) -> None:
        """A group, a rule, the cloud configuration or a user's place in the tree has changed."""
        self._doubt()

    def forget_here(self) -> None:
        """Whoever asks next reads anew."""
        super().forget()
