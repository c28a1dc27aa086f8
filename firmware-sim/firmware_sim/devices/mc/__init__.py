"""Mitsubishi PLCs on Ethernet (MC protocol)."""
