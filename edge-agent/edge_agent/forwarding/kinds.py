"""Every kind of forwarder; one package each."""

from __future__ import annotations

from edge_agent.forwarding.base import Kind
from edge_agent.forwarding.cloud.kind import CLOUD
from edge_agent.forwarding.file.kind import FILE
from edge_agent.forwarding.hj212.kind import HJ212
from edge_agent.forwarding.mqtt.kind import MQTT

FORWARDERS: dict[str, Kind] = {kind.name: kind for kind in (CLOUD, FILE, HJ212, MQTT)}
