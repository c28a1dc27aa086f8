"""Siemens PLCs over ISO-on-TCP."""
