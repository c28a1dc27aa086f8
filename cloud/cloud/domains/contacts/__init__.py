"""Contacts and contact groups: who is told of alarms."""
