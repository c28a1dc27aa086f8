"""Packets as a field device sends them: header, Flag and answers of each version. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from edge_agent.forwarding.hj212.codec import PacketCodec
from edge_agent.forwarding.hj212.commands import NOTICE_ANSWER, READY, RESULT
from edge_agent.forwarding.hj212.packet import ANSWER_BIT, VERSION_SHIFT, Area, Packet
from edge_agent.forwarding.hj212.parameters import Parameters

INTERACTION = "91"
"""ST of answers (HJ 212-2017, table 4)."""


@dataclass
class PacketWriter:
    """Of one station at one platform. wants_answer: to uploads. codec: another one with another key."""

    codec: PacketCodec
    st: str
    mn: str
    wants_answer: bool
    parameters: Parameters

    @property
    def is_2005(self) -> bool:
        """HJ/T 212-2005 has the QN of answers within the area."""
        return self.codec.profile.version == "2005"

    def upload(
        self, cn: str, area: Area, qn: str, *, answer: bool | None = None, again: bool = False
    ) -> Packet:
        """Data. answer: None: as the target wants it; again: RF of 2025, of what comes from the store.

        Without an answer 2005 has neither QN nor Flag.
        """
        wanted = self.wants_answer if answer is None else answer
        is_bare = self.is_2005 and not wanted
        return Packet(
            qn=None if is_bare else qn,
            st=self.st,
            cn=cn,
            pw=self.parameters.pw,
            mn=self.mn,
            flag=None if is_bare else self._flag(wanted),
            rf="1" if again and self.codec.profile.version == "2025" else None,
            area=area,
        )

    def reply(self, request: Packet, area: Area) -> Packet:
        """What a request asked for, with its QN."""
        if self.is_2005:
            return Packet(
                st=self.st, cn=request.cn, pw=self.parameters.pw, mn=self.mn, area=(*_qn(request), *area)
            )
        return Packet(
            qn=qn_of(request),
            st=self.st,
            cn=request.cn,
            pw=self.parameters.pw,
            mn=self.mn,
            flag=self._flag(wanted=False),
            area=area,
        )

    def ready(self, request: Packet, code: int) -> Packet:
        """9011 with QnRtn."""
        return self._answer(READY, request, (("QnRtn", str(code)),))

    def result(self, request: Packet, code: int) -> Packet:
        """9012 with ExeRtn."""
        return self._answer(RESULT, request, (("ExeRtn", str(code)),))

    def notice_answer(self, notice: Packet) -> Packet:
        """9013."""
        return self._answer(NOTICE_ANSWER, notice, ())

    def _answer(self, cn: str, request: Packet, group: tuple[tuple[str, str], ...]) -> Packet:
        area: Area = (group,) if group else ()
        if self.is_2005:
            area = (*_qn(request), *area)
        return Packet(
            qn=None if self.is_2005 else qn_of(request),
            st=INTERACTION,
            cn=cn,
            pw=self.parameters.pw if request.pw is None else request.pw,
            mn=self.mn,
            flag=self._flag(wanted=False),
            area=area,
        )

    def _flag(self, wanted: bool) -> int:
        return self.codec.profile.version_bits << VERSION_SHIFT | (ANSWER_BIT if wanted else 0)


def qn_of(packet: Packet) -> str | None:
    """Of the header, or of the area as answers of 2005 have it."""
    return packet.qn or packet.value("QN")


def _qn(request: Packet) -> Area:
    qn = qn_of(request)
    return () if qn is None else ((("QN", qn),),)
