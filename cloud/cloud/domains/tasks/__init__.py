"""Timed tasks and holiday calendars."""
