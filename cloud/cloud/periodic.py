"""What the cloud does again and again: every periodic job with its interval, of the full process alone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import wraps

from cloud.core.clock import every
from cloud.domains.audit.service import FORGET_S as AUDIT_S
from cloud.domains.commands.service import CHECK_S as COMMANDS_S
from cloud.domains.deploy.configurations import ASK_S
from cloud.domains.deploy.service import CHECK_S as DEPLOYMENTS_S
from cloud.domains.devices.admissions import CHECK_S as ADMISSIONS_S
from cloud.domains.devices.positions import FOLLOW_S
from cloud.domains.devices.presence import CHECK_S as PRESENCE_S
from cloud.domains.devices.presence import PULSES_S
from cloud.domains.exchange.service import REFRESH_S as EXCHANGE_RULES_S
from cloud.domains.exchange.service import RUN_S as EXCHANGE_S
from cloud.domains.files.service import CLEAN_S as FILES_S
from cloud.domains.identity.service import END_REFUSED_S
from cloud.domains.importing.service import CLEAN_S as IMPORTS_S
from cloud.domains.jobs.service import CLEAN_S as JOBS_S
from cloud.domains.overview.platform import NOTE_S
from cloud.domains.retention.service import APPLY_S as RETENTION_S
from cloud.domains.tunnels.service import CHECK_S as TUNNELS_S
from cloud.services import Services
from cloud.wires import Wires

FORGET_S = 3600.0

Job = tuple[float, Callable[[], Awaitable[None]]]


def begin(services: Services, wires: Wires) -> list[asyncio.Task[None]]:
    """Start them all. In one process only: two would judge presence twice, and send what is kept twice."""
    return [asyncio.create_task(every(interval_s, job)) for interval_s, job in jobs(services, wires)]


def jobs(services: Services, wires: Wires) -> Sequence[Job]:
    """Seconds between two rounds, and what is done."""

    def forgetting(what: Callable[[int], Awaitable[None]]) -> Callable[[], Awaitable[None]]:
        @wraps(what)
        async def run() -> None:
            await what(await services.retention.deletes_at())

        return run

    return (
        (PULSES_S, services.presence.write_pulses),
        (PRESENCE_S, services.presence.find_silent),
        (PRESENCE_S, services.outages.find_due),
        (FORGET_S, forgetting(services.outages.forget_old)),
        (FORGET_S, forgetting(services.alarms.forget_old)),
        (FORGET_S, forgetting(services.link.forget_old)),
        (COMMANDS_S, services.commands.expire),
        (COMMANDS_S, services.commands.send_kept),
        (COMMANDS_S, services.commands.tell_audit),
        (DEPLOYMENTS_S, services.deploy.expire),
        (DEPLOYMENTS_S, services.deploy.send_kept),
        (ASK_S, services.configurations.ask_unexplained),
        (ASK_S, services.configurations.rebase_drafts),
        (TUNNELS_S, services.tunnels.check),
        (EXCHANGE_RULES_S, services.exchange.refresh),
        (EXCHANGE_S, services.exchange.run),
        (ADMISSIONS_S, services.admissions.refresh),
        (FORGET_S, wires.erase_former),
        (FORGET_S, services.identity.forget_expired),
        (FILES_S, wires.clean_files),
        (AUDIT_S, forgetting(services.audit.forget_old)),
        (JOBS_S, services.jobs.clean),
        (RETENTION_S, services.retention.apply),
        (IMPORTS_S, services.imports.clean),
        (FORGET_S, forgetting(services.sign_ins.forget_old)),
        (END_REFUSED_S, services.identity.end_refused),
        (FOLLOW_S, services.follower.follow),
        (NOTE_S, services.overview.platform.note),
    )
