"""The local history as a configuration wants it."""

from __future__ import annotations

from pathlib import Path

from edge_agent.config.model import Configuration
from edge_agent.history.history import LocalHistory, stored_slaves
from edge_agent.history.place import place_of
from edge_agent.model import PointKey
from edge_agent.points import LiveTable
from edge_agent.store.committer import Committer
from edge_agent.system.clock import Clock


def local_history(
    configuration: Configuration,
    numbers: dict[PointKey, int],
    live: LiveTable,
    committer: Committer,
    folder: Path,
    clock: Clock,
) -> LocalHistory | None:
    """None when nothing would be stored in it."""
    if not configuration.history.enable or not stored_slaves(configuration, numbers):
        return None
    place = place_of(configuration.history, folder, configuration.gateway.id, clock.now_ms)
    return LocalHistory(configuration, numbers, live.get, place, committer, clock)
