"""S7 over ISO-on-TCP: one connection for each pair of TSAPs, made when the first job needs it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from edge_agent.config.model import Port, Slave
from edge_agent.errors import BadFrame, DeviceRefused, NoAnswer, PortDown
from edge_agent.protocols.base import Seen
from edge_agent.protocols.s7 import iso, szl
from edge_agent.protocols.s7.codec import JOB, Message, decode, encode, setup_job, setup_size
from edge_agent.protocols.s7.config import Link, link_of
from edge_agent.protocols.s7.exchange import ItemDriver
from edge_agent.protocols.s7.tables import header_meaning
from edge_agent.transports.base import Transport

SMALLEST_PDU = 64
"""Less than this no PLC grants; nothing would fit."""


@dataclass
class Session:
    """A connection in use. pdu: longest PDU that the PLC granted."""

    transport: Transport
    decoder: iso.Decoder = field(default_factory=iso.Decoder)
    pdu: int = 0
    waiting: list[bytes | iso.Connect] = field(default_factory=list)


class S7Driver(ItemDriver):
    """One PLC, or several racks and slots behind one address. transport: makes a stream that is not open."""

    def __init__(self, port: Port, transport: Callable[[], Transport]) -> None:
        super().__init__(port)
        self._transport = transport
        self._spare: Transport | None = None
        self._sessions: dict[Link, Session] = {}
        self._links: dict[str, tuple[Slave, Link]] = {}
        self._seen: Seen | None = None

    def watch(self, seen: Seen | None) -> None:
        self._seen = seen
        for transport in self._open_transports():
            transport.watch(seen)

    async def connect(self) -> None:
        """The stream alone: which TSAPs it gets says the first job."""
        await self.close()
        self._spare = await self._opened()

    async def close(self) -> None:
        streams = self._open_transports()
        self._spare = None
        self._sessions.clear()
        for stream in streams:
            await stream.close()

    async def identify(self, slave: Slave) -> str:
        """Order number, such as 6ES7 315-2EH14-0AB0. A PLC that agreed on a PDU size is there, even if it has
        no such list and keeps silent."""
        await self._pdu_size(slave)
        try:
            return szl.order_number(await self._ask(slave, szl.request(self._next())))
        except NoAnswer:
            return ""

    async def _pdu_size(self, slave: Slave) -> int:
        return (await self._session(slave)).pdu

    async def _carry(self, slave: Slave, job: Message) -> Message:
        session = await self._session(slave)
        try:
            await session.transport.write(iso.encode_data(encode(job)))
            return await self._answer(session, job.reference, slave.response_timeout_ms / 1000)
        except (BadFrame, PortDown):
            await self._drop(slave)
            raise
        except NoAnswer:
            if session.decoder.pending:  # what comes next would be taken for the rest of this answer
                await self._drop(slave)
            raise

    async def _session(self, slave: Slave) -> Session:
        link = self._link(slave)
        session = self._sessions.get(link)
        if session is not None:
            return session
        stream, self._spare = self._spare, None
        session = Session(stream if stream is not None else await self._opened())
        try:
            await self._join(session, link, slave.response_timeout_ms / 1000)
        except BaseException:
            await session.transport.close()
            raise
        self._sessions[link] = session
        return session

    async def _join(self, session: Session, link: Link, timeout_s: float) -> None:
        """Connection of the TSAPs, then the PDU size. What the PLC refuses here it refuses to this slave
        alone, so it is no PortDown."""
        request = iso.Connect(iso.REQUEST, link.local_tsap, link.remote_tsap)
        refused = f"TSAP {link.remote_tsap:04X} refused: wrong TSAP, rack or slot, or no free connection"
        until = asyncio.get_running_loop().time() + timeout_s
        await session.transport.write(iso.encode_connect(request))
        try:
            confirm = await self._packet(session, until, timeout_s)
        except PortDown:
            raise NoAnswer(refused) from None
        if not isinstance(confirm, iso.Connect) or confirm.code != iso.CONFIRM:
            raise NoAnswer(refused)
        job = setup_job(self._next(), link.pdu)
        await session.transport.write(iso.encode_data(encode(job)))
        answer = await self._answer(session, job.reference, timeout_s)
        if answer.error:
            raise DeviceRefused(answer.error, header_meaning(answer.error))
        granted = setup_size(answer)
        if granted < SMALLEST_PDU:
            raise BadFrame(f"PDU size {granted} granted, at least {SMALLEST_PDU} expected")
        session.pdu = min(granted, link.pdu)

    async def _answer(self, session: Session, reference: int, timeout_s: float) -> Message:
        """PDU with this reference; late answers to earlier jobs are dropped."""
        loop = asyncio.get_running_loop()
        until = loop.time() + timeout_s
        while True:
            packet = await self._packet(session, until, timeout_s)
            if isinstance(packet, iso.Connect):
                raise PortDown(f"{session.transport.where}: the PLC ended the connection")
            answer = decode(packet)
            if answer.reference == reference and answer.kind != JOB:
                return answer
            self.strays += 1

    async def _packet(self, session: Session, until: float, timeout_s: float) -> bytes | iso.Connect:
        """The next packet. A connection carries one job at a time, so at most late answers come with it."""
        loop = asyncio.get_running_loop()
        while not session.waiting:
            left = until - loop.time()
            data = await session.transport.read_some(left) if left > 0 else b""
            if not data:
                raise NoAnswer(f"no answer within {timeout_s * 1000:.0f} ms")
            session.waiting += session.decoder.feed(data)
        return session.waiting.pop(0)

    def _link(self, slave: Slave) -> Link:
        known = self._links.get(slave.name)
        if known is None or known[0] is not slave:
            known = self._links[slave.name] = slave, link_of(slave)
        return known[1]

    async def _opened(self) -> Transport:
        stream = self._transport()
        if self._seen is not None:
            stream.watch(self._seen)
        await stream.open()
        return stream

    async def _drop(self, slave: Slave) -> None:
        """This connection is of no more use; the next job makes another."""
        session = self._sessions.pop(self._link(slave), None)
        if session is not None:
            await session.transport.close()

    def _open_transports(self) -> list[Transport]:
        spare = [] if self._spare is None else [self._spare]
        return [*spare, *(session.transport for session in self._sessions.values())]
