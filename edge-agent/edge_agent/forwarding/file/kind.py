"""Files on a medium as a kind of forwarder."""

from __future__ import annotations

from edge_agent.forwarding.base import Forwarder, Kind
from edge_agent.forwarding.file.config import FileOptions, faults
from edge_agent.forwarding.services import Services
from edge_agent.store.base import Outbox


def build(name: str, options: FileOptions, services: Services, outbox: Outbox) -> Forwarder:
    """The forwarder of a [[forwarders]] table."""
    from edge_agent.forwarding.file.forwarder import FileForwarder  # loaded only where it is used

    return FileForwarder(name, options, services, outbox)


FILE = Kind("file", FileOptions, build, faults)
