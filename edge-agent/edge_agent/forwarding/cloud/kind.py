"""The cloud as a kind of forwarder: the only one that gives orders, configured in [cloud]."""

from __future__ import annotations

from edge_agent.config.model import Cloud
from edge_agent.forwarding.base import Forwarder, Kind
from edge_agent.forwarding.services import Services
from edge_agent.store.base import Outbox
from edge_agent.system.private_files import cloud_secret


def build(name: str, options: Cloud, services: Services, outbox: Outbox) -> Forwarder:
    """The link; its results, receipts, records and commands are the agent's services."""
    from edge_agent.forwarding.cloud.forwarder import CloudForwarder  # the MQTT client only where it is used
    from edge_agent.forwarding.cloud.pace import Pace
    from edge_agent.forwarding.cloud.session import SessionContext

    pace = Pace.of(services.configuration, services.clock, lambda: outbox.state().payload_bytes)
    folder = services.folder
    return CloudForwarder(
        SessionContext(services, pace),
        options.url,
        lambda: cloud_secret(folder),
        options.ca_file,
        services.goodbye,
    )


CLOUD = Kind("cloud", Cloud, build, section="cloud")
