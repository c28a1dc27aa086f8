"""Notification of contacts: outbox, folding into messages, channels, log."""
