"""The tools as subcommands of edge-agent. They open the port themselves: a running agent holds its ports, its
local page offers the same tools there."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec

from edge_agent.bus.trace import TracedFrame
from edge_agent.commissioning import frames, once, target
from edge_agent.commissioning.arguments import declare
from edge_agent.commissioning.scan import ScanPlan, ScanProgress, as_table, progress_of, ranges, scan
from edge_agent.commissioning.words import as_text, entered
from edge_agent.config.load import load
from edge_agent.config.model import Configuration, Point, Port
from edge_agent.errors import BadFrame, ConfigError, FieldbusError
from edge_agent.forwarding.hj212 import description as hj212
from edge_agent.forwarding.hj212.packet import BadPacket
from edge_agent.forwarding.hj212.sm4 import Sm4Key
from edge_agent.model import PointKey
from edge_agent.protocols import PROTOCOLS
from edge_agent.system.clock import SystemClock

Verb = Callable[[argparse.Namespace], int]
OK, FAILED = 0, 1
LONGEST_WATCH_S = 3600.0


def add_verbs(verbs: Any) -> dict[str, Verb]:
    """Declare the subcommands; what runs each."""
    declare(verbs)
    return {
        "scan": _scan,
        "raw": _raw,
        "read": _read,
        "write": _write,
        "trace": _trace,
        "decode": _decode,
    }


def words(pairs: list[str], field: str) -> dict[str, str]:
    """NAME=VALUE pairs as a table of texts; the protocol says what each is.

    Raises ConfigError for a pair without a name or an equals sign.
    """
    table: dict[str, str] = {}
    for pair in ",".join(pairs).split(","):
        name, equals, text = pair.partition("=")
        if not pair:
            continue
        if not equals or not name:
            raise ConfigError(field, f"must be NAME=VALUE, not {pair!r}")
        table[name.strip()] = text.strip()
    return table


def _place(chosen: argparse.Namespace) -> tuple[Configuration | None, Port]:
    """The configuration, if one is named, and the port."""
    if chosen.config is not None:
        configuration = load(chosen.config)
        name = chosen.port
        if name is None and getattr(chosen, "key", None):
            return configuration, target.configured(configuration, _key(chosen.key))[0]
        if name is None and getattr(chosen, "slave", None):
            return configuration, target.configured_slave(configuration, chosen.slave)[0]
        if name is None:
            raise ConfigError("--port", "must name a port of the configuration")
        return configuration, target.configured_port(configuration, name)
    if bool(chosen.device) == bool(chosen.host):
        raise ConfigError("--config", "or one of --device and --host must be given")
    return None, target.port_of(_port_table(chosen))


def _port_table(chosen: argparse.Namespace) -> dict[str, Any]:
    """A port as [[ports]] has it; what is not given is as devices of the protocol are delivered."""
    protocol = PROTOCOLS.get(chosen.protocol or "")
    if chosen.host:
        usual = {"port": protocol.description.connection.tcp_port} if protocol else {}
        table = {"type": "NET", "host": chosen.host, "port": chosen.tcp_port}
    else:
        framing = protocol.description.connection.serial if protocol else None
        usual = asdict(framing) if framing else {}
        table = {
            "type": "COM", "device": chosen.device, "baud": chosen.baud, "parity": chosen.parity,
            "data_bits": chosen.data_bits, "stop_bits": chosen.stop_bits,
        }  # fmt: skip
    given = {name: value for name, value in table.items() if value is not None}
    known = {name: value for name, value in usual.items() if value is not None}
    if chosen.host and protocol and "port" not in given | known:
        raise ConfigError("--tcp-port", "must be given: a serial server has its own")
    return {"name": "port", **known, **given}


def _key(text: str) -> PointKey:
    slave, dot, point = text.partition(".")
    if not dot:
        raise ConfigError("--key", "must be SLAVE.POINT")
    return PointKey(slave, point)


def _target(chosen: argparse.Namespace, configuration: Configuration | None, port: Port) -> target.Target:
    if chosen.slave is not None:
        if configuration is None:
            raise ConfigError("--slave", "needs --config")
        return target.configured_slave(configuration, chosen.slave)[1]
    protocol = chosen.protocol
    if protocol is None:
        if configuration is None:
            raise ConfigError("--protocol", f"must be one of {', '.join(PROTOCOLS)}")
        protocol = target.protocol_on(configuration, port.name)
    return target.target_of(
        {
            "protocol": protocol,
            "address": chosen.address or _usual_address(protocol),
            "response_timeout_ms": chosen.timeout_ms,
            "options": _options(chosen, configuration, port, protocol),
        },
        port,
    )


def _usual_address(name: str) -> str:
    protocol = PROTOCOLS.get(name)
    return protocol.description.connection.address if protocol else "1"


def _options(
    chosen: argparse.Namespace, configuration: Configuration | None, port: Port, protocol: str
) -> dict[str, Any]:
    given = words(chosen.option, "--option")
    if given or configuration is None:
        return given
    return target.usual_options(configuration, port.name, protocol)


def _scan(chosen: argparse.Namespace) -> int:
    configuration, port = _place(chosen)
    protocol = chosen.protocol or (target.protocol_on(configuration, port.name) if configuration else None)
    if protocol is None:
        raise ConfigError("--protocol", f"must be one of {', '.join(PROTOCOLS)}")
    plan = ScanPlan(
        protocol=protocol,
        addresses=ranges(chosen.addresses),
        bauds=tuple(_numbers(chosen.bauds)),
        parities=tuple(parity for parity in chosen.parities.upper().split(",") if parity),
        timeout_ms=chosen.timeout_ms,
        options=_options(chosen, configuration, port, protocol),
    )
    progress = progress_of(plan, port)
    asyncio.run(scan(plan, port, progress, SystemClock(), None, _tried if sys.stderr.isatty() else _silent))
    if chosen.json:
        _say(
            msgspec.json.encode(
                {"tried": progress.tried, "found": [as_table(one) for one in progress.results]}
            ).decode()
        )
    for one in [] if chosen.json else progress.results:
        line = f" at {one.baud} baud, parity {one.parity}" if one.baud is not None else ""
        _say(f"{one.address}{line}: {one.verdict} in {one.turnaround_ms} ms {one.identity}".rstrip())
    if not chosen.json:
        answering = sum(one.verdict == "answers" for one in progress.results)
        _say(f"{answering} {'answers' if answering == 1 else 'answer'}, {progress.tried} tried")
    return OK if any(one.verdict == "answers" for one in progress.results) else FAILED


def _tried(progress: ScanProgress) -> None:
    count = len(progress.results)
    sys.stderr.write(f"\r\x1b[K{progress.tried} of {progress.total}, {count} found, {progress.address}")
    if progress.tried == progress.total:
        sys.stderr.write("\n")


def _silent(progress: ScanProgress) -> None: ...


def _numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise ConfigError("--bauds", f"must be numbers separated by commas, not {text[:40]!r}") from None


def _raw(chosen: argparse.Namespace) -> int:
    configuration, port = _place(chosen)
    if not 1 <= chosen.count <= once.MAX_CELLS:
        raise ConfigError("--count", f"must be from 1 to {once.MAX_CELLS}")
    device = _target(chosen, configuration, port)
    at = words(chosen.at, "--at")
    block = asyncio.run(once.read_raw(port, device, at, chosen.count, chosen.expect, SystemClock(), None))
    if chosen.json:
        _say(msgspec.json.encode({**asdict(block), "data": block.data.hex()}).decode())
        return OK
    _say(f"{block.data.hex(' ').upper()}  ({block.took_ms} ms)")
    for order, text in block.texts.items():
        _say(f"text {order}   {text}")
    if chosen.expect is not None and not block.meets:
        _say(f"nothing meets the expected value {chosen.expect:g}")
    for one in block.readings:
        meets = f"  = {chosen.expect:g} with ratio {one.ratio:g}" if one.ratio is not None else ""
        _say(f"byte {one.at:3d}  {one.data_type:7s} {one.order:5s} {_digits(one.value):>24s}{meets}")
    return OK


def _digits(value: float | int) -> str:
    """Whole numbers in full: those of 64 bits are counters and serial numbers."""
    return str(value) if isinstance(value, int) else f"{value:.10g}"


def _point(chosen: argparse.Namespace) -> tuple[Port, target.Target, Any]:
    configuration, port = _place(chosen)
    if chosen.key:
        if configuration is None:
            raise ConfigError("--key", "needs --config")
        configured = target.configured(configuration, _key(chosen.key))
        target.on_device(configured[2])
        return configured
    device = _target(chosen, configuration, port)
    data_type = chosen.data_type or ("string" if chosen.type == "str" else "uint16")
    table = {"type": chosen.type, "data_type": data_type, "address": words(chosen.at, "--at")}
    if chosen.verb == "write":
        table["rw"] = "readwrite"
    return port, device, target.point_of(table, device)


def _read(chosen: argparse.Namespace) -> int:
    port, device, point = _point(chosen)
    return _print_result(chosen, asyncio.run(once.read_once(port, device, point, SystemClock(), None)), point)


def _write(chosen: argparse.Namespace) -> int:
    port, device, point = _point(chosen)
    value = entered(point, chosen.value)
    try:
        done = asyncio.run(once.write_once(port, device, point, value, SystemClock(), None))
    except FieldbusError as error:
        if not error.may_have_acted:
            raise
        sys.stderr.write(f"result unknown, {chosen.value} may have been written: {error}\n")
        return FAILED
    _print_result(chosen, done, point)
    if not done.same:
        sys.stderr.write(f"wrote {chosen.value}, read back {as_text(point, done.value)}\n")
    return OK if done.same else FAILED


def _print_result(chosen: argparse.Namespace, done: once.Once, point: Point) -> int:
    if chosen.json:
        _say(msgspec.json.encode({**asdict(done), "quality": done.quality.name.lower()}).decode())
    else:
        _say(
            f"{as_text(point, done.value)} {point.unit}".rstrip()
            + f"  ({done.quality.name.lower()}, raw {done.raw}, {done.took_ms} ms)"
        )
    return OK


def _trace(chosen: argparse.Namespace) -> int:
    configuration = load(chosen.config)
    port = target.configured_port(configuration, chosen.port)
    if not 0 < chosen.seconds <= LONGEST_WATCH_S:
        raise ConfigError("--seconds", f"must be more than 0 and at most {LONGEST_WATCH_S:.0f}")
    protocol = PROTOCOLS[target.protocol_on(configuration, port.name)]
    seen = asyncio.run(_polled(configuration, port, chosen.seconds))
    if chosen.json:
        _say(msgspec.json.encode(frames.described(protocol, seen)).decode())
    for line in [] if chosen.json else frames.lines(port.name, protocol, seen):
        _say(line)
    return OK if seen else FAILED


async def _polled(configuration: Configuration, port: Port, seconds: float) -> list[TracedFrame]:
    """Frames of a while of polling one port, nothing of which is stored."""
    from edge_agent.bus.bus import Bus
    from edge_agent.model import Row
    from edge_agent.points import LiveTable

    class Nowhere:
        def put(self, row: Row) -> None: ...

    slaves = [slave for slave in configuration.slaves if slave.port == port.name]
    names = {slave.name for slave in slaves}
    points = [point for point in configuration.points if point.slave in names]
    only = msgspec.structs.replace(configuration, ports=[port], slaves=slaves, points=points)
    numbers = {PointKey(point.slave, point.name): n for n, point in enumerate(points, start=1)}
    bus = Bus(only, numbers, Nowhere(), LiveTable())
    task = asyncio.create_task(bus.run())
    await asyncio.wait({task}, timeout=seconds)
    task.cancel()
    await asyncio.wait({task})
    return bus.trace(port.name)


def _decode(chosen: argparse.Namespace) -> int:
    try:
        described = _described(chosen)
    except (BadFrame, BadPacket) as error:
        sys.stderr.write(f"{error}\n")
        return FAILED
    _say(msgspec.json.format(msgspec.json.encode(described)).decode())
    fault = hj212.crc_fault(described) if chosen.protocol in hj212.NAMES else ""
    if fault:
        sys.stderr.write(f"{fault}\n")
    return FAILED if fault else OK


def _described(chosen: argparse.Namespace) -> dict[str, Any]:
    if chosen.key_file is not None and chosen.protocol != "hj212_2025":
        raise ConfigError("--key-file", "is for hj212_2025")
    if chosen.protocol not in hj212.NAMES:
        return PROTOCOLS[chosen.protocol].describe(frames.frame_of("".join(chosen.hex)), chosen.direction)
    if chosen.direction is not None:
        raise ConfigError("--direction", "is not for hj212: a packet says by itself who sends it")
    data = hj212.packet_bytes(" ".join(chosen.hex)) or frames.frame_of("".join(chosen.hex))
    return hj212.describe(data, hj212.NAMES[chosen.protocol], _key_of(chosen.key_file))


def _key_of(path: Path | None) -> Sm4Key | None:
    if path is None:
        return None
    try:
        return Sm4Key(path.read_text(encoding="utf-8").strip())
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError("--key-file", f"{path} cannot be read: {type(error).__name__}") from None


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
