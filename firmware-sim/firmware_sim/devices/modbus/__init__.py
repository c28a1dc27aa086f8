"""Modbus slaves, over TCP and on serial lines, and slaves for load."""
