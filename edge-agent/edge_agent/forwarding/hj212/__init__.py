"""Platforms of HJ 212: codec and forwarder."""
