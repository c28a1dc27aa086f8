"""The gateway as a Modbus slave of another master, with the points that are mapped."""
