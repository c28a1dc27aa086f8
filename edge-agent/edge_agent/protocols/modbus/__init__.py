"""Modbus TCP, RTU, and RTU over TCP."""
