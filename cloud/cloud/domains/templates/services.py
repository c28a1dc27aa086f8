"""The services of this domain, built on each other."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from cloud.core.clock import NowMs, now_ms
from cloud.db import Database
from cloud.domains.devices.service import DeviceService
from cloud.domains.jobs.service import JobService
from cloud.domains.templates.applying import ApplyService
from cloud.domains.templates.drafts import TemplateDrafts
from cloud.domains.templates.making import MakingService
from cloud.domains.templates.service import TemplateService
from cloud.domains.templates.sheets import SheetService
from cloud.domains.templates.using import UsingService


@dataclass(frozen=True)
class TemplateServices:
    """tree: nodes and versions; sheets: as workbooks; making: from a gateway, a file; using: of one gateway;
    applying: to many.
    """

    tree: TemplateService
    sheets: SheetService
    making: MakingService
    using: UsingService
    applying: ApplyService


def template_services(
    database: Database,
    devices: DeviceService,
    jobs: JobService,
    changed: Callable[[int], Awaitable[None]],
    *,
    clock: NowMs = now_ms,
) -> TemplateServices:
    """changed: told the gateway whose configuration stands differently now."""
    drafts = TemplateDrafts(database, devices, changed, clock)
    tree = TemplateService(database, clock=clock)
    using = UsingService(database, devices, drafts)
    making = MakingService(database, tree, using, clock=clock)
    return TemplateServices(tree, SheetService(database), making, using, ApplyService(database, drafts, jobs))
