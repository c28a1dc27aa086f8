"""Shelving a rule, or taking it out of service, by who may change its trigger."""

from __future__ import annotations

from cloud.db import Database
from cloud.domains.alarms.schemas import RuleSuppressBody
from cloud.domains.alarms.suppressions import SuppressionService
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.triggers.repository import TriggerRepository
from cloud.domains.triggers.service import rule_body
from cloud.errors import NotFound


class RuleSuppressions:
    """Of rules as a whole; the alarms' own suppressions are of a rule at one gateway."""

    def __init__(self, database: Database, devices: DeviceService, suppressions: SuppressionService) -> None:
        self._database = database
        self._devices = devices
        self._suppressions = suppressions

    async def suppress(
        self, user: CurrentUser, trigger_id: int, rule_id: int, body: RuleSuppressBody
    ) -> list[int]:
        """Keep the alarms of a rule quiet at all its gateways; their numbers. Raises NotFound,
        NoPermission when a gateway is shared read only, ParameterError for a time that is too long.
        """
        async with self._database.reading() as session:
            repository = TriggerRepository(session, user.scope)
            if await repository.trigger(trigger_id) is None:
                raise NotFound("trigger")
            rules = {rule.id: rule for rule in await repository.rules([trigger_id])}
            gateways = await repository.gateways(trigger_id)
        if rule_id not in rules:
            raise NotFound("rule")
        await self._devices.refuse_read_only(user, sorted(gateways))
        title = rule_body(rules[rule_id]).title
        return await self._suppressions.suppress_rule(user, rule_id, title, gateways, body)
