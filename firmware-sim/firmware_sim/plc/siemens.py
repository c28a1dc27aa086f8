"""A Siemens PLC: answers to setup, read and write jobs, whatever carries them. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from edge_agent.errors import BadFrame
from edge_agent.protocols.s7 import codec, szl
from edge_agent.protocols.s7.codec import Item, Message, Value
from firmware_sim.plc.siemens_memory import NoSuchBlock, NotAllowed, OutOfRange, S7Memory
from firmware_sim.plc.siemens_values import Family, S7Value
from firmware_sim.process.process import Process

NO_ACCESS, BAD_ADDRESS, WRONG_SIZE, MISSING = 0x03, 0x05, 0x07, 0x0A
NOT_SERVED, TOO_BIG = 0x8104, 0x8500
NUMBERED = {codec.TIMER, codec.COUNTER, codec.TIMER_200, codec.COUNTER_200}
SMALLEST_PDU = 112


class S7Plc:
    """pdu: longest PDU that it grants. protected: data access is off, as PUT/GET is in a new one.

    order_number: what it says that it is, at most 20 characters; a PLC without one has no system status list.
    """

    def __init__(
        self,
        name: str,
        values: Sequence[S7Value],
        process: Process,
        *,
        family: Family = "1200",
        pdu: int = 240,
        protected: bool = False,
        order_number: str = "",
        seed: int = 0,
    ) -> None:
        self.pdu = pdu
        self.protected = protected
        self.order_number = order_number
        self.missing = NO_ACCESS if family == "200" else MISSING
        self.memory = S7Memory(name, values, process, family, seed=seed)
        self.refresh = self.memory.refresh
        self.restart = self.memory.restart

    def session(self) -> S7Session:
        """A connection to it, or the serial line."""
        return S7Session(self)


class S7Session:
    """One master's view: the PDU size is agreed with each."""

    def __init__(self, plc: S7Plc) -> None:
        self._plc = plc
        self._pdu = plc.pdu

    def answer(self, pdu: bytes) -> bytes | None:
        """PDU of the answer to a request's PDU; None to what is no job."""
        try:
            job = codec.decode(pdu)
            if szl.is_request(job):
                return codec.encode(szl.answer(job.reference, self._plc.order_number))
            if job.kind != codec.JOB or not job.parameter:
                return None
            answer = self._answer(job)
        except BadFrame:
            return None
        whole = codec.encode(answer)
        return whole if len(whole) <= self._pdu else codec.encode(_refusal(job, TOO_BIG))

    def _answer(self, job: Message) -> Message:
        function = job.parameter[0]
        if function == codec.SETUP:
            self._pdu = min(self._plc.pdu, max(codec.setup_size(job), SMALLEST_PDU))
            return codec.setup_answer(job.reference, self._pdu)
        if self._plc.protected or function not in (codec.READ, codec.WRITE):
            return _refusal(job, NOT_SERVED)
        items = codec.job_items(job)
        if len(items) > codec.MAX_ITEMS:
            return _refusal(job, TOO_BIG)
        if function == codec.READ:
            return codec.read_answer(job.reference, [self._read(item) for item in items])
        values = codec.job_values(job)
        codes = [self._write(item, value) for item, value in zip(items, values, strict=True)]
        return codec.write_answer(job.reference, codes)

    def _read(self, item: Item) -> Value:
        code, start = self._code(item), _start(item)
        if code != codec.OK:
            return Value(code)
        try:
            if item.transport == codec.BIT:
                (byte,) = self._plc.memory.read(item.area, item.db, start, 1)
                return Value(codec.OK, codec.DATA_BIT, bytes((byte >> (item.address & 7) & 1,)))
            data = self._plc.memory.read(item.area, item.db, start, item.size)
        except NoSuchBlock:
            return Value(self._plc.missing)
        except OutOfRange:
            return Value(BAD_ADDRESS)
        kind = codec.DATA_OCTETS if item.transport in NUMBERED else codec.DATA_WORD
        return Value(codec.OK, kind, data)

    def _write(self, item: Item, value: Value) -> int:
        code, start = self._code(item), _start(item)
        if code != codec.OK:
            return code
        if len(value.data) != item.size:
            return WRONG_SIZE
        try:
            if item.transport == codec.BIT:
                bit = 1 << (item.address & 7)
                self._plc.memory.write(
                    item.area, item.db, start, bytes((bit if value.data[0] & 1 else 0,)), bit
                )
            else:
                self._plc.memory.write(item.area, item.db, start, value.data)
        except NoSuchBlock:
            return self._plc.missing
        except OutOfRange:
            return BAD_ADDRESS
        except NotAllowed:
            return NO_ACCESS
        return codec.OK

    @staticmethod
    def _code(item: Item) -> int:
        """Timers and counters are asked for as such, everything else by bytes, and a bit alone."""
        if (item.area in NUMBERED) != (item.transport in NUMBERED):
            return WRONG_SIZE
        if item.area in NUMBERED and item.area != item.transport:
            return WRONG_SIZE
        if not item.count or (item.transport == codec.BIT and item.count != 1):
            return WRONG_SIZE
        return codec.OK


def _start(item: Item) -> int:
    """First byte in the memory of its area."""
    if item.transport in NUMBERED:
        return item.address * codec.ELEMENT_BYTES[item.transport]
    return item.address >> 3


def _refusal(job: Message, error: int) -> Message:
    return Message(codec.ACK_DATA, job.reference, error=error)
