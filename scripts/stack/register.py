"""What a simulated Modbus device holds, asked by a master of its own beside the agent."""

from __future__ import annotations

import socket
import struct

TIMEOUT_S = 10.0
FUNCTIONS = {"0X": 1, "4X": 3}


def held(port: int, area: str, offset: int, unit: int = 1) -> int:
    """One coil (0 or 1) or holding register, by its zero-based address."""
    request = struct.pack(">HHHBBHH", 1, 0, 6, unit, FUNCTIONS[area], offset, 1)
    with socket.create_connection(("127.0.0.1", port), TIMEOUT_S) as connection:
        connection.sendall(request)
        answer = connection.makefile("rb").read(11 if area == "4X" else 10)
    if len(answer) < 10 or answer[7] != FUNCTIONS[area]:
        raise OSError(f"{area} {offset} was answered with {answer.hex(' ')}")
    return int.from_bytes(answer[9:], "big")
