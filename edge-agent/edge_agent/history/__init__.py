"""Local historical storage: what slaves with a storage cycle showed, kept on the gateway for days."""

from edge_agent.history.envelope import Envelope
from edge_agent.history.history import LocalHistory, ResendBusy, StoredPoint, stored_slaves
from edge_agent.history.place import place_of

__all__ = ["Envelope", "LocalHistory", "ResendBusy", "StoredPoint", "place_of", "stored_slaves"]
