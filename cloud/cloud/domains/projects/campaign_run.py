"""One run of a campaign as a job: begins a few gateways at a time, and looks what became of them."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from cloud.core.clock import NowMs, Sleep
from cloud.core.scope import Scope
from cloud.domains.configuration.states import FINAL, GIVEN_UP
from cloud.domains.configuration.states import DeploymentState as Deployed
from cloud.domains.deploy.service import DeployService
from cloud.domains.devices.access_passwords import WRONG
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.jobs.run import JobFailed, Run
from cloud.domains.projects.campaign_rows import CampaignRows, CampaignStep, Row
from cloud.errors import CloudError, Unavailable

log = logging.getLogger(__name__)

AT_ONCE = 20
"""Gateways that are at work at the same time."""

LOOK_S = 1.0
"""How often is looked what became of them."""

NOTE_MS = 2000
"""Between two notes of all rows."""

Begin = Callable[[Run, Row], Awaitable[None]]
Look = Callable[[Scope, Row], Awaitable[None]]


class CampaignRun:
    """One run: begins a few at a time, looks what became of them, says how far it is."""

    def __init__(
        self, run: Run, rows: CampaignRows, begin: Begin, look: Look, clock: NowMs, sleep: Sleep
    ) -> None:
        self._run = run
        self._rows = rows
        self._begin = begin
        self._look = look
        self._clock = clock
        self._sleep = sleep
        self._noted_ms: int | None = None

    async def deploy_all(self) -> dict[str, Any]:
        """The first ones, and when all of them are done the others; the summary. Raises as end().

        Of the job's parameters: canary, error_share.
        """
        rows, at_once = self._rows, AT_ONCE
        canary = int(self._run.parameters["canary"])
        first = [row for row in rows.rows if row.step is not CampaignStep.SKIPPED][:canary]
        if any(not row.online for row in first):
            rows.stop("no_canary")
        else:
            await self.work(first, at_once)
            if not all(row.step is CampaignStep.DONE for row in first):
                rows.stop("canary")
        share = float(self._run.parameters["error_share"])
        await self.work(rows.rows, at_once, lambda: rows.too_many_failed(share))
        return await self.end()

    async def work(self, rows: list[Row], at_once: int, too_bad: Callable[[], bool] = lambda: False) -> None:
        """Until each of these has ended; too_bad: is it time to begin nothing more?"""
        while any(row.step in (CampaignStep.WAITING, CampaignStep.BEGUN) for row in rows):
            for row in rows:
                if row.step is CampaignStep.BEGUN:
                    await self._guarded(row, self._look(self._run.user.scope, row))
            if not self._rows.stopped and too_bad():
                self._rows.stop("error_share")
            free = at_once - sum(row.step is CampaignStep.BEGUN for row in rows)
            next_ones = [row for row in rows if row.step is CampaignStep.WAITING][: max(0, free)]
            if next_ones and not await self._allowed():
                next_ones = []
            for row in next_ones:
                row.step = CampaignStep.BEGUN if row.online else CampaignStep.WAITING_FOR_GATEWAY
                await self._guarded(row, self._begin(self._run, row))
            await self._say(begun=bool(next_ones))
            if any(row.step is CampaignStep.BEGUN for row in rows):
                await self._sleep(LOOK_S)

    async def _allowed(self) -> bool:
        """May whoever asked still do this? A campaign takes hours; without him it begins nothing more."""
        try:
            await self._run.still()
        except JobFailed as error:
            self._rows.stop(error.code)
            return False
        return True

    async def end(self) -> dict[str, Any]:
        """The summary; JobFailed when it was stopped."""
        summary = self._rows.summary()
        if self._rows.stopped:
            await self._run.note(summary)
            raise JobFailed(self._rows.stopped, "gateways were left out")
        return summary

    async def _guarded(self, row: Row, work: Awaitable[None]) -> None:
        """One gateway's refusal is its own row's end; the cloud's own trouble is looked at again."""
        try:
            await work
        except Unavailable:
            log.warning("gateway %d of a campaign could not be asked now", row.device_id)
            if not row.work:
                row.end(CampaignStep.FAILED, code="unavailable")
        except CloudError as error:
            code = WRONG if error.rule == WRONG else error.reason or error.rule or error.message
            row.end(CampaignStep.FAILED, row.state, code)

    async def _say(self, *, begun: bool) -> None:
        """What has begun is noted at once: after an interruption it must not begin again."""
        now = self._clock()
        if begun or self._noted_ms is None or not 0 <= now - self._noted_ms < NOTE_MS:
            self._noted_ms = now
            await self._run.note(self._rows.summary())
        await self._run.progress(self._rows.ended, len(self._rows.rows))


def look_at_deployment(deploy: DeployService) -> Look:
    """What became of a row whose work is a deployment."""

    async def look(scope: Scope, row: Row) -> None:
        status = await deploy.status(scope, row.work)
        state = Deployed(status.state)
        row.state, row.code = status.state, status.code
        if state in FINAL | GIVEN_UP:
            good = state in (Deployed.CONFIRMED, Deployed.UNCHANGED)
            row.end(CampaignStep.DONE if good else CampaignStep.FAILED, status.state, status.code)

    return look


def with_granted(run: Run) -> CurrentUser:
    """Whoever asked, with the access passwords that he gave then."""
    granted = run.parameters.get("granted", {})
    return replace(run.user, granted={int(number): version for number, version in granted.items()})
