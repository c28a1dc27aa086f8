"""Kinds of simulated devices, a folder each, listed in `all.py`."""
