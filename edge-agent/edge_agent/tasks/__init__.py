"""Timed tasks that run here, with the cloud or without it: moments in, writes and runs out."""
