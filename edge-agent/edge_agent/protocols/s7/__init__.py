"""Siemens PLCs: S7 over ISO-on-TCP, and PPI of the S7-200."""
