"""What point numbers of batches mean: maps of known catalogs, and asking for those that are not known.

A catalog is asked for each time after twice as long. Batches that are given up keep their row for 7 days and
are a gap with reason `no_catalog`.
"""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from collections.abc import Callable

from cloud.core.log_once import LogOnce
from cloud.link.hooks import HookRunner, LinkHooks
from cloud.link.metrics import HOOK_FAILURES, UNSTORED_SAMPLES, WAITING
from cloud.link.waiting import Bounds, Pair, WaitingRepository
from edge_contract.fields import ControlMessage
from edge_contract.payloads import Resend

log = logging.getLogger(__name__)

MAP_LIFE_S = 60.0
"""A map of point numbers is asked for again after this time."""

MAPS = 5000
"""Maps remembered, and catalogs whose last question is."""

ASK_AGAIN_S = 5.0
"""Between two looks at what waits."""

ASK_EVERY_S = (10.0, 600.0)
"""Between two questions for the same catalog: first, and at most, each twice the one before."""


class DomainFailed(Exception):
    """The domain could not say what a catalog means; this gateway's batches wait."""


class Catalogs:
    """clock: monotonic seconds. ready: told the gateway whose batches can be stored."""

    def __init__(
        self,
        waiting: WaitingRepository,
        hooks: LinkHooks,
        runner: HookRunner,
        post: Callable[[str, ControlMessage], None],
        ready: Callable[[str], None],
        *,
        now_ms: Callable[[], int],
        clock: Callable[[], float] = time.monotonic,
        bounds: Bounds = Bounds(),  # noqa: B008  frozen
    ) -> None:
        self._waiting = waiting
        self._hooks = hooks
        self._runner = runner
        self._post = post
        self._ready = ready
        self._now_ms = now_ms
        self._clock = clock
        self._bounds = bounds
        self._maps: OrderedDict[Pair, tuple[float, dict[int, int]]] = OrderedDict()
        self._requested: OrderedDict[Pair, tuple[float, float]] = OrderedDict()  # when to ask again, pause
        self._complaints = LogOnce()

    def known(self, gateway: str, catalog: str) -> dict[int, int] | None:
        """Point numbers to series, as far as it is remembered."""
        found = self._maps.get((gateway, catalog))
        return found[1] if found is not None and self._clock() < found[0] else None

    async def find(self, gateway: str, catalog: str) -> dict[int, int] | None:
        """Point numbers to series; None while the catalog is not known, and then it is asked for.

        DomainFailed when the domain cannot tell.
        """
        points = await self._find(gateway, catalog)
        if points is None:
            self._ask((gateway, catalog))
        return points

    async def arrived(self, gateway: str, catalog: str) -> None:
        """A catalog was taken: its batches can be stored."""
        self._forget_maps(gateway)
        self._requested.pop((gateway, catalog), None)
        if await self._find(gateway, catalog) is not None:
            await self._waiting.end(gateway, catalog)
            self._ready(gateway)

    def forget(self, gateway: str) -> None:
        """A gateway is no more, or has another catalog: the numbers of its points are asked for anew."""
        self._forget_maps(gateway)
        for pair in [pair for pair in self._requested if pair[0] == gateway]:
            del self._requested[pair]

    async def look(self) -> None:
        """Periodic: ask again for what batches wait for, and give up what is beyond the bounds."""
        waiting = await self._waiting.all()
        WAITING.set(sum(each.batches for each in waiting))
        bounds, oldest = self._bounds, self._now_ms() - self._bounds.age_ms
        for each in waiting:
            if (
                each.batches > bounds.batches
                or each.size > bounds.size
                or each.catalogs > bounds.catalogs
                or each.oldest_ms < oldest
            ):
                await self._shorten(each.gateway)
        for pair in await self._waiting.pairs() if waiting else ():
            if self._requested.get(pair, (0.0, 0.0))[0] <= self._clock():
                await self._check(pair)

    async def _check(self, pair: Pair) -> None:
        try:
            points = await self.find(*pair)
        except DomainFailed:
            return
        if points is not None:
            await self._waiting.end(*pair)
            self._ready(pair[0])

    async def _shorten(self, gateway: str) -> None:
        gone = await self._waiting.shorten(gateway, self._bounds, self._now_ms())
        UNSTORED_SAMPLES.labels("no_catalog").inc(gone.samples)
        if gone.batches and self._complaints.first(gateway):
            log.warning("%d batches of %s are not stored: their catalogs never came", gone.batches, gateway)

    async def _find(self, gateway: str, catalog: str) -> dict[int, int] | None:
        try:
            points = await self._runner.call(self._hooks.series_of(gateway, catalog))
        except Exception as error:
            # A domain's failure must not stop the other gateways: this one's batches wait.
            HOOK_FAILURES.labels("series_of").inc()
            log.exception("series_of %s failed", gateway)
            raise DomainFailed from error
        if points is None:
            return None
        self._maps[gateway, catalog] = (self._clock() + MAP_LIFE_S, points)
        while len(self._maps) > MAPS:
            self._maps.popitem(last=False)
        return points

    def _ask(self, pair: Pair) -> None:
        """Unless it was asked for a short while ago."""
        again, pause = self._requested.pop(pair, (0.0, 0.0))
        first, longest = ASK_EVERY_S
        if again <= (now := self._clock()):
            pause = min(pause * 2, longest) if pause else first
            again = now + pause
            self._post(pair[0], Resend(catalog=pair[1]))
        self._requested[pair] = (again, pause)
        while len(self._requested) > MAPS:
            self._requested.popitem(last=False)

    def _forget_maps(self, gateway: str) -> None:
        for pair in [pair for pair in self._maps if pair[0] == gateway]:
            del self._maps[pair]
