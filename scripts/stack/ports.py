"""Where the product listens on this machine."""

from __future__ import annotations

import contextlib
import fcntl
import os
import random
import socket
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from stack.program import StackError

BELOW_EPHEMERAL = 20_000, 32_000
"""Linux gives 32768 and above to outgoing connections."""
PLANT_LINES = 13
ATTEMPTS = 100
_given: set[int] = set()
_book: list[IO[bytes]] = []


@dataclass(frozen=True)
class Ports:
    """Every port that the stack listens on, all on loopback."""

    http: int
    mqtt: int
    modbus: int
    local_page: int

    @classmethod
    def from_base(cls, base: int) -> Ports:
        """Four ports in a row; StackError names the first that is taken."""
        ports = cls(base, base + 1, base + 2, base + 3)
        for name, port in vars(ports).items():
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                try:
                    probe.bind(("127.0.0.1", port))
                except OSError as error:
                    raise StackError(
                        f"port {port} ({name}) cannot be used: {error.strerror}; choose another --port"
                    ) from None
        return ports

    @classmethod
    def free(cls) -> Ports:
        """Ports that are free now, and behind that of the plant enough for its further lines."""
        base = free_run(3 + PLANT_LINES)
        return cls(base, base + 1, base + 3, base + 2)


def free_run(count: int = 1) -> int:
    """The first of so many ports in a row that are free now and that nobody else is given, while this process
    lives. Not of those that the system gives to outgoing connections: between this look and their use one of
    these would take them.
    """
    for _ in range(ATTEMPTS):
        first = random.randrange(*BELOW_EPHEMERAL, count)
        run = range(first, first + count)
        if not _given.isdisjoint(run):
            continue
        with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
            for port in run:
                stack.enter_context(socket.socket()).bind(("127.0.0.1", port))
            fcntl.lockf(_reservations(), fcntl.LOCK_EX | fcntl.LOCK_NB, count, first)
            _given.update(run)
            return first
    raise StackError(f"no {count} ports in a row are free")


def _reservations() -> IO[bytes]:
    """A file with a byte for each port; who locks it has the port, until his process ends."""
    if not _book:
        path = Path(tempfile.gettempdir()) / f"edge-ports-{os.getuid()}"
        _book.append(os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600), "r+b"))
    return _book[0]
