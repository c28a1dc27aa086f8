"""Requests of instruments, carried out by commands on the points that the options name for them.

A write is known by its QN: it is carried out once, also when it comes again after a restart (store.journal).
"""

from __future__ import annotations

import hashlib
import re
import uuid

import msgspec

from edge_agent.forwarding.hj212.fields import number_text
from edge_agent.forwarding.hj212.functions import SETS, InstrumentFunction, functions_of
from edge_agent.forwarding.hj212.options import Hj212Options
from edge_agent.forwarding.hj212.packet import Group, Packet
from edge_agent.forwarding.hj212.packets import qn_of
from edge_agent.forwarding.hj212.return_codes import ExeRtn
from edge_agent.forwarding.services import Services
from edge_agent.model import PointKind, Value
from edge_agent.system.clock import wait
from edge_contract.payloads import Command, CommandAction, CommandResult, Outcome

RESULT_TIMEOUT_S = 30.0
"""A command has expired then; a platform waits for its result meanwhile."""
LOOK_S = 1.0
LEFT_AT_ONCE = 50
COMMAND_ID_DIGITS = 40
OTHER_NAMES = {"Ctime": "CTime"}
"""The table of the standard has the one, its examples the other."""
NUMBER = re.compile(r"[+-]?[0-9]{1,15}(?:\.[0-9]{1,15})?", re.ASCII)
CODES = {
    "bad_value": ExeRtn.CONDITION_WRONG,
    "busy": ExeRtn.BUSY,
    "no_answer": ExeRtn.TIMED_OUT,
    "expired": ExeRtn.TIMED_OUT,
    "port_down": ExeRtn.TIMED_OUT,
}
"""ExeRtn by what came of a command; FAILED for all others."""


class Instruments:
    """Of one target. commands: carries them out, to be run while the target does; None without functions."""

    def __init__(self, name: str, options: Hj212Options, services: Services) -> None:
        self._name = name
        self._functions = options.functions
        self._clock = services.clock
        self.commands = services.commands_of(name) if options.functions else None
        self._journal = services.store.journal.of_source(name)
        self._kinds = {f"{point.slave}.{point.name}": point.kind for point in services.catalog.points}

    def has(self, request: Packet) -> bool:
        """Whether the options name points for it."""
        return bool(self._of(request))

    async def execute(self, request: Packet) -> tuple[ExeRtn, list[Group]]:
        """What came of it, and the items that answer it behind PolId."""
        groups: list[Group] = []
        functions = self._of(request)
        values = [self._written(request, one) if one.writes else None for one in functions]
        if any(one.writes and value is None for one, value in zip(functions, values, strict=True)):
            return ExeRtn.CONDITION_WRONG, []
        for one, value in zip(functions, values, strict=True):
            code, held = await self._command(request, one, value)
            if code is ExeRtn.SUCCESS and not one.writes:
                if held is None:
                    code = ExeRtn.NO_DATA
                else:
                    groups.append(((_name(one), _text(one, held)),))
            if code is not ExeRtn.SUCCESS:
                return code, []
        return ExeRtn.SUCCESS, groups

    def _written(self, request: Packet, function: InstrumentFunction) -> Value:
        """What goes to the point; None for a text that is no value of it."""
        text = number_text(function.value).removesuffix(".0")
        if request.cn in SETS:
            name = _name(function)
            text = request.value(name) or request.value(OTHER_NAMES.get(name, name)) or ""
        kind = self._kinds.get(function.point)
        if kind == PointKind.STRING:
            return text or None
        if kind == PointKind.SWITCH:
            return {"0": False, "1": True}.get(text)
        return float(text) if NUMBER.fullmatch(text) else None

    def _of(self, request: Packet) -> list[InstrumentFunction]:
        item = request.value("CalibrationType" if request.cn == "3011" else "InfoId") or ""
        return functions_of(self._functions, request.cn, request.value("PolId") or "", item)

    async def _command(
        self, request: Packet, function: InstrumentFunction, value: Value
    ) -> tuple[ExeRtn, Value]:
        """Written or read."""
        slave, _, point = function.point.partition(".")
        seed = msgspec.json.encode([self._name, qn_of(request), request.cn, function.point, function.item])
        command = Command(
            id=hashlib.sha256(seed).hexdigest()[:COMMAND_ID_DIGITS] if function.writes else uuid.uuid4().hex,
            action=CommandAction.WRITE if function.writes else CommandAction.READ,
            expires_ms=self._clock.now_ms() + round(RESULT_TIMEOUT_S * 1000),
            slave=slave,
            point=point,
            value=value,
        )
        result = await self._result(command)
        if result is None:
            return ExeRtn.TIMED_OUT, None
        if result.outcome in (Outcome.DONE, Outcome.RESOLVED_WRITTEN):
            return ExeRtn.SUCCESS, result.value
        return CODES.get(result.code, ExeRtn.FAILED), None

    async def _result(self, command: Command) -> CommandResult | None:
        """None when it has none in time."""
        assert self.commands is not None  # a function is there
        left = await self._journal.unacknowledged(LEFT_AT_ONCE)
        await self._journal.acknowledged([one.id for one in left])
        if (result := await self._journal.result(command.id)) is not None:
            return result
        self.commands.take(command)
        deadline_s = self._clock.monotonic() + RESULT_TIMEOUT_S
        while (result := await self._journal.result(command.id)) is None:
            if self._clock.monotonic() >= deadline_s:
                return None
            await wait(self._clock, self.commands.results, LOOK_S)
        await self._journal.acknowledged([command.id])
        return result


def _name(function: InstrumentFunction) -> str:
    """Of its item in a packet."""
    match function.request:
        case "3018":
            return "Stime"
        case "3019":
            return f"{function.factor}-SN"
        case "3020" | "3021":
            return f"{function.item}-Info"
    return function.item


def _text(function: InstrumentFunction, value: Value) -> str:
    if isinstance(value, (bool, int, float)):
        text = number_text(float(value)).removesuffix(".0")
        return text.zfill(6) if function.item == "CstartTime" else text
    return str(value)
