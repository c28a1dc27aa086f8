"""Triggers: rules over values that make alarms and carry out presets."""
