"""One read or write on a point, checked before and compared after, for the cloud and the local page alike."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from edge_agent.config.model import Point
from edge_agent.errors import BadValue, FieldbusError
from edge_agent.model import PointKey, Quality, Sample, Value
from edge_agent.system.clock import Clock
from edge_contract.payloads import Command, CommandAction, CommandResult, CommandState

log = logging.getLogger(__name__)

LONGEST_S = 60.0
"""No request on a field bus takes longer, whatever the expiry says."""

FAIL = CommandState.FAIL.value
ERROR = CommandState.ERROR.value
NOT_AUTHORIZED = CommandState.NOT_AUTHORIZED.value


class FieldAccess(Protocol):
    """The bus, as far as commands need it. Both raise FieldbusError or BadValue."""

    async def write(self, key: PointKey, value: Value, timeout_s: float) -> Sample:
        """Write and read back."""

    async def read(self, key: PointKey, timeout_s: float) -> Sample: ...


@dataclass(frozen=True)
class Execution:
    """same_value: whether what was read back is what was wanted, within the point's resolution."""

    points: Mapping[PointKey, Point]
    bus: FieldAccess
    same_value: Callable[[Point, Value, Value], bool]
    clock: Clock

    async def execute(self, command: Command, who: str) -> CommandResult:
        """Do it and say what came of it; writes are logged with who asked."""
        begun = self.clock.monotonic()
        state, code, detail, sample = await self._outcome(command)
        result = CommandResult(
            id=command.id,
            state=state,
            t_ms=self.clock.now_ms(),
            latency_ms=round((self.clock.monotonic() - begun) * 1000),
            value=sample.value if sample else None,
            quality=sample.quality if sample else Quality.GOOD,
            code=code,
            detail=detail[:200],
        )
        if command.action is CommandAction.WRITE:
            log.info(
                "audit: %s writes %r to %s.%s: %s%s (%d ms)",
                who, command.value, command.slave, command.point, state, f" {code}" if code else "",
                result.latency_ms,
            )  # fmt: skip
        return result

    async def _outcome(self, command: Command) -> tuple[str, str, str, Sample | None]:
        """State, code, detail, and what was read."""
        left_ms = command.expires_ms - self.clock.now_ms()
        if left_ms <= 0:
            return FAIL, "expired", f"{-left_ms} ms ago on the gateway's clock", None
        key = PointKey(command.slave, command.point)
        point = self.points.get(key)
        if point is None:
            return ERROR, "no_such_point", f"{key} is not configured", None
        write = command.action is CommandAction.WRITE
        if write and point.rw == "readonly":
            return NOT_AUTHORIZED, "read_only", f"{key} cannot be written", None
        if not write and point.rw == "writeonly":
            return NOT_AUTHORIZED, "write_only", f"{key} cannot be read", None
        timeout_s = min(left_ms / 1000, LONGEST_S)
        try:
            if not write:
                return CommandState.RESP.value, "", "", await self.bus.read(key, timeout_s)
            sample = await self.bus.write(key, command.value, timeout_s)
        except BadValue as error:
            return ERROR, error.code, str(error), None
        except FieldbusError as error:
            return FAIL, error.code, str(error), None
        except Exception:  # supervisor of one command: no value that somebody sends may end the agent
            log.exception("command %s on %s failed", command.id, key)
            return ERROR, "internal", "the gateway's log says why", None
        if not self.same_value(point, command.value, sample.value):
            return FAIL, "mismatch", f"wrote {command.value!r}, read back {sample.value!r}", sample
        return CommandState.RESP.value, "", "", sample
