"""An application behind a real HTTP server on loopback: a test client is no HTTP parser."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import Any

import uvicorn
from fastapi import FastAPI

START_S = 30.0
STOP_S = 10.0


@contextlib.contextmanager
def serving(app: FastAPI, **options: Any) -> Iterator[int]:
    """Its port. options: more of uvicorn.Config."""
    server = uvicorn.Server(
        uvicorn.Config(app, port=0, log_config=None, timeout_graceful_shutdown=2, **options)
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        deadline = time.monotonic() + START_S
        while not server.started:
            assert thread.is_alive() and time.monotonic() < deadline
            time.sleep(0.01)
        (port,) = {socket.getsockname()[1] for each in server.servers for socket in each.sockets}
        yield port
    finally:
        server.should_exit = True
        thread.join(STOP_S)
