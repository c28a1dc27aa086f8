"""One read or write on a point, checked before and compared after, for the cloud and the local page alike.

States: resp done and read back equal; error the request is wrong (no_such_point, bad_value, no_such_slave,
bad_argument, not_available); notAuthorized (read_only, write_only); fail what went wrong on the way (expired,
mismatch, no_answer, device_error, port_down, bad_frame, busy, interrupted, refused, no_restart). Beside it an
outcome: done, failed, or unknown.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from edge_agent.config.model import Point
from edge_agent.errors import BadValue, FieldbusError
from edge_agent.model import PointKey, Quality, Sample, Value
from edge_agent.remote.service import WRONG_REQUEST, ServiceActions
from edge_agent.signals import Signal
from edge_agent.system.clock import Clock
from edge_contract.limits import MAX_TEXT
from edge_contract.payloads import Command, CommandAction, CommandResult, CommandState, Outcome
from edge_contract.trace import TraceKind

log = logging.getLogger(__name__)

LONGEST_S = 60.0
"""No request on a field bus takes longer, whatever the expiry says."""

LONGEST_ACTION_S = 600.0
"""No action of the gateway does either: a clock that was put back makes an expiry lie days ahead."""

OF_POINTS = frozenset({CommandAction.WRITE, CommandAction.READ})
RESP = CommandState.RESP.value
FAIL = CommandState.FAIL.value
ERROR = CommandState.ERROR.value
NOT_AUTHORIZED = CommandState.NOT_AUTHORIZED.value


class FieldAccess(Protocol):
    """The bus, as far as commands need it. Both raise FieldbusError or BadValue."""

    async def write(self, key: PointKey, value: Value, timeout_s: float) -> Sample:
        """Write and read back."""

    async def read(self, key: PointKey, timeout_s: float) -> Sample:
        """The newest value of a point, read within timeout_s. Raises FieldbusError or BadValue."""


@dataclass(frozen=True)
class Done:
    """What came of a read or write of a point. sample: what was read."""

    state: str
    code: str = ""
    detail: str = ""
    sample: Sample | None = None
    outcome: Outcome = Outcome.FAILED


@dataclass(frozen=True)
class Execution:
    """same_value: whether what was read back is what was wanted, within the point's resolution.

    services: actions of the gateway as a whole. written_ms: when a point was last written, by whomever.
    notify: gets each command when it is taken and when it is answered, in words.
    """

    points: Mapping[PointKey, Point]
    bus: FieldAccess
    same_value: Callable[[Point, Value, Value], bool]
    clock: Clock
    services: ServiceActions = field(default_factory=ServiceActions)
    written_ms: dict[PointKey, int] = field(default_factory=dict)
    notify: Callable[[Signal, str], None] = lambda signal, text: None

    async def execute(self, command: Command, who: str) -> CommandResult:
        """Do it and say what came of it; what is not a read is logged with who asked."""
        begun = self.clock.monotonic()
        self._say("taken", command, f"{who} {_words(command)}")
        left_ms = command.expires_ms - self.clock.now_ms()
        value: Value = None
        quality = Quality.GOOD
        values: Mapping[str, Value] = {}
        if left_ms <= 0:
            done = Done(FAIL, "expired", f"{-left_ms} ms ago on the gateway's clock")
        elif command.action in OF_POINTS:
            done = await self._of_point(command, left_ms / 1000)
            if done.sample is not None:
                value, quality = done.sample.value, done.sample.quality
        else:
            ended = await self.services.outcome(command, min(left_ms / 1000, LONGEST_ACTION_S))
            value, values = ended.value, ended.values
            state = ERROR if ended.code in WRONG_REQUEST else FAIL if ended.code else RESP
            done = Done(
                state,
                ended.code,
                ended.detail,
                outcome=Outcome.DONE if state == RESP else Outcome.FAILED,
            )
        result = CommandResult(
            id=command.id,
            state=done.state,
            t_ms=self.clock.now_ms(),
            latency_ms=round((self.clock.monotonic() - begun) * 1000),
            value=cut(value),
            quality=quality,
            code=done.code,
            detail=done.detail[:MAX_TEXT],
            outcome=done.outcome,
            values={name: cut(each) for name, each in values.items()},
        )
        words = "done" if done.outcome is Outcome.DONE else f"failed: {done.code}"
        if done.outcome is Outcome.UNKNOWN:
            words += ", may have been carried out"
        if command.action is not CommandAction.READ:
            log.info("audit: %s %s: %s (%d ms)", who, _words(command), words, result.latency_ms)
        self._say("answered", command, f"{who} {_words(command)}: {words} ({result.latency_ms} ms)")
        return result

    def _say(self, code: str, command: Command, text: str) -> None:
        self.notify(Signal(TraceKind.COMMAND, code, command.action.value, command.slave or ""), text)

    async def _of_point(self, command: Command, left_s: float) -> Done:
        assert command.slave is not None and command.point is not None  # the contract's rule for W and R
        key = PointKey(command.slave, command.point)
        point = self.points.get(key)
        if point is None:
            return Done(ERROR, "no_such_point", f"{key} is not configured")
        write = command.action is CommandAction.WRITE
        if write and point.rw == "readonly":
            return Done(NOT_AUTHORIZED, "read_only", f"{key} cannot be written")
        if not write and point.rw == "writeonly":
            return Done(NOT_AUTHORIZED, "write_only", f"{key} cannot be read")
        timeout_s = min(left_s, LONGEST_S)
        try:
            if not write:
                return Done(RESP, sample=await self.bus.read(key, timeout_s), outcome=Outcome.DONE)
            self.written_ms[key] = self.clock.now_ms()
            sample = await self.bus.write(key, command.value, timeout_s)
        except BadValue as error:
            return Done(ERROR, error.code, str(error))
        except FieldbusError as error:
            outcome = Outcome.UNKNOWN if write and error.may_have_acted else Outcome.FAILED
            return Done(FAIL, error.code, str(error), outcome=outcome)
        except Exception:  # supervisor of one command: no value that somebody sends may end the agent
            log.exception("command %s on %s failed", command.id, key)
            outcome = Outcome.UNKNOWN if write else Outcome.FAILED
            return Done(ERROR, "internal", "the gateway's log says why", outcome=outcome)
        if not self.same_value(point, command.value, sample.value):
            words = f"wrote {command.value!r}, read back {sample.value!r}"
            return Done(FAIL, "mismatch", words, sample)
        return Done(RESP, sample=sample, outcome=Outcome.DONE)


def cut(value: Value) -> Value:
    """A text as long as a message may carry it."""
    return value[:MAX_TEXT] if isinstance(value, str) else value


def _words(command: Command) -> str:
    """What was asked for, for the log."""
    if command.action is CommandAction.WRITE:
        return f"writes {cut(command.value)!r} to {command.slave}.{command.point}"
    of = f" of {command.slave}" if command.slave else ""
    if command.action is CommandAction.READ:
        return f"reads {command.slave}.{command.point}"
    return f"asks for {command.action.value}{of}"
