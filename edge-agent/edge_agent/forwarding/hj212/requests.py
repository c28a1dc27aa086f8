"""Requests of a platform, answered as in HJ 212-2017, annex C; what there is no hardware for is refused."""

from __future__ import annotations

import logging
import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from enum import IntEnum

import msgspec

from edge_agent.errors import StoreError
from edge_agent.forwarding.hj212.commands import CommandKind, commands
from edge_agent.forwarding.hj212.connection import PlatformConnection, Unanswered
from edge_agent.forwarding.hj212.fields import faults
from edge_agent.forwarding.hj212.options import HIGHEST_RTD_S
from edge_agent.forwarding.hj212.packet import Area, BadPacket, Packet
from edge_agent.forwarding.hj212.packets import PacketWriter, qn_of
from edge_agent.forwarding.hj212.parameters import NOTE, Changes
from edge_agent.forwarding.hj212.profile import Tolerance
from edge_agent.forwarding.hj212.records import DAY, HOUR, MINUTES
from edge_agent.forwarding.hj212.sending import Sender
from edge_agent.forwarding.hj212.times import HOUR_MS, begin_of, time_ms, time_text
from edge_agent.store.base import RecordState, TargetRecords
from edge_agent.system.clock import Clock

log = logging.getLogger(__name__)

REQUESTS_A_SECOND, BURST = 5.0, 20.0
NUMBER = re.compile("[0-9]{1,5}", re.ASCII)
REMEMBERED = 64
"""Requests whose answers are sent again when they come once more."""
PAGE = 50
CLOCK_TOLERANCE_MS = 10_000
"""A clock that shows the platform's time need not be set."""


class QnRtn(IntEnum):
    """Whether a request is carried out (HJ 212-2017, table 8)."""

    READY = 1
    REFUSED = 2
    WRONG_PW = 3
    WRONG_MN = 4
    WRONG_ST = 5
    WRONG_FLAG = 6
    WRONG_CN = 8


class ExeRtn(IntEnum):
    """What came of it (table 9)."""

    SUCCESS = 1
    FAILED = 2
    CONDITION_WRONG = 3
    TIMED_OUT = 4
    SYSTEM_FAULT = 6
    NO_DATA = 100


class Requests:
    """Of one target, through all its connections. changed: called when a parameter has another value."""

    def __init__(
        self,
        name: str,
        writer: PacketWriter,
        sender: Sender,
        records: TargetRecords,
        tolerances: frozenset[Tolerance],
        clock: Clock,
        changed: Callable[[], None],
    ) -> None:
        self._name = name
        self._writer = writer
        self._sender = sender
        self._records = records
        self._tolerances = tolerances
        self._clock = clock
        self._changed = changed
        self._answers: OrderedDict[str, list[Packet]] = OrderedDict()
        self._tokens, self._counted_s = BURST, clock.monotonic()
        self._handlers: dict[str, Callable[[Packet, PlatformConnection], Awaitable[ExeRtn]]] = {
            "1000": self._set_resending,
            "1011": self._get_time,
            "1012": self._set_time,
            "1061": self._get_rtd_interval,
            "1062": self._set_rtd_interval,
            "1063": self._get_report_interval,
            "1064": self._set_report_interval,
            "1072": self._set_password,
            "2011": self._start_realtime,
            MINUTES: self._history,
            HOUR: self._history,
            DAY: self._history,
        }

    async def answer(self, request: Packet, fault: int | None, connection: PlatformConnection) -> None:
        """fault: QnRtn of a packet that cannot be trusted. PlatformDown when an answer does not leave."""
        qn = qn_of(request)
        if qn is None:
            log.warning("forwarder %s: a request CN=%s without QN is ignored", self._name, request.cn)
            return
        if fault is None and qn in self._answers:
            for packet in list(self._answers[qn]):
                await connection.send(packet)
            return
        is_allowed = self._allowed()
        code = fault or self._fault(request) if is_allowed else QnRtn.REFUSED
        if code != QnRtn.READY:
            level = logging.INFO if is_allowed else logging.DEBUG
            log.log(level, "forwarder %s: request CN=%s refused with QnRtn=%d", self._name, request.cn, code)
            await connection.send(self._writer.ready(request, self._known_code(code, (1, 2, 3))))
            return
        answers = self._answers[qn] = []
        while len(self._answers) > REMEMBERED:
            self._answers.popitem(last=False)
        if self._is_notice(request):
            await self._notice(request)
            await self._say(self._writer.notice_answer(request), answers, connection)
            return
        if request.flag is None or request.answer_wanted:
            await self._say(self._writer.ready(request, QnRtn.READY), answers, connection)
        result = await self._execute(request, connection)
        log.info("forwarder %s: request CN=%s carried out with ExeRtn=%d", self._name, request.cn, result)
        packet = self._writer.result(request, self._known_code(result, (1, 2, 100)))
        await self._say(packet, answers, connection)

    async def _say(self, packet: Packet, answers: list[Packet], connection: PlatformConnection) -> None:
        answers.append(packet)
        await connection.send(packet)

    def _allowed(self) -> bool:
        now_s = self._clock.monotonic()
        self._tokens = min(BURST, self._tokens + (now_s - self._counted_s) * REQUESTS_A_SECOND)
        self._counted_s = now_s
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True

    def _known_code(self, code: int, of_2005: tuple[int, ...]) -> int:
        return code if not self._writer.is_2005 or code in of_2005 else 2

    def _fault(self, request: Packet) -> QnRtn:
        """The first of what is wrong with a request."""
        writer, profile = self._writer, self._writer.codec.profile
        kinds = (CommandKind.REQUEST, CommandKind.NOTICE)
        uses = [
            use
            for use in commands(profile.version).get(request.cn, ())
            if use.kind in kinds and use.sender == "platform"
        ]
        has_other_version = request.flag is not None and request.version != profile.version_bits
        if request.mn is not None and request.mn != writer.mn:
            return QnRtn.WRONG_MN
        if (request.pw or "") != writer.parameters.pw:
            return QnRtn.WRONG_PW
        if request.st != writer.st:
            return QnRtn.WRONG_ST
        if has_other_version and Tolerance.ANY_VERSION not in self._tolerances:
            return QnRtn.WRONG_FLAG
        if not uses:
            return QnRtn.WRONG_CN
        if self._is_notice(request):
            return QnRtn.READY
        is_of_instrument = bool(request.value("PolId")) or (
            request.cn == "2011" and request.value("BeginTime") is not None
        )
        return QnRtn.REFUSED if request.cn not in self._handlers or is_of_instrument else QnRtn.READY

    def _is_notice(self, request: Packet) -> bool:
        uses = commands(self._writer.codec.profile.version).get(request.cn, ())
        return any(use.kind is CommandKind.NOTICE and use.sender == "platform" for use in uses)

    async def _notice(self, request: Packet) -> None:
        if request.cn == "2012":
            try:
                await self._keep(self._writer.parameters.with_realtime(wanted=False))
            except StoreError as error:
                log.error("forwarder %s: %s", self._name, error)

    async def _execute(self, request: Packet, connection: PlatformConnection) -> ExeRtn:
        if faults(request, self._writer.codec.profile):
            return ExeRtn.CONDITION_WRONG
        try:
            return await self._handlers[request.cn](request, connection)
        except Unanswered:
            return ExeRtn.TIMED_OUT
        except BadPacket as error:
            log.error("forwarder %s: a record cannot be sent: %s", self._name, error)
            return ExeRtn.FAILED
        except StoreError as error:
            log.error("forwarder %s: %s", self._name, error)
            return ExeRtn.SYSTEM_FAULT

    async def _keep(self, changes: Changes) -> None:
        """Durable before it holds."""
        await self._records.note(self._name, {NOTE: msgspec.json.encode(changes)})
        self._writer.parameters.take(changes)
        log.info("forwarder %s: set by the platform: %s", self._name, self._writer.parameters.text())
        self._changed()

    async def _set_numbers(self, request: Packet, options: dict[str, tuple[str, int]]) -> ExeRtn:
        """options: name and highest value by name of the item; the lowest one is 1."""
        numbers = {}
        for item, (option, highest) in options.items():
            text = request.value(item) or ""
            if not NUMBER.fullmatch(text) or not 1 <= int(text) <= highest:
                return ExeRtn.CONDITION_WRONG
            numbers[option] = int(text)
        for option, number in numbers.items():
            await self._keep(self._writer.parameters.with_change(option, number))
        return ExeRtn.SUCCESS

    async def _set_resending(self, request: Packet, _: PlatformConnection) -> ExeRtn:
        return await self._set_numbers(
            request, {"OverTime": ("timeout_s", 99), "ReCount": ("retry_times", 99)}
        )

    async def _set_rtd_interval(self, request: Packet, _: PlatformConnection) -> ExeRtn:
        return await self._set_numbers(request, {"RtdInterval": ("rtd_interval_s", HIGHEST_RTD_S)})

    async def _get_rtd_interval(self, request: Packet, connection: PlatformConnection) -> ExeRtn:
        return await self._reply(request, "RtdInterval", self._writer.parameters.rtd_interval_s, connection)

    async def _get_report_interval(self, request: Packet, connection: PlatformConnection) -> ExeRtn:
        interval = self._writer.parameters.report_interval_min
        return await self._reply(request, "MinInterval", interval, connection)

    async def _set_report_interval(self, request: Packet, _: PlatformConnection) -> ExeRtn:
        text = request.value("MinInterval")
        if text is None:
            return ExeRtn.CONDITION_WRONG
        from_ms = begin_of(self._clock.now_ms(), HOUR_MS, self._sender.offset_ms) + HOUR_MS
        changes = self._writer.parameters.with_change("report_interval_min", int(text), from_ms=from_ms)
        await self._keep(changes)
        return ExeRtn.SUCCESS

    async def _set_password(self, request: Packet, _: PlatformConnection) -> ExeRtn:
        text = request.value("PW" if self._writer.is_2005 else "NewPW")
        if text is None or not text.isascii() or not text.isalnum() or len(text) > 6:
            return ExeRtn.CONDITION_WRONG
        await self._keep(self._writer.parameters.with_change("pw", text))
        return ExeRtn.SUCCESS

    async def _get_time(self, request: Packet, connection: PlatformConnection) -> ExeRtn:
        text = time_text(self._clock.now_ms(), self._sender.offset_ms)
        return await self._reply(request, "SystemTime", text, connection)

    async def _set_time(self, request: Packet, _: PlatformConnection) -> ExeRtn:
        """The gateway's clock is set by the system's own service; nothing else may."""
        wanted_ms = time_ms(request.value("SystemTime") or "", self._sender.offset_ms)
        if wanted_ms is None:
            return ExeRtn.CONDITION_WRONG
        ahead_ms = wanted_ms - self._clock.now_ms()
        if abs(ahead_ms) <= CLOCK_TOLERANCE_MS:
            return ExeRtn.SUCCESS
        log.warning(
            "forwarder %s: the platform's clock is %.0f s from the gateway's, which it cannot set",
            self._name,
            ahead_ms / 1000,
        )
        return ExeRtn.FAILED

    async def _start_realtime(self, request: Packet, _: PlatformConnection) -> ExeRtn:
        await self._keep(self._writer.parameters.with_realtime(wanted=True))
        return ExeRtn.SUCCESS

    async def _reply(
        self, request: Packet, item: str, value: int | str, connection: PlatformConnection
    ) -> ExeRtn:
        area: Area = (((item, str(value)),),)
        await connection.send(self._writer.reply(request, area))
        return ExeRtn.SUCCESS

    async def _history(self, request: Packet, connection: PlatformConnection) -> ExeRtn:
        offset_ms = self._sender.offset_ms
        from_ms = time_ms(request.value("BeginTime") or "", offset_ms)
        to_ms = time_ms(request.value("EndTime") or "", offset_ms)
        if from_ms is None or to_ms is None or from_ms > to_ms:
            return ExeRtn.CONDITION_WRONG
        count = 0
        while page := await self._records.between(self._name, request.cn, from_ms, to_ms, PAGE):
            for record in page:
                await self._sender.send_record(record, connection, again=True)
                if record.state is not RecordState.DELIVERED and self._writer.wants_answer:
                    await self._records.mark(self._name, record.kind, record.t_ms, RecordState.DELIVERED)
            count += len(page)
            from_ms = page[-1].t_ms + 1
        return ExeRtn.SUCCESS if count else ExeRtn.NO_DATA
