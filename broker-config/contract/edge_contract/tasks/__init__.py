"""Timed tasks: when they run, in the cloud and at gateways alike. Pure."""
