"""What is wrong with the loop-write tasks of a configuration, on a machine with its list of time zones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

from edge_agent.config.model import LoopWrite, Slave
from edge_agent.errors import BadValue, ConfigError
from edge_agent.loop_write.message import custom_bytes, hex_bytes, register_bytes
from edge_agent.protocols import PROTOCOLS
from edge_agent.protocols.modbus.config import Address, options_of

SOME_TIME = datetime(2026, 1, 1, tzinfo=UTC)
ADDRESSES = 65536
CUSTOM_ONLY = {"checksum": "none", "expect": ""}
MODBUS_ONLY = {"reg_type": "4X", "offset": None}


def task_faults(task: LoopWrite, slave: Slave | None) -> Iterator[ConfigError]:
    """Of one task; slave: None when it is not known or faulty itself."""
    for name, usual in (CUSTOM_ONLY if task.message == "modbus" else MODBUS_ONLY).items():
        if getattr(task, name) != usual:
            yield ConfigError(name, f"must not be given for a message of type {task.message}")
    if task.content == "real_time" and task.message == "modbus" and task.value is not None:
        yield ConfigError("value", "must not be given for the time in registers")
    try:
        zone_of(task.time_zone)
    except BadValue as error:
        yield ConfigError("time_zone", str(error))
    if task.message == "custom":
        yield from _value_faults("value", lambda: custom_bytes(task, SOME_TIME))
        yield from _value_faults("expect", lambda: hex_bytes(task.expect))
        return
    if task.data_type in ("uint8", "int8"):
        yield ConfigError("data_type", f"must fill whole registers, {task.data_type} does not")
    else:
        yield from _value_faults("value", lambda: register_bytes(task, SOME_TIME))
    if slave is not None:
        yield from _place_faults(task, slave)


def zone_of(name: str) -> tzinfo | None:
    """Of a name of the IANA database; None for the machine's own. Raises BadValue for an unknown one."""
    if not name:
        return None
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError):  # no such file, a path, no database at all
        raise BadValue("must be a time zone that this machine knows, such as Asia/Shanghai") from None


def _place_faults(task: LoopWrite, slave: Slave) -> Iterator[ConfigError]:
    protocol = PROTOCOLS.get(slave.protocol)
    if protocol is None:
        return
    if protocol.description.address is not Address:
        yield ConfigError("message", f"must be custom for {slave.name}, which speaks {slave.protocol}")
        return
    if task.offset is None:
        yield ConfigError("offset", "must be given for a message of type modbus")
        return
    try:
        options = options_of(slave)
        count = 1 if task.reg_type == "0X" else len(register_bytes(task, SOME_TIME)) // 2
    except (BadValue, ConfigError):
        return  # reported already
    if task.offset - options.one_based < 0:
        yield ConfigError("offset", "must be at least 1 where addresses start at 1")
    if task.offset - options.one_based + count > ADDRESSES:
        yield ConfigError("offset", f"must lie within {ADDRESSES} addresses")
    if count > options.max_write_registers:
        yield ConfigError(
            "value", f"is {count} registers, options.max_write_registers allows {options.max_write_registers}"
        )


def _value_faults(field: str, make: Callable[[], object]) -> Iterator[ConfigError]:
    try:
        make()
    except BadValue as error:
        yield ConfigError(field, str(error))
