"""A PLC of the native snap7 library; run in its own environment, told over standard input."""

import contextlib
import ctypes
import json
import random
import socket
import sys

from snap7.server import Server
from snap7.type import SrvArea

AREAS = {
    "DB": SrvArea.DB, "I": SrvArea.PE, "Q": SrvArea.PA, "M": SrvArea.MK, "T": SrvArea.TM, "C": SrvArea.CT,
}  # fmt: skip


def free_port() -> int:
    """None of those that the system gives to outgoing connections."""
    while True:
        port = random.randrange(20_000, 32_000)
        with contextlib.suppress(OSError), socket.socket() as asked:
            asked.bind(("127.0.0.1", port))
            return port


def main() -> None:
    server, cells, port = Server(log=False), {}, free_port()
    for line in sys.stdin:
        word, *rest = json.loads(line)
        answer: object = None
        if word == "area":
            area, db, data = rest
            held = (ctypes.c_uint8 * (len(data) // 2)).from_buffer_copy(bytes.fromhex(data))
            cells[f"{area}{db}"] = held
            server.register_area(AREAS[area], db, held)
        elif word == "start":
            server.start(tcp_port=port)
            answer = port
        elif word == "held":
            answer = bytes(cells["".join(map(str, rest))]).hex()
        print(json.dumps(answer), flush=True)
    server.stop()
    server.destroy()


main()
