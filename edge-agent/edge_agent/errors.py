"""The agent's one error tree. Library errors are mapped to these where the library is imported."""

from __future__ import annotations

from edge_contract.model import Quality


class AgentError(Exception):
    """Base of everything that the agent raises on purpose."""


class ConfigError(AgentError):
    """A configuration is wrong. field: path such as points[3].offset; rule: what it must be."""

    def __init__(self, field: str, rule: str) -> None:
        super().__init__(f"{field}: {rule}")
        self.field = field
        self.rule = rule


class ConfigErrors(ConfigError):
    """Everything that is wrong. errors: one a fault, at least one; field and rule are those of the first."""

    def __init__(self, errors: list[ConfigError]) -> None:
        super().__init__(errors[0].field, errors[0].rule)
        self.errors = errors

    def __str__(self) -> str:
        return "\n".join(str(error) for error in self.errors)


class FieldbusError(AgentError):
    """A read or write on a field bus failed; quality is what the affected points get.

    may_have_acted: whether the device may have carried out a write all the same. None: whoever raised it does
    not know. kind: what exactly was wrong, for statistics; code is the coarser reason of a slave.
    """

    quality = Quality.BAD_FRAME
    code = "bus_error"
    kind = "bus_error"
    may_have_acted: bool | None = None


class PortDown(FieldbusError):
    """The serial port or the connection could not be opened, or broke."""

    quality = Quality.PORT_DOWN
    code = "port_down"
    kind = "port_down"


class ConnectionRefused(PortDown):
    """The other end is there and does not take the connection."""

    kind = "connection_refused"


class PortLocked(FieldbusError):
    """A tunnel or a tool has the port: nothing else can be asked on it meanwhile."""

    quality = Quality.DEVICE_OFFLINE
    code = "port_lent"

    def __init__(self, port: str, who: str) -> None:
        super().__init__(f"port {port} is lent to {who or 'a tool'}")


class NoAnswer(FieldbusError):
    """The slave did not answer in time."""

    quality = Quality.DEVICE_OFFLINE
    code = "no_answer"
    kind = "no_answer"


class BadFrame(FieldbusError):
    """An answer had a wrong checksum, length, function code, address or echo."""

    quality = Quality.BAD_FRAME
    code = "bad_frame"
    kind = "bad_frame"


class BadChecksum(BadFrame):
    """The answer came, and its checksum is wrong."""

    kind = "checksum"


class ForeignAnswer(BadFrame):
    """Sound frames came, none of them the answer to this request: of another slave, or of another request."""

    kind = "foreign_answer"


class DeviceRefused(FieldbusError):
    """The slave answered with an error of its own. device_code: exception code or error byte."""

    quality = Quality.DEVICE_ERROR
    code = "device_error"
    kind = "exception"

    def __init__(self, device_code: int, meaning: str) -> None:
        super().__init__(f"device error {device_code:#04x}: {meaning}")
        self.device_code = device_code


class BadValue(AgentError):
    """A value cannot be written to a point, or raw data is no value of the point's type."""

    code = "bad_value"


class StoreError(AgentError):
    """The store cannot be opened, written or read."""


class StoreFull(StoreError):
    """The medium has no space; what was to be written is still held in memory, up to its bound."""
