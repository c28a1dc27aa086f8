"""What the end of a request means for its slave: there, offline, or back; each is logged once."""

from __future__ import annotations

import logging

from edge_agent.bus.absent_values import AbsentValues
from edge_agent.bus.connection import PortConnection
from edge_agent.bus.device_runtime import DeviceRuntime, Reading
from edge_agent.bus.schedule import Schedule
from edge_agent.config.model import Port
from edge_agent.errors import FieldbusError
from edge_agent.model import Quality
from edge_agent.signals import signal
from edge_agent.system.clock import Clock
from edge_contract.trace import TraceKind

log = logging.getLogger(__name__)


class SlavePresence:
    """Of the slaves of one port. failures: requests without a value; last_error: of the newest, in words."""

    def __init__(
        self,
        port: Port,
        schedule: Schedule[Reading],
        connection: PortConnection,
        absent: AbsentValues,
        clock: Clock,
    ) -> None:
        self.failures = 0
        self.last_error = ""
        self._port = port
        self._schedule = schedule
        self._connection = connection
        self._absent = absent
        self._clock = clock

    def answered(self, device: DeviceRuntime, turnaround_s: float) -> None:
        """A slave that is back is read at once."""
        self._connection.silent_requests = 0
        now = self._clock.monotonic()
        if device.answered(turnaround_s * 1000, self._clock.now_ms(), now):
            extra = signal(TraceKind.DEVICE, "connected", self._port.name, device.slave.name)
            log.info("%s on %s is back", device.slave.name, self._port.name, extra=extra)
            self._schedule.bring_forward(device.missed(now), now)

    def failed(self, device: DeviceRuntime, error: FieldbusError) -> None:
        """After the retries; the points of a slave that is offline now have no value."""
        if device.failed(error, self._clock.monotonic()):
            extra = signal(TraceKind.DEVICE, "lost", self._port.name, device.slave.name)
            log.warning("%s on %s is offline: %s", device.slave.name, self._port.name, error, extra=extra)
            self._absent.of_device(device, Quality.DEVICE_OFFLINE)

    def note(self, device: DeviceRuntime, error: FieldbusError) -> None:
        """Count a request without a value."""
        self.failures += 1
        device.counts.failed(error, self._clock.monotonic(), self._clock.now_ms())
        self.last_error = str(error)
