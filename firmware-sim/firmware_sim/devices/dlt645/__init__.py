"""Meters of DL/T 645."""
