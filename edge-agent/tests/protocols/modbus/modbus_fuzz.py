"""Mutated frames against all that reads frames. As a program: python modbus_fuzz.py [frames] [seed]."""

from __future__ import annotations

import asyncio
import sys
import time
from random import Random

from modbus_golden import Golden, exchanges, goldens

from edge_agent.errors import BadFrame, FieldbusError
from edge_agent.protocols.modbus.describe import describe_rtu, describe_tcp
from edge_agent.protocols.modbus.frames import crc, mbap, read_request, rtu
from edge_agent.protocols.modbus.listener import Listener
from edge_agent.protocols.modbus.wire import TcpWire

READ = rtu(1, read_request(3, 0, 2))


def mutated(frame: bytes, chance: Random) -> bytes:
    """One to four changes: bits, bytes, cuts, insertions, doublings."""
    data = bytearray(frame)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data) + 1)
        match chance.randrange(6):
            case 0 if at < len(data):
                data[at] ^= 1 << chance.randrange(8)
            case 1 if at < len(data):
                data[at] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
            case 2:
                del data[at : at + chance.randint(1, 4)]
            case 3:
                data[at:at] = chance.randbytes(chance.randint(1, 4))
            case 4:
                data[at:at] = data[: chance.randint(0, len(data))]
            case _:
                del data[at:]
    return bytes(data)


def holds(data: bytes, frame: bytes) -> bool:
    """Whether a sound copy of a frame with this start lies anywhere in data; slow and without cleverness."""
    size = len(frame)
    return any(
        data[at : at + size] == frame and crc(data[at : at + size - 2]) == data[at + size - 2 : at + size]
        for at in range(len(data) - size + 1)
    )


def check_listener(pair: tuple[Golden, Golden], data: bytes, chance: Random) -> bool:
    """A value is taken only from a whole frame with sound checksum, unit, function and size; True if so."""
    request, answer = pair
    listener = Listener()
    listener.echoes = chance.choice((None, True, False))
    listener.asked(request.frame)
    cut = chance.randrange(len(data) + 1)
    try:
        pdu = listener.heard(data[:cut]) or listener.silent() or listener.heard(data[cut:])
        pdu = pdu or listener.silent() or listener.gave_up(0.1)
    except FieldbusError:
        return False
    taken = rtu(request.unit, pdu)
    assert holds(data, taken), (request.exchange, data.hex(), taken.hex())
    assert pdu[0] & 0x7F == request.function
    if not pdu[0] & 0x80:
        assert answer.function & 0x80 or len(pdu) == len(answer.pdu), (request.exchange, data.hex())
    return True


def check_tcp(golden: Golden, data: bytes, chance: Random, loop: asyncio.AbstractEventLoop) -> bool:
    """An answer is taken only from a whole frame of this transaction and unit; True if one was."""
    wire = TcpWire("", 0)
    wire._number, wire._unit, wire._waiting = 1, golden.unit, loop.create_future()
    cut = chance.randrange(len(data) + 1)
    wire.data_received(data[:cut])
    wire.data_received(data[cut:])
    if not wire._waiting.done() or wire._waiting.exception() is not None:
        return False
    assert mbap(1, golden.unit, wire._waiting.result()) in data, data.hex()
    return True


def check_descriptions(data: bytes) -> int:
    """BadFrame, or fields that agree with the bytes; the number of frames that were described."""
    described = 0
    for describe in (describe_tcp, describe_rtu):
        for direction in (None, "request", "answer"):
            try:
                shown = describe(data, direction)  # type: ignore[arg-type]
            except BadFrame:
                continue
            described += 1
            if describe is describe_rtu:
                assert crc(data[:-2]) == data[-2:], data.hex()
            else:
                assert int.from_bytes(data[4:6], "big") == len(data) - 6, data.hex()
            if "byte_count" in shown:
                assert 2 * shown["byte_count"] == len(shown["data"]), data.hex()
    return described


def run(count: int, seed: int) -> dict[str, int]:
    """AssertionError with the frame, or any other exception, when something is wrong."""
    chance, loop = Random(seed), asyncio.new_event_loop()
    lines, connections = exchanges("rtu"), exchanges("tcp")
    frames = [golden.frame for golden in goldens()]
    found = {"frames": count, "RTU answers taken": 0, "TCP answers taken": 0, "descriptions": 0}
    for number in range(count):
        match number % 3:
            case 0:
                pair = chance.choice(lines)
                echo = pair[0].frame if chance.random() < 0.3 else b""
                data = mutated(echo + pair[1].frame, chance)
                found["RTU answers taken"] += check_listener(pair, data, chance)
            case 1:
                _, answer = chance.choice(connections)
                data = mutated(answer.frame * chance.randint(1, 2), chance)
                found["TCP answers taken"] += check_tcp(answer, data, chance, loop)
            case _:
                found["descriptions"] += check_descriptions(mutated(chance.choice(frames), chance))
    loop.close()
    return found


if __name__ == "__main__":
    wanted, seed = (int(word) for word in (*sys.argv[1:], *("1000000", "1")[len(sys.argv) - 1 :]))
    begun = time.monotonic()
    print(run(wanted, seed), f"{time.monotonic() - begun:.0f} s")
