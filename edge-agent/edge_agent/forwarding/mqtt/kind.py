"""A third-party MQTT platform as a kind of forwarder."""

from __future__ import annotations

from edge_agent.forwarding.base import Forwarder, Kind
from edge_agent.forwarding.mqtt.config import MqttOptions, faults, places, point_faults
from edge_agent.forwarding.services import Services
from edge_agent.store.base import Outbox


def build(name: str, options: MqttOptions, services: Services, outbox: Outbox) -> Forwarder:
    """The forwarder of a [[forwarders]] table."""
    from edge_agent.forwarding.mqtt.forwarder import MqttForwarder  # loaded only where it is used

    return MqttForwarder(name, options, services, outbox)


MQTT = Kind("mqtt", MqttOptions, build, faults, check_points=point_faults, places=places)
