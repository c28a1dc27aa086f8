"""Local historical storage: what slaves with a storage cycle showed, stored on the gateway for days."""

from edge_agent.history.building import local_history
from edge_agent.history.envelope import Envelope
from edge_agent.history.history import LocalHistory, ResendBusy, StoredPoint

__all__ = ["Envelope", "LocalHistory", "ResendBusy", "StoredPoint", "local_history"]
