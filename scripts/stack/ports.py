"""Where the product listens on this machine."""

from __future__ import annotations

import contextlib
import socket
from dataclasses import dataclass

from stack.program import StackError


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
        """Four ports that are free now."""
        with contextlib.ExitStack() as stack:
            probes = [stack.enter_context(socket.socket()) for _ in range(4)]
            for probe in probes:
                probe.bind(("127.0.0.1", 0))
            return cls(*(probe.getsockname()[1] for probe in probes))
