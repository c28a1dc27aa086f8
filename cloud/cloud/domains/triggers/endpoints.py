"""Triggers: list, one, making, changing, switching, deleting, what they carried out."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import Field

from cloud.core.envelope import Envelope, Page, ok
from cloud.core.paging import PageNumber, PageSize
from cloud.core.services import service
from cloud.domains.alarms.schemas import RuleSuppressBody
from cloud.domains.identity.access import requires
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.triggers.level_uses import AlarmLevelUses
from cloud.domains.triggers.linkage_results import LinkageResults
from cloud.domains.triggers.linkage_schemas import AlarmLinkage
from cloud.domains.triggers.schemas import (
    BacktestBody,
    BacktestRow,
    ChangedTriggerBody,
    EnabledBody,
    LevelUses,
    LinkageRow,
    Origin,
    TriggerBody,
    TriggerRow,
)
from cloud.domains.triggers.service import TriggerService
from cloud.domains.triggers.suppressing import RuleSuppressions
from cloud.domains.triggers.trying import TriggerTrials

router = APIRouter(tags=["triggers"])

Service = Annotated[TriggerService, service(TriggerService)]
Suppressions = Annotated[RuleSuppressions, service(RuleSuppressions)]
Trials = Annotated[TriggerTrials, service(TriggerTrials)]
Keeper = Annotated[CurrentUser, requires("Trigger/index")]
TriggerId = Annotated[int, Path(ge=1, le=2**31 - 1)]


@router.get("/trigger", operation_id="listTriggers")
async def list_triggers(
    service: Service,
    user: Keeper,
    page: PageNumber = 1,
    limit: PageSize = 20,
    search: Annotated[str, Query(max_length=100, pattern=r"^[^\x00]*$")] = "",
    device_id: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    enabled: bool | None = None,
    origin: Origin | None = None,
) -> Envelope[Page[TriggerRow]]:
    """Triggers of whose gateways you see all, newest first, with what their rules are at."""
    return ok(await service.page(user, page, limit, search.strip(), device_id, enabled, origin))


@router.get("/trigger/level-uses", operation_id="listAlarmLevelUses")
async def list_alarm_level_uses(
    uses: Annotated[AlarmLevelUses, service(AlarmLevelUses)],
    user: Annotated[CurrentUser, requires("SystemSetting")],
    level: Annotated[list[Annotated[int, Field(ge=1, le=9999)]], Query(min_length=1, max_length=50)],
) -> Envelope[list[LevelUses]]:
    """How many rules of everybody and standing alarms use these levels of the platform, of those that any
    does.
    """
    return ok(await uses.all(user, level))


@router.get("/trigger/{trigger_id:int}", operation_id="getTrigger")
async def get_trigger(service: Service, user: Keeper, trigger_id: TriggerId) -> Envelope[TriggerRow]:
    """One trigger."""
    return ok(await service.trigger(user, trigger_id))


@router.post("/trigger", operation_id="createTrigger")
async def create_trigger(service: Service, user: Keeper, body: TriggerBody) -> Envelope[TriggerRow]:
    """A new trigger. Its linkages write with your rights, as they are at that moment."""
    return ok(await service.create(user, body))


@router.put("/trigger/{trigger_id:int}", operation_id="changeTrigger")
async def change_trigger(
    service: Service, user: Keeper, trigger_id: TriggerId, body: ChangedTriggerBody
) -> Envelope[TriggerRow]:
    """Replace a trigger, unless somebody was faster; a rule that says the same of values goes on where it
    is.
    """
    return ok(await service.change(user, trigger_id, body, body.base))


@router.put("/trigger/{trigger_id:int}/enabled", operation_id="enableTrigger")
async def enable_trigger(
    service: Service, user: Keeper, trigger_id: TriggerId, body: EnabledBody
) -> Envelope[TriggerRow]:
    """Switch a trigger on or off; alarms of one that is switched off end."""
    return ok(await service.enable(user, trigger_id, body.enabled))


@router.post("/trigger/{trigger_id:int}/rule/{alarm_rule_id:int}/suppress", operation_id="suppressRule")
async def suppress_rule(
    service: Annotated[RuleSuppressions, service(RuleSuppressions)],
    user: Keeper,
    trigger_id: TriggerId,
    alarm_rule_id: TriggerId,
    body: RuleSuppressBody,
) -> Envelope[list[int]]:
    """Shelve a rule, or take it out of service, at all its gateways for a time; the numbers by which each of
    these ends before.
    """
    return ok(await service.suppress(user, trigger_id, alarm_rule_id, body))


@router.delete("/trigger/{trigger_id:int}", operation_id="deleteTrigger")
async def delete_trigger(service: Service, user: Keeper, trigger_id: TriggerId) -> Envelope[None]:
    """Delete a trigger; its alarms end, the events stay."""
    await service.delete(user, trigger_id)
    return ok(None)


@router.post("/trigger/backtest", operation_id="tryTrigger")
async def try_trigger(trials: Trials, user: Keeper, body: BacktestBody) -> Envelope[BacktestRow]:
    """When a rule would have made alarms, by what is stored of at most a year, and how it is at the end;
    nothing is saved or sent.
    """
    return ok(await trials.backtest(user, body))


@router.get("/event/alarmlog/{event_id:int}/linkage", operation_id="listAlarmLinkages")
async def list_alarm_linkages(
    results: Annotated[LinkageResults, service(LinkageResults)],
    user: Annotated[CurrentUser, requires("Event")],
    event_id: TriggerId,
) -> Envelope[list[AlarmLinkage]]:
    """What the linkages of an alarm did: each preset with its writes and what came of them."""
    return ok(await results.of_alarm(user, event_id))


@router.get("/trigger/{trigger_id:int}/linkage", operation_id="listLinkageRuns")
async def list_linkage_runs(
    service: Service, user: Keeper, trigger_id: TriggerId, page: PageNumber = 1, limit: PageSize = 20
) -> Envelope[Page[LinkageRow]]:
    """What a trigger had carried out, newest first."""
    return ok(await service.linkage_runs(user, trigger_id, page, limit))
