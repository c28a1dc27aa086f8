"""One request of a platform and what the station makes of it: 9011, data, 9012, or 9013 (2017: sequences).
Pure.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from edge_agent.forwarding.hj212.commands import NOTICE_ANSWER, READY, RESULT, CommandKind
from edge_agent.forwarding.hj212.packet import Packet

ACCEPTED = DONE = "1"
MAX_REPLIES = 16


class Outcome(StrEnum):
    """How a request ended. WAITING: it did not yet."""

    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"
    REFUSED = "refused"
    NO_ANSWER = "no_answer"
    NO_RESULT = "no_result"
    NOT_CONNECTED = "not_connected"
    QUEUE_FULL = "queue_full"


class RequestRecord(msgspec.Struct):
    """A request as the report has it. cause: connection, schedule, control, or the CN that brought it.

    sends: times that it was sent; packets: records that were fetched; replies: areas of the answers with its
    QN. step: of the station's script, from 1; unexpected: what that step should have brought, "" when it did.
    Of a step that waits for an upload, items is "upload".
    """

    station: str
    cn: str
    items: str
    cause: str
    qn: str = ""
    sent_ms: int = 0
    ended_ms: int = 0
    sends: int = 0
    qn_rtn: str = ""
    exe_rtn: str = ""
    packets: int = 0
    replies: list[str] = []
    step: int = 0
    unexpected: str = ""
    outcome: Outcome = Outcome.WAITING


class RequestExchange:
    """Follows one request until its outcome. kind: REQUEST or NOTICE."""

    def __init__(self, record: RequestRecord, request: Packet, kind: CommandKind) -> None:
        self.record = record
        self._request = request
        self._kind = kind

    @property
    def accepted(self) -> bool:
        """The station said that it begins, or sent data at once."""
        return bool(self.record.qn_rtn or self.record.replies or self.record.packets)

    @property
    def ended(self) -> bool:
        """It has its outcome."""
        return self.record.outcome is not Outcome.WAITING

    def take(self, packet: Packet, area: str) -> bool:
        """Whether a packet of the station belongs to it. area: its text, for the record."""
        if self.ended:
            return False
        if (packet.qn or packet.value("QN")) != self._request.qn:
            return False
        record = self.record
        if packet.cn == READY and self._kind is CommandKind.REQUEST:
            record.qn_rtn = packet.value("QnRtn") or "?"
            if record.qn_rtn != ACCEPTED:
                record.outcome = Outcome.REFUSED
        elif packet.cn == RESULT and self._kind is CommandKind.REQUEST:
            record.exe_rtn = packet.value("ExeRtn") or "?"
            record.outcome = Outcome.DONE if record.exe_rtn == DONE else Outcome.FAILED
        elif packet.cn == NOTICE_ANSWER and self._kind is CommandKind.NOTICE:
            record.outcome = Outcome.DONE
        elif packet.cn == self._request.cn and len(record.replies) < MAX_REPLIES:
            record.replies = [*record.replies, area]
        else:
            return False
        return True

    def fetches(self, packet: Packet) -> bool:
        """Whether a packet with a QN of its own is a record that the request fetches (closed interval)."""
        begin, end = self._request.value("BeginTime"), self._request.value("EndTime")
        time = packet.value("DataTime")
        if self.ended or begin is None or end is None or time is None or packet.cn != self._request.cn:
            return False
        if not begin <= time <= end:
            return False
        self.record.packets += 1
        return True
