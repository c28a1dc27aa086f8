"""Answers of the internal slave: values as they are now, and writes as verified commands."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from edge_agent.errors import BadValue
from edge_agent.internal_slave.mapping import WRITABLE_AREAS, MappedPoint, RegisterMap
from edge_agent.internal_slave.requests import (
    DEVICE_BUSY,
    DEVICE_FAILURE,
    ILLEGAL_ADDRESS,
    ILLEGAL_VALUE,
    MasterRequest,
    RequestRefused,
    exception_answer,
    read_answer,
    request_of,
    write_answer,
)
from edge_agent.model import Sample, Value
from edge_agent.points import raw_of
from edge_agent.remote.execution import ERROR, Execution
from edge_agent.system.rate import Rate
from edge_contract.freshness import HAS_VALUE
from edge_contract.payloads import Command, CommandAction, Outcome

WRITE_WITHIN_S = 10.0
"""How long one value of a master's write may take, with reading it back."""
SOURCE = "internal slave"


@dataclass
class AnswerCounts:
    """Since the slave began. last_error: of the newest exception, in words, and when it was."""

    requests: int = 0
    exceptions: int = 0
    values_written: int = 0
    last_error: str = ""
    last_error_ms: int = 0


@dataclass(frozen=True)
class MasterAnswers:
    """Of one slave. newest: of a point by number; last: with the last good value where there is none now.

    bad_values, max_age_s: as in the configuration.
    """

    registers: RegisterMap
    newest: Callable[[int], Sample | None]
    last: Callable[[int], Sample | None]
    execution: Execution
    bad_values: Literal["exception", "last", "fill"]
    max_age_s: int
    rate: Rate
    counts: AnswerCounts = field(default_factory=AnswerCounts)

    async def answer(self, pdu: bytes, peer: str) -> bytes:
        """PDU of the answer to a request's PDU, an exception for what is refused. peer: who asks."""
        self.counts.requests += 1
        try:
            request = request_of(pdu)
            if request.data is None:
                return read_answer(request, self._read(request))
            # A master that goes away does not undo a write: it runs to its end and is logged.
            await asyncio.shield(self._write(request, request.data, peer))
            return write_answer(pdu)
        except RequestRefused as error:
            self.counts.exceptions += 1
            self.counts.last_error = f"{peer}: {error}"
            self.counts.last_error_ms = self.execution.clock.now_ms()
            return exception_answer(pdu, error.exception_code)

    def _read(self, request: MasterRequest) -> bytes:
        mapped = self._covering(request)
        data = b"".join(map(self._current, mapped))
        size = 1 if mapped[0].is_bit else 2
        skipped = (request.start - mapped[0].start) * size
        return data[skipped : skipped + request.count * size]

    def _covering(self, request: MasterRequest) -> list[MappedPoint]:
        mapped = self.registers.covering(request.area, request.start, request.count)
        if not mapped:
            raise RequestRefused(ILLEGAL_ADDRESS, f"{_place(request)}: not all of it is mapped")
        return mapped

    def _current(self, mapped: MappedPoint) -> bytes:
        """Registers of the value of now, or what the configuration wants in its place."""
        sample = self.newest(mapped.number)
        try:
            if self._is_good(sample):
                return mapped.encoded(sample.value if sample else None)
            if self.bad_values == "last" and (last := self.last(mapped.number)) and last.value is not None:
                return mapped.encoded(last.value)
        except BadValue as error:
            why = str(error)
        else:
            why = "no good value"
        if self.bad_values == "fill":
            return mapped.filled()
        raise RequestRefused(DEVICE_FAILURE, f"{mapped.row.slave}.{mapped.row.name}: {why}")

    def _is_good(self, sample: Sample | None) -> bool:
        if sample is None or sample.value is None or sample.quality not in HAS_VALUE:
            return False
        age_ms = self.execution.clock.now_ms() - sample.t_ms
        return not self.max_age_s or age_ms <= self.max_age_s * 1000

    async def _write(self, request: MasterRequest, data: bytes, peer: str) -> None:
        """Every value is checked before the first is written; the first that fails ends it."""
        mapped = self._covering(request)
        self._check_writable(request, mapped)
        size = 1 if mapped[0].is_bit else 2
        values = []
        for one in mapped:
            part = data[(one.start - request.start) * size : (one.end - request.start) * size]
            values.append((one, _wanted(one, part)))
        if not self.rate.admits(self.execution.clock.monotonic(), len(values)):
            raise RequestRefused(DEVICE_BUSY, f"{_place(request)}: more writes than max_writes_per_min")
        for one, value in values:
            await self._write_one(one, value, peer)

    def _check_writable(self, request: MasterRequest, mapped: Sequence[MappedPoint]) -> None:
        whole = mapped[0].start == request.start and mapped[-1].end == request.start + request.count
        if not whole:
            raise RequestRefused(ILLEGAL_ADDRESS, f"{_place(request)}: cuts a value")
        for one in mapped:
            if not one.row.writable or one.row.reg_type not in WRITABLE_AREAS:
                name = f"{one.row.slave}.{one.row.name}"
                raise RequestRefused(ILLEGAL_ADDRESS, f"{_place(request)}: {name} is not writable")

    async def _write_one(self, mapped: MappedPoint, value: Value, peer: str) -> None:
        command = Command(
            id=f"internal-{secrets.token_hex(8)}",
            action=CommandAction.WRITE,
            slave=mapped.row.slave,
            point=mapped.row.name,
            value=value,
            expires_ms=self.execution.clock.now_ms() + round(WRITE_WITHIN_S * 1000),
        )
        result = await self.execution.execute(command, f"{SOURCE} ({peer})")
        if result.outcome is not Outcome.DONE:
            code = ILLEGAL_VALUE if result.state == ERROR else DEVICE_FAILURE
            raise RequestRefused(code, f"{mapped.row.slave}.{mapped.row.name}: {result.code} {result.detail}")
        self.counts.values_written += 1


def _wanted(mapped: MappedPoint, data: bytes) -> Value:
    try:
        value = mapped.decoded(data)
        raw_of(mapped.point, value)
    except BadValue as error:
        raise RequestRefused(ILLEGAL_VALUE, f"{mapped.row.slave}.{mapped.row.name}: {error}") from None
    return value


def _place(request: MasterRequest) -> str:
    return f"function {request.function:02X}H at {request.area} {request.start}, {request.count}"
