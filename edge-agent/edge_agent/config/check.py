"""Faults of a configuration that only show when its parts are seen together.

Names are unique, ports and slaves that are named exist, addresses on a port are unique. Nothing is opened.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from edge_agent.config.calculated import calculated_of
from edge_agent.config.lenient import Unjudged
from edge_agent.config.model import Configuration, Port, Slave
from edge_agent.config.network import file_fault, history_path_fault, host_fault, page_faults, url_fault
from edge_agent.config.parameters import parameter_faults
from edge_agent.config.point import caught, number_fault, point_faults, protocol_faults
from edge_agent.config.shape import shape_faults
from edge_agent.errors import ConfigError
from edge_agent.forwarding.kinds import FORWARDERS
from edge_agent.internal_slave.faults import row_faults, slave_faults
from edge_agent.loop_write.faults import task_faults
from edge_agent.model import PointKey
from edge_agent.protocols import PROTOCOLS

NOTHING = Unjudged()
MAX_ADDRESS_LENGTH = 64
SAVING_S = 60
"""Shortest report interval for which the link is worth closing."""


@dataclass(frozen=True)
class CheckContext:
    """Ports and slaves by name, the first of a name. spoken: protocol by port, as far as it is known.

    judging: names of the slaves by which points can be validated.
    """

    ports: dict[str, Port]
    slaves: dict[str, Slave]
    protocol_on_port: dict[str, str]
    judgeable: set[str]
    unjudged: Unjudged


def check(configuration: Configuration, unjudged: Unjudged = NOTHING) -> Iterator[ConfigError]:
    """Faults between the parts. doubt: what is not validated, because it hangs on something broken."""
    ports, slaves, points = configuration.ports, configuration.slaves, configuration.points
    field = CheckContext(
        {port.name: port for port in reversed(ports)},
        {slave.name: slave for slave in reversed(slaves)},
        {},
        set(),
        unjudged,
    )
    yield from _single_faults(configuration)
    yield from _unique("forwarders", "name", [forwarder.name for forwarder in configuration.forwarders])
    yield from _forwarder_faults(configuration, unjudged)
    yield from _unique("ports", "name", [port.name for port in ports])
    yield from _unique("slaves", "name", [slave.name for slave in slaves])
    yield from _unique("points", "name", [f"{point.slave}.{point.name}" for point in points])
    yield from _unique("scripts", "name", [script.name for script in configuration.scripts])
    yield from _unique("slaves", "address", [_bus_address(slave) for slave in slaves])
    for index, port in enumerate(ports):
        yield from _prefixed(f"ports[{index}]", _port_faults(port))
    for index, slave in enumerate(slaves):
        yield from _prefixed(f"slaves[{index}]", _slave_faults(slave, field))
    field.judgeable.difference_update(_namesakes(slaves))
    for index, point in enumerate(points):
        yield from _prefixed(f"points[{index}]", point_faults(point))
        device = field.slaves.get(point.slave)
        if device is not None and device.name in field.judgeable:
            yield from _prefixed(f"points[{index}]", protocol_faults(point, device))
        yield from _prefixed(f"points[{index}]", _unnamed(point.slave, device, unjudged))
    yield from _script_faults(configuration, field)
    yield from slave_faults(configuration)
    yield from _mapped_faults(configuration, field)
    yield from _loop_write_faults(configuration, field)
    yield from _unique("channels", "name", [channel.name for channel in configuration.channels])
    calibrated = [f"{row.slave}.{row.name}" for row in configuration.calibrations]
    yield from _unique("calibrations", "name", calibrated)
    yield from parameter_faults(configuration, unjudged)


def _mapped_faults(configuration: Configuration, field: CheckContext) -> Iterator[ConfigError]:
    """Of the points that the internal slave has."""
    rows = configuration.internal_slave_points
    yield from _unique("internal_slave_points", "name", [f"{row.slave}.{row.name}" for row in rows])
    points = {PointKey(point.slave, point.name): point for point in configuration.points}
    yield from row_faults(rows, None if "points" in field.unjudged.missing else points)


def _loop_write_faults(configuration: Configuration, field: CheckContext) -> Iterator[ConfigError]:
    yield from _unique("loop_writes", "name", [task.name for task in configuration.loop_writes])
    for index, task in enumerate(configuration.loop_writes):
        slave = field.slaves.get(task.slave)
        known = slave if slave is not None and slave.name in field.judgeable else None
        yield from _prefixed(f"loop_writes[{index}]", _unnamed(task.slave, slave, field.unjudged))
        yield from _prefixed(f"loop_writes[{index}]", task_faults(task, known))


def _script_faults(configuration: Configuration, field: CheckContext) -> Iterator[ConfigError]:
    for index, script in enumerate(configuration.scripts):
        slave = field.slaves.get(script.slave)
        yield from _prefixed(f"scripts[{index}]", _unnamed(script.slave, slave, field.unjudged))
        for name, value in script.state.items():
            if rule := number_fault(value):
                yield ConfigError(f"scripts[{index}].state.{name}", rule)
    if field.unjudged.missing & {"points", "scripts"}:
        return
    for fault in calculated_of(configuration.points, configuration.scripts).faults:
        if not (field.unjudged.outputs and fault.field.startswith("scripts[")):
            yield fault


def _forwarder_faults(configuration: Configuration, unjudged: Unjudged) -> Iterator[ConfigError]:
    half_mb = configuration.storage.max_mb // 2
    apart = [kind.name for kind in FORWARDERS.values() if kind.section]
    choices = [name for name in FORWARDERS if name not in apart]
    for index, entry in enumerate(configuration.forwarders):
        kind, faults = FORWARDERS.get(entry.kind), []
        if entry.name in apart:
            faults.append(ConfigError("name", f"must not be {entry.name}, which [{entry.name}] configures"))
        if entry.max_mb is not None and entry.max_mb > max(half_mb, 1):
            faults.append(ConfigError("max_mb", f"must be at most half of storage.max_mb, {half_mb}"))
        if kind is None or kind.section:
            faults.append(ConfigError("kind", f"must be one of {', '.join(choices)}"))
        else:
            wrong = list(caught(partial(kind.options_of, entry.options)))
            if not wrong and not unjudged.missing & {"ports", "slaves", "points"}:
                wrong += kind.check_points(kind.options_of(entry.options), configuration)
            faults += wrong
        yield from _prefixed(f"forwarders[{index}]", faults)


def _single_faults(configuration: Configuration) -> Iterator[ConfigError]:
    """Of the sections that are there once."""
    cloud, page = configuration.cloud, configuration.local_page
    rules: dict[str, str | None] = {
        **{f"local_page.{field}": rule for field, rule in page_faults(page).items()},
        "storage.commit_interval_s": number_fault(configuration.storage.commit_interval_s),
        "history.path": history_path_fault(configuration.history),
    }
    if cloud is not None:
        rules |= {"cloud.url": url_fault(cloud.url), "cloud.ca_file": file_fault(cloud.ca_file)}
    if configuration.reporting.power == "saving" and configuration.reporting.interval_s < SAVING_S:
        rules["reporting.interval_s"] = f"must be at least {SAVING_S} with power saving"
    if configuration.cellular is not None:
        rules["cellular.device"] = _modem_fault(configuration.cellular.device, configuration.ports)
    for name, rule in rules.items():
        if rule is not None:
            yield ConfigError(name, rule)


def _modem_fault(device: str, ports: Sequence[Port]) -> str | None:
    taken = next((port.name for port in ports if port.type == "COM" and port.device == device), None)
    return file_fault(device) or (f"must not be the device of port {taken}" if taken else None)


def _bus_address(slave: Slave) -> str:
    address = slave.address
    number = address.isdecimal() and len(address) <= MAX_ADDRESS_LENGTH
    return f"{slave.port} {int(address) if number else address}"


def _unique(section: str, field: str, names: list[str]) -> Iterator[ConfigError]:
    seen: set[str] = set()
    for index, name in enumerate(names):
        if name in seen:
            yield ConfigError(f"{section}[{index}].{field}", f"must be unique, {name!r} stands there twice")
        seen.add(name)


def _namesakes(slaves: Sequence[Slave]) -> Iterator[str]:
    """Names of slaves that are not one and the same device for their points."""
    seen: dict[str, Slave] = {}
    for slave in slaves:
        first = seen.setdefault(slave.name, slave)
        if (first.protocol, first.options) != (slave.protocol, slave.options):
            yield slave.name


def _prefixed(prefix: str, faults: Iterable[ConfigError]) -> Iterator[ConfigError]:
    for fault in faults:
        yield ConfigError(f"{prefix}.{fault.field}", fault.rule)


def _unnamed(name: str, slave: Slave | None, unjudged: Unjudged) -> Iterator[ConfigError]:
    if slave is None and "slaves" not in unjudged.missing:
        yield ConfigError("slave", f"must be the name of a slave, {name!r} is none")


def _port_faults(port: Port) -> Iterator[ConfigError]:
    if port.type == "COM" and not port.device:
        yield ConfigError("device", "must be given for a COM port, such as /dev/ttyS1")
    if rule := file_fault(port.device):
        yield ConfigError("device", rule)
    if port.type == "NET" and not port.host:
        yield ConfigError("host", "must be given for a NET port")
    if port.host and (rule := host_fault(port.host)):
        yield ConfigError("host", rule)


def _slave_faults(slave: Slave, field: CheckContext) -> Iterator[ConfigError]:
    """Faults of a slave; without any but that of its address its points can be validated."""
    port, protocol = field.ports.get(slave.port), PROTOCOLS.get(slave.protocol)
    doubtful = slave.name in field.unjudged.slaves
    if port is None and "ports" not in field.unjudged.missing:
        yield ConfigError("port", f"must be the name of a port, {slave.port!r} is none")
    if protocol is None:
        yield ConfigError("protocol", f"must be one of {', '.join(PROTOCOLS)}")
        return
    faults = list(_line_faults(slave, port, field, doubtful) if port is not None else _portless_faults(slave))
    yield from faults
    if not doubtful and all(fault.field in ("address", "port") for fault in faults):
        field.judgeable.add(slave.name)


def _portless_faults(slave: Slave) -> Iterator[ConfigError]:
    """What is wrong on every port that the slave may be meant to be on."""
    kinds: tuple[Literal["COM", "NET"], ...] = ("COM", "NET")
    ports = [
        Port(name=slave.port, type=kind)
        for kind in kinds
        if kind in PROTOCOLS[slave.protocol].description.port_types
    ]
    first, *others = [list(_protocol_faults(slave, port)) for port in ports]
    elsewhere = [{str(fault) for fault in faults} for faults in others]
    for fault in first:
        if fault.field != "port" and all(str(fault) in faults for faults in elsewhere):
            yield fault


def _protocol_faults(slave: Slave, port: Port) -> Iterator[ConfigError]:
    """Those that the protocol names, and of its options also behind another one."""
    protocol = PROTOCOLS[slave.protocol]
    faults = list(caught(partial(protocol.validate_slave, slave, port)))
    yield from faults
    if faults and not any(fault.field.startswith("options") for fault in faults):
        yield from shape_faults(slave.options, protocol.description.options, "options")


def _line_faults(slave: Slave, port: Port, field: CheckContext, doubtful: bool) -> Iterator[ConfigError]:
    protocol = PROTOCOLS[slave.protocol]
    protocol_on_port = (
        slave.protocol if doubtful else field.protocol_on_port.setdefault(port.name, slave.protocol)
    )
    if protocol_on_port != slave.protocol:
        yield ConfigError(
            "protocol", f"must be {protocol_on_port}, which the first slave of port {port.name} speaks"
        )
    known = port.name not in field.unjudged.ports
    types = protocol.description.port_types
    if known and port.type not in types:
        yield ConfigError("port", f"{slave.protocol} needs a port of type {' or '.join(sorted(types))}")
    for fault in _protocol_faults(slave, port):
        if known or fault.field != "port":
            yield fault
