"""Stored samples, or aggregates of them, as files in a folder."""
