"""Reports: what happened over a period, counted."""
