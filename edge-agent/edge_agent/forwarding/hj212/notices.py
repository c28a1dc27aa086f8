"""What a station says by itself, without waiting for an answer: a platform may not know it."""

from __future__ import annotations

from edge_agent.forwarding.hj212.connection import PlatformConnection
from edge_agent.forwarding.hj212.options import Hj212Options
from edge_agent.forwarding.hj212.packet import Area
from edge_agent.forwarding.hj212.parameters import Parameters
from edge_agent.forwarding.hj212.sending import Sender
from edge_agent.forwarding.hj212.times import DAY_MS, qn_text, time_text
from edge_agent.system.clock import Clock

KEY_MAX_AGE_MS = 90 * DAY_MS
"""A key is to be renewed after so long (HJ 212-2025, 6.4.3)."""
ASK_AGAIN_MS = DAY_MS


class Notices:
    """Of one target, through all its connections. sets_clock: the platform's time may be taken."""

    def __init__(
        self, options: Hj212Options, parameters: Parameters, sender: Sender, clock: Clock, *, sets_clock: bool
    ) -> None:
        self._options = options
        self._parameters = parameters
        self._sender = sender
        self._clock = clock
        self._sets_clock = sets_clock
        self._started_ms = clock.now_ms()
        self._requested_ms = 0

    async def connected(self, connection: PlatformConnection) -> None:
        """2081, and 1013 where its time is taken."""
        if self._options.version == "2005":
            return
        now, started = (
            time_text(t_ms, self._options.offset_ms) for t_ms in (self._clock.now_ms(), self._started_ms)
        )
        await self._say("2081", ((("DataTime", now),), (("RestartTime", started),)), connection)
        if self._sets_clock:
            await self._say("1013", (), connection)

    async def ask_for_key(self, connection: PlatformConnection) -> None:
        """1014 when the platform set the key too long ago, once a day. A key of the configuration, or one
        that was set on the gateway, is its owner's.
        """
        set_ms, now_ms = self._parameters.key_set_ms, self._clock.now_ms()
        is_old = self._options.cipher is not None and set_ms and now_ms - set_ms > KEY_MAX_AGE_MS
        if is_old and now_ms - self._requested_ms > ASK_AGAIN_MS:
            self._requested_ms = now_ms
            created = qn_text(set_ms, self._options.offset_ms)
            await self._say("1014", ((("SKCreateTime", created),),), connection)

    async def heartbeat(self, connection: PlatformConnection) -> None:
        """9015."""
        await self._say("9015", (), connection)

    async def _say(self, cn: str, area: Area, connection: PlatformConnection) -> None:
        await self._sender.send_area(cn, area, connection, answer=False)
