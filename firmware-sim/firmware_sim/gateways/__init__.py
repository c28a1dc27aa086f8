"""Simulated gateways that speak the contract over MQTT: a fleet for load, checked by value."""
