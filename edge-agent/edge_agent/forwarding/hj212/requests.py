"""Requests of a platform, answered as in HJ 212-2017, annex C, and treated as profiles/requests.csv says."""

from __future__ import annotations

import logging
import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable

import msgspec

from edge_agent.errors import ConfigError, StoreError
from edge_agent.forwarding.hj212.commands import Treatment, treatment_of
from edge_agent.forwarding.hj212.connection import PlatformConnection, Unanswered
from edge_agent.forwarding.hj212.fields import faults
from edge_agent.forwarding.hj212.instruments import Instruments
from edge_agent.forwarding.hj212.options import HIGHEST_RTD_S, Hj212Options
from edge_agent.forwarding.hj212.packet import Area, BadPacket, Packet
from edge_agent.forwarding.hj212.packets import PacketWriter, qn_of
from edge_agent.forwarding.hj212.parameters import NOTE, Changes
from edge_agent.forwarding.hj212.profile import Tolerance
from edge_agent.forwarding.hj212.records import DAY, HOUR, MINUTES, RUN_TIMES, STATES
from edge_agent.forwarding.hj212.return_codes import ExeRtn, QnRtn
from edge_agent.forwarding.hj212.sending import Sender
from edge_agent.forwarding.hj212.sm4 import Sm4Key
from edge_agent.forwarding.hj212.times import HOUR_MS, begin_of, time_ms, time_text
from edge_agent.store.base import RecordState, TargetRecords
from edge_agent.system.clock import Clock, ClockRefused, clock_set

log = logging.getLogger(__name__)

REQUESTS_A_SECOND, BURST = 5.0, 20.0
NUMBER = re.compile("[0-9]{1,5}", re.ASCII)
REMEMBERED = 64
"""Requests whose answers are sent again when they come once more."""
PAGE = 50
CLOCK_TOLERANCE_MS = 10_000
"""A clock that shows the platform's time need not be set; two clocks may differ so much."""
CLOCK_REST_S = 60.0
"""The clock is set no sooner again."""


class Requests:
    """Of one target, through all its connections. changed: called when a parameter has another value.
    set_clock: of the machine, with UTC milliseconds; None: the gateway may not.
    """

    def __init__(
        self,
        name: str,
        options: Hj212Options,
        writer: PacketWriter,
        sender: Sender,
        records: TargetRecords,
        clock: Clock,
        changed: Callable[[], None],
        set_clock: Callable[[int], None] | None,
        instruments: Instruments,
    ) -> None:
        self._name = name
        self._options = options
        self._writer = writer
        self._sender = sender
        self._records = records
        self._clock = clock
        self._changed = changed
        self._set_machine_clock = set_clock
        self._instruments = instruments
        self._clock_set_s: float | None = None
        self._answers: OrderedDict[str, list[Packet]] = OrderedDict()
        self._tokens, self._counted_s = BURST, clock.monotonic()
        self._handlers: dict[str, Callable[[Packet, PlatformConnection], Awaitable[ExeRtn]]] = {
            "1000": self._set_resending,
            "1011": self._get_time,
            "1012": self._set_time,
            "1014": self._set_key,
            "1041": self._get_report_time,
            "1061": self._get_rtd_interval,
            "1062": self._set_rtd_interval,
            "1063": self._get_report_interval,
            "1064": self._set_report_interval,
            "1072": self._set_password,
            "2011": self._start_realtime,
            STATES: self._start_states,
            RUN_TIMES: self._history,
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
        try:
            if request.flag is None or request.answer_wanted:
                await self._say(self._writer.ready(request, QnRtn.READY), answers, connection)
            result = await self._execute(request, connection)
        except BaseException:
            self._answers.pop(qn, None)  # it did not end: when it comes again it is carried out
            raise
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
        treatment = treatment_of(request.cn, profile.version)
        has_other_version = request.flag is not None and request.version != profile.version_bits
        if request.mn is not None and request.mn != writer.mn:
            return QnRtn.WRONG_MN
        if (request.pw or "") != writer.parameters.pw:
            return QnRtn.WRONG_PW
        if request.st != writer.st:
            return QnRtn.WRONG_ST
        if has_other_version and Tolerance.ANY_VERSION not in self._options.tolerances:
            return QnRtn.WRONG_FLAG
        if treatment is Treatment.UNKNOWN:
            return QnRtn.WRONG_CN
        if treatment is Treatment.NOTICED:
            return QnRtn.READY
        if treatment is Treatment.CONFIGURED:
            return QnRtn.READY if self._is_configured(request) else QnRtn.REFUSED
        if treatment is Treatment.REFUSED or (request.cn == "1014" and self._options.cipher is None):
            return QnRtn.REFUSED
        is_of_instrument = bool(request.value("PolId")) or (
            request.cn == "2011" and request.value("BeginTime") is not None
        )
        return QnRtn.REFUSED if is_of_instrument else QnRtn.READY

    def _is_configured(self, request: Packet) -> bool:
        if request.cn in (STATES, RUN_TIMES):
            return bool(self._options.equipment)
        return self._instruments.has(request)

    def _is_notice(self, request: Packet) -> bool:
        return treatment_of(request.cn, self._writer.codec.profile.version) is Treatment.NOTICED

    async def _notice(self, request: Packet) -> None:
        parameters = self._writer.parameters
        if request.cn == "2012":
            changes = parameters.with_realtime(wanted=False)
        elif self._options.equipment:
            changes = parameters.with_states(wanted=False)
        else:
            return
        try:
            await self._keep(changes)
        except StoreError as error:
            log.error("forwarder %s: %s", self._name, error)

    async def _execute(self, request: Packet, connection: PlatformConnection) -> ExeRtn:
        if faults(request, self._writer.codec.profile):
            return ExeRtn.CONDITION_WRONG
        try:
            return await self._handlers.get(request.cn, self._use_instrument)(request, connection)
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

    async def _set_numbers(self, request: Packet, options: dict[str, tuple[str, int, int]]) -> ExeRtn:
        """options: name, lowest and highest value by name of the item."""
        numbers = {}
        for item, (option, lowest, highest) in options.items():
            text = request.value(item) or ""
            if not NUMBER.fullmatch(text) or not lowest <= int(text) <= highest:
                return ExeRtn.CONDITION_WRONG
            numbers[option] = int(text)
        for option, number in numbers.items():
            await self._keep(self._writer.parameters.with_change(option, number))
        return ExeRtn.SUCCESS

    async def _set_resending(self, request: Packet, _: PlatformConnection) -> ExeRtn:
        lowest = 0 if self._options.version == "2025" else 1
        return await self._set_numbers(
            request, {"OverTime": ("timeout_s", 1, 99), "ReCount": ("retry_times", lowest, 99)}
        )

    async def _set_rtd_interval(self, request: Packet, _: PlatformConnection) -> ExeRtn:
        return await self._set_numbers(request, {"RtdInterval": ("rtd_interval_s", 1, HIGHEST_RTD_S)})

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
        """FAILED where the configuration does not let a platform set the clock ([system] set_clock)."""
        text = request.value("SystemTime") or ""
        wanted_ms = time_ms(text, self._sender.offset_ms)
        if wanted_ms is None or not clock_set(wanted_ms):
            return ExeRtn.CONDITION_WRONG
        ahead_ms = wanted_ms - self._clock.now_ms()
        if abs(ahead_ms) <= CLOCK_TOLERANCE_MS:
            return ExeRtn.SUCCESS
        if self._set_machine_clock is None:
            log.warning(
                "forwarder %s: the platform's clock is %.0f s from the gateway's, which it may not set",
                self._name,
                ahead_ms / 1000,
            )
            return ExeRtn.FAILED
        now_s = self._clock.monotonic()
        if self._clock_set_s is not None and now_s - self._clock_set_s < CLOCK_REST_S:
            return ExeRtn.BUSY
        try:
            self._set_machine_clock(wanted_ms)
        except ClockRefused as error:
            log.error("forwarder %s: %s", self._name, error)
            return ExeRtn.FAILED
        self._clock_set_s = now_s
        log.warning("forwarder %s: the platform set the clock, by %.0f s", self._name, ahead_ms / 1000)
        await self._keep(self._writer.parameters.with_clock(text))
        return ExeRtn.SUCCESS

    async def _set_key(self, request: Packet, _: PlatformConnection) -> ExeRtn:
        """Holds at once; the key before is still read, for packets on their way."""
        text = request.value("NewSK") or ""
        try:
            Sm4Key(text)
        except ConfigError:
            return ExeRtn.CONDITION_WRONG
        await self._keep(self._writer.parameters.with_key(text, self._clock.now_ms()))
        return ExeRtn.SUCCESS

    async def _start_realtime(self, request: Packet, _: PlatformConnection) -> ExeRtn:
        await self._keep(self._writer.parameters.with_realtime(wanted=True))
        return ExeRtn.SUCCESS

    async def _start_states(self, request: Packet, _: PlatformConnection) -> ExeRtn:
        await self._keep(self._writer.parameters.with_states(wanted=True))
        return ExeRtn.SUCCESS

    async def _get_report_time(self, request: Packet, connection: PlatformConnection) -> ExeRtn:
        """Day records are sent when the day has ended."""
        return await self._reply(request, "ReportTime", "0000", connection)

    async def _use_instrument(self, request: Packet, connection: PlatformConnection) -> ExeRtn:
        now_ms, offset_ms = self._clock.now_ms(), self._sender.offset_ms
        now = time_text(now_ms, offset_ms)
        from_ms, to_ms = (time_ms(request.value(name) or now, offset_ms) for name in ("BeginTime", "EndTime"))
        if from_ms is None or to_ms is None or from_ms > to_ms:
            return ExeRtn.CONDITION_WRONG
        if not from_ms - CLOCK_TOLERANCE_MS <= now_ms <= to_ms + CLOCK_TOLERANCE_MS:
            return ExeRtn.NO_DATA  # what a point had earlier is no field information of now
        code, groups = await self._instruments.execute(request)
        if not groups:
            return code
        lead: Area = ((("PolId", request.value("PolId") or ""),),)
        if request.cn == "3020":
            lead = ((("DataTime", now),), *lead)
        reply = self._writer.reply(request, (*lead, *groups))
        if rules := faults(reply, self._writer.codec.profile):
            log.warning("forwarder %s: no answer to CN=%s: %s", self._name, request.cn, "; ".join(rules))
            return ExeRtn.FAILED
        await connection.send(reply)
        return code

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
