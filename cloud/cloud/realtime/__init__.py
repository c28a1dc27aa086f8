"""Real time: a WebSocket hub that pushes what is subscribed. Knows no domain."""
