"""Events: alarms, what comes and goes, and what of it a user has not read."""
