"""Collecting: one owner task per port asks its slaves in turn; commands go before polls."""

from edge_agent.bus.bus import Bus
from edge_agent.bus.state import PortState

__all__ = ["Bus", "PortState"]
