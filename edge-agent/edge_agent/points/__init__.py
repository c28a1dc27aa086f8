"""Raw values to rows of samples and back, what is recorded of them, and the table of newest values. Pure."""

from edge_agent.points.block import PointBlock
from edge_agent.points.live import LiveTable
from edge_agent.points.record import Recorder
from edge_agent.points.scale import raw_of, same_value, selected, value_of

__all__ = ["LiveTable", "PointBlock", "Recorder", "raw_of", "same_value", "selected", "value_of"]
