"""Signals and frames of the gateway, for who watches them from afar."""
