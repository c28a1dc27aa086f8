"""Ports of loopback for programs under test."""

from __future__ import annotations

import contextlib
import random
import socket


def free_port() -> int:
    """None of those that the system gives to outgoing connections: one would take it while nobody listens."""
    while True:
        port = random.randrange(20_000, 32_000)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port
