"""Calculated points: a formula over other points, compiled once to one Python function. Pure."""

from edge_agent.points.formula.formula import Formula, NoValue, Outline, compile_formula, read_formula
from edge_agent.points.formula.functions import FUNCTIONS
from edge_agent.points.formula.order import cycles, order

__all__ = ["FUNCTIONS", "Formula", "NoValue", "Outline", "compile_formula", "cycles", "order", "read_formula"]
