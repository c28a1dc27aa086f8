"""Actions of the gateway as a whole: what each does with the parts that it is given."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Protocol

from edge_agent.actions import Action, ActionOutcome
from edge_agent.config.model import Point
from edge_agent.errors import AgentError, BadValue, FieldbusError, NoAnswer, PortLocked
from edge_agent.model import PointKey, PointKind, Sample
from edge_agent.system.clock import Clock
from edge_contract.payloads import Command, CommandAction

if TYPE_CHECKING:
    from edge_agent.system.cellular import Modem

log = logging.getLogger(__name__)

NOT_AVAILABLE = "not_available"
WRONG_REQUEST = frozenset(
    {NOT_AVAILABLE, "bad_argument", "no_such_slave", "no_trial", "bad_script", "internal"}
)
"""Codes of a request that cannot be carried out here, however often it comes."""

ENDS_S = 1.0
"""An action that keeps its time itself is let go on for so long before it is cut off."""
RESTART_S = 30.0
"""The agent stops within 20 s, a machine soon after it was ordered to."""

COMES_BACK = frozenset({CommandAction.REBOOT, CommandAction.RELOAD})
"""Actions that end the agent, or its parts: whoever is there afterwards answers that they were done."""


class PointReader(Protocol):
    """The bus, as far as a refresh needs it."""

    async def read(self, key: PointKey, timeout_s: float) -> Sample:
        """FieldbusError or BadValue."""


class ServiceActions:
    """What this gateway can do. actions may be completed until the first command comes."""

    def __init__(self, actions: dict[CommandAction, Action] | None = None) -> None:
        self.actions = actions if actions is not None else {}

    async def outcome(self, command: Command, timeout_s: float) -> ActionOutcome:
        """Never raises: what somebody asks for may not end the agent."""
        action = self.actions.get(command.action)
        if action is None:
            return ActionOutcome(code=NOT_AVAILABLE, detail=f"this gateway has no {command.action.value}")
        try:
            async with asyncio.timeout(timeout_s + ENDS_S):
                return await action(command, timeout_s)
        except BadValue as error:
            return ActionOutcome(code="bad_argument", detail=str(error))
        except AgentError as error:
            return ActionOutcome(code=str(getattr(error, "code", "failed")), detail=str(error))
        except TimeoutError:
            return ActionOutcome(code=NoAnswer.code, detail=f"not done within {timeout_s:g} s")
        except Exception:  # supervisor of one command, as that of points
            log.exception("command %s (%s) failed", command.id, command.action.value)
            return ActionOutcome(code="internal", detail="the gateway's log says why")


class Refresh:
    """Reads every readable point once, or those of one slave; ports beside each other.

    The value is the number of points read. A silent slave is asked once. ports: name of the port by slave.
    """

    def __init__(
        self, points: Mapping[PointKey, Point], ports: Mapping[str, str], bus: PointReader, clock: Clock
    ) -> None:
        self._points = points
        self._ports = ports
        self._bus = bus
        self._clock = clock

    async def __call__(self, command: Command, timeout_s: float) -> ActionOutcome:
        if command.slave is not None and command.slave not in self._ports:
            return ActionOutcome(code="no_such_slave", detail=f"{command.slave} is not configured")
        by_port: dict[str, list[PointKey]] = {}
        for key, point in self._points.items():
            readable = point.rw != "writeonly" and point.type is not PointKind.CALCULATED
            if readable and command.slave in (None, key.slave):
                by_port.setdefault(self._ports[key.slave], []).append(key)
        deadline = self._clock.monotonic() + timeout_s
        parts = await asyncio.gather(*(self._port(keys, deadline) for keys in by_port.values()))
        wanted, read = sum(map(len, by_port.values())), sum(count for count, _ in parts)
        failure = next((error for _, error in parts if error is not None), None)
        if failure is None:
            return ActionOutcome(read)
        return ActionOutcome(read, failure.code, f"{read} of {wanted} points were read; {failure}")

    async def _port(self, keys: list[PointKey], deadline: float) -> tuple[int, FieldbusError | None]:
        """How many were read, and what went wrong first."""
        read, silent = 0, set()
        first: FieldbusError | None = None
        for key in keys:
            left_s = deadline - self._clock.monotonic()
            if left_s <= 0:
                return read, first or NoAnswer("the command's time is over")
            if key.slave in silent:
                continue
            try:
                await self._bus.read(key, left_s)
                read += 1
            except PortLocked as error:
                return read, first or error
            except NoAnswer as error:
                silent.add(key.slave)
                first = first or error
            except FieldbusError as error:
                first = first or error
        return read, first


def starting_again(begin: Callable[[], Awaitable[None]], clock: Clock) -> Action:
    """Whoever is there afterwards answers (COMES_BACK); this answers only when nothing happens."""

    async def act(command: Command, timeout_s: float) -> ActionOutcome:
        await begin()
        await clock.sleep(min(timeout_s, RESTART_S))
        return ActionOutcome(code="no_restart", detail="the gateway was told to start again and did not")

    return act


def signal_strength(modem: Modem) -> Action:
    """The value: signal strength as the modem counts it."""

    async def act(command: Command, timeout_s: float) -> ActionOutcome:
        return ActionOutcome(await modem.signal())

    return act


def report(say: Callable[[], None]) -> Action:
    """The configuration goes out as a message of its own."""

    async def act(command: Command, timeout_s: float) -> ActionOutcome:
        say()
        return ActionOutcome()

    return act


def reverting(revert: Callable[[str, str], None]) -> Action:
    """The trial of a deployment ends; its final receipt says how it stands."""

    async def act(command: Command, timeout_s: float) -> ActionOutcome:
        """Raises BadValue when the command names no deployment."""
        deployment = command.arguments.get("deployment")
        if not isinstance(deployment, str):
            raise BadValue("deployment: must be the id of the deployment on trial")
        revert(deployment, command.by or "the cloud")
        return ActionOutcome()

    return act


def resending(resend: Callable[[int, int, str | None], Awaitable[int]]) -> Action:
    """The value: samples that are sent again."""

    async def act(command: Command, timeout_s: float) -> ActionOutcome:
        """Raises BadValue for a wrong range of time or slave."""
        first, last = _millis(command, "from_ms"), _millis(command, "to_ms")
        slave = command.arguments.get("slave")
        if not (slave is None or isinstance(slave, str)):
            raise BadValue("slave: must be the name of a slave")
        if first > last:
            raise BadValue("from_ms: must not be after to_ms")
        return ActionOutcome(await resend(first, last, slave or command.slave))

    return act


def _millis(command: Command, name: str) -> int:
    value = command.arguments.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 2**53:
        raise BadValue(f"{name}: must be UTC milliseconds")
    return value
