"""The independent peer: frames through the codec of PyPI's dlt645, or a meter of it on a serial line.

Runs in an environment of its own; knows nothing of the product.
"""

import json
import sys
import time

from dlt645.protocol.protocol import DLT645Protocol
from dlt645.service.serversvc.server_service import MeterServerService


def codec() -> None:
    """Each line of standard input: a frame in hex. Out: what the peer reads in it, and rebuilt from that."""
    for line in sys.stdin:
        rest, frame = DLT645Protocol.deserialize_with_remaining(bytes.fromhex(line))
        if frame is None:
            print(json.dumps(None))
            continue
        rebuilt = DLT645Protocol.build_frame(
            bytes(frame.addr), frame.ctrl_code, bytes(frame.data), len(frame.preamble)
        )
        fields = {
            "address": bytes(frame.addr)[::-1].hex().upper(),
            "control": frame.ctrl_code,
            "data": bytes(frame.data).hex(),
            "wake_up": len(frame.preamble),
            "rebuilt": rebuilt.hex(),
            "rest": len(rest),
        }
        print(json.dumps(fields))


def meter(device: str, address: str, values: str) -> None:
    """values: JSON object of numbers by identifier. Answers until it is killed."""
    made = MeterServerService.new_rtu_server(device, 8, 1, 9600, "N", 1.0)
    made.set_address(bytes.fromhex(address)[::-1])
    for di, value in json.loads(values).items():
        put = made.set_00 if di.startswith("00") else made.set_02
        if not put(int(di, 16), value):
            raise SystemExit(f"the peer has no item {di}")
    if not made.start():
        raise SystemExit("the peer's line cannot be opened")
    print("ready", flush=True)
    while True:
        time.sleep(1)


def speed(frames: int) -> None:
    """Frames a second of processor time, from bytes to bytes; standard input: one frame in hex a line."""
    wires = [bytes.fromhex(line) for line in sys.stdin]
    best = 0.0
    for _ in range(10):
        begin = time.process_time()
        for _ in range(frames // len(wires)):
            for wire in wires:
                DLT645Protocol.deserialize_with_remaining(wire)
        best = max(best, (frames // len(wires)) * len(wires) / (time.process_time() - begin))
    print(best)


if __name__ == "__main__":
    role, *words = sys.argv[1:]
    if role == "codec":
        codec()
    elif role == "speed":
        speed(int(words[0]))
    else:
        meter(*words)
