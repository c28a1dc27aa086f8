"""Makes events of what triggers' rules have found, in the transaction that saves the rules' state.

A flood is the case to be quick in: whatever comes together is looked up, inserted and counted together.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.clock import NowMs, now_ms
from cloud.core.events import AlarmsAnnounced, AnnouncedChange
from cloud.core.scope import Scope
from cloud.domains.alarms.codes import AlarmType
from cloud.domains.alarms.event_publisher import Announce, EventPublisher, PushEvent, alarm_event, unannounced
from cloud.domains.alarms.history import AlarmHistory, pushed
from cloud.domains.alarms.life_cycle import State, is_announced
from cloud.domains.alarms.models import AlarmEvent
from cloud.domains.alarms.quieting import NewAlarm, Quieting
from cloud.domains.alarms.repository import AlarmRepository
from cloud.domains.alarms.states import Status
from cloud.domains.alarms.suppression_repository import SuppressionRepository
from edge_contract.model import Value

RECOVERED, RULE_CHANGED, POINT_REMOVED = "", "rule_changed", "point_removed"
"""Why an alarm is over: by its values, because its rule is another one, switched off or gone, or because its
gateway has the point no more.
"""


@dataclass(frozen=True)
class RuleAlarm:
    """An alarm of a rule. slave_id, dsid: of what its condition speaks of; reason: what the rule said;
    latched: it stands until it is acknowledged.
    """

    rule_id: int
    device_id: int
    slave_id: int | None
    dsid: int | None
    at_ms: int
    since_ms: int
    alarm_type: int
    level: int | None
    title: str
    value: Value
    reason: Mapping[str, Any]
    latched: bool = False


@dataclass(frozen=True)
class AlarmAgain:
    """An alarm lasts. of: the gateway that says so; of another's alarm it says nothing."""

    rule_id: int
    raised_ms: int
    at_ms: int
    of: int | None = None


@dataclass(frozen=True)
class AlarmOver:
    """An alarm has ended. why: RECOVERED, RULE_CHANGED or POINT_REMOVED. of: as of AlarmAgain."""

    rule_id: int
    raised_ms: int
    at_ms: int
    value: Value
    why: str
    of: int | None = None


RuleFinding = RuleAlarm | AlarmAgain | AlarmOver


class RuleAlarms:
    """Each is named by its rule and its beginning, so that it is made only once."""

    def __init__(
        self, publisher: EventPublisher, announce: Announce = unannounced, *, clock: NowMs = now_ms
    ) -> None:
        self._publisher = publisher
        self._announce = announce
        self._clock = clock
        self._history = AlarmHistory(publisher, clock=clock)
        self._quieting = Quieting(self._history, clock=clock)

    async def record(self, session: AsyncSession, findings: Sequence[RuleFinding]) -> set[int]:
        """Make, announce again and end alarms, in this order; the gateways whose alarms are others now. Of an
        alarm that was deleted nothing is recorded.
        """
        raised = [each for each in findings if isinstance(each, RuleAlarm)]
        later = [each for each in findings if not isinstance(each, RuleAlarm)]
        repository = AlarmRepository(session, Scope.system())
        origins = {_origin(each.rule_id, each.raised_ms) for each in later}
        devices = {each.device_id for each in raised} | await repository.gateways_of(origins)
        if not devices:
            return devices
        online = await SuppressionRepository(session, Scope.system()).lock(devices)
        await self._raise(session, repository, raised, online)
        if later:
            events = await repository.of_origins(origins)
            await self._again(session, [each for each in later if isinstance(each, AlarmAgain)], events)
            ended = [each for each in later if isinstance(each, AlarmOver)]
            await self._end(session, repository, ended, events)
        await session.flush()
        await repository.count_open(devices)
        return devices

    async def resting(self, session: AsyncSession) -> frozenset[tuple[int, int | None]]:
        """Gateway and rule (None: all of them) whose linkages are not carried out: maintenance, or out of
        service.
        """
        return await SuppressionRepository(session, Scope.system()).resting(self._clock())

    async def _raise(
        self,
        session: AsyncSession,
        repository: AlarmRepository,
        alarms: Sequence[RuleAlarm],
        online: Mapping[int, int | None],
    ) -> None:
        """People are told of those that nothing keeps quiet. online: since when their gateways are."""
        if not alarms:
            return
        silent = [each.slave_id is not None and each.dsid is None for each in alarms]
        quiet = await self._quieting.of_rules(
            session,
            [
                NewAlarm(each.device_id, each.rule_id, each.since_ms, is_silent)
                for each, is_silent in zip(alarms, silent, strict=True)
            ],
            online,
        )
        rows = [
            self._row(
                each.device_id, each.rule_id, each.at_ms, each.alarm_type, _origin(each.rule_id, each.at_ms),
                slave_id=each.slave_id, dsid=each.dsid, level=each.level, title=each.title, value=each.value,
                reason=dict(each.reason), cause="", since_ms=each.since_ms, status=int(Status.UNHANDLED),
                latched=each.latched, quiet=why.state, parent_id=why.parent_id,
                state=why.state or State.UNACKNOWLEDGED.value,
            )
            for each, why in zip(alarms, quiet, strict=True)
        ]  # fmt: skip
        made = await repository.add_once(rows)
        await self._history.record_raised(
            session,
            [
                (made[row["origin"]], row["state"], row["at_ms"], "" if why.by is None else why.by.reason)
                for row, why in zip(rows, quiet, strict=True)
                if row["origin"] in made
            ],
        )
        self._publish(session, rows, made)
        announced = [
            row for row in rows if row["origin"] in made and is_announced(row["quiet"], row["parent_id"])
        ]
        await self._announce_all(
            session, [AnnouncedChange(made[row["origin"]], "raised") for row in announced]
        )

    async def _again(
        self, session: AsyncSession, findings: Sequence[AlarmAgain], events: Mapping[str, AlarmEvent]
    ) -> None:
        """Who has read them is told again, unless they are quiet."""
        pushes: list[PushEvent] = []
        changes: list[AnnouncedChange] = []
        for each in findings:
            event = events.get(_origin(each.rule_id, each.raised_ms))
            if event is None or each.of not in (None, event.device_id):
                continue
            event.announced, event.last_ms = event.announced + 1, each.at_ms
            if not is_announced(event.quiet, event.parent_id):
                pushes.append(pushed(event, "changed"))
                continue
            event.noted_ms = self._clock()
            pushes.append(pushed(event, "new", at_ms=each.at_ms))
            changes.append(AnnouncedChange(event.id, "again", event.announced))
        self._publisher.publish_after_commit(session, *pushes)
        await self._announce_all(session, changes)

    async def _end(
        self,
        session: AsyncSession,
        repository: AlarmRepository,
        findings: Sequence[AlarmOver],
        events: Mapping[str, AlarmEvent],
    ) -> None:
        """A recovery is made of each."""
        rows = []
        ended: list[tuple[AlarmEvent, int, str]] = []
        known: set[str] = set()
        for each in findings:
            origin = _origin(each.rule_id, each.raised_ms)
            event = events.get(origin)
            if event is None or event.recovered_ms is not None or each.of not in (None, event.device_id):
                continue
            if origin in known:
                continue
            known.add(origin)
            ended.append((event, each.at_ms, each.why))
            rows.append(
                self._row(
                    event.device_id, each.rule_id, each.at_ms, int(AlarmType.RECOVERY),
                    recovery_origin(origin), slave_id=event.slave_id, dsid=event.dsid, level=None,
                    title=event.title,
                    value=each.value, reason=None, cause=each.why, since_ms=each.raised_ms,
                    status=int(Status.HANDLED), latched=False, quiet=event.quiet,
                    parent_id=event.parent_id, state=State.NORMAL.value,
                )
            )  # fmt: skip
        if rows:
            await self._history.cleared(session, ended)
            made = await repository.add_once(rows)
            self._publish(session, rows, made)
            announced = [
                AnnouncedChange(event.id, "over", event.announced, why)
                for (event, _, why), row in zip(ended, rows, strict=True)
                if row["origin"] in made and is_announced(event.quiet, event.parent_id)
            ]
            await self._announce_all(session, announced)

    async def _announce_all(self, session: AsyncSession, changes: Sequence[AnnouncedChange]) -> None:
        if changes:
            await self._announce(AlarmsAnnounced(session, changes))

    def _row(
        self, device_id: int, rule_id: int, at_ms: int, alarm_type: int, origin: str, **columns: Any
    ) -> dict[str, Any]:
        return {
            "device_id": device_id,
            "rule_id": rule_id,
            "at_ms": at_ms,
            "alarm_type": alarm_type,
            "origin": origin,
            "noted_ms": self._clock(),
            "note": "",
            "handled_name": "",
            **columns,
        }

    def _publish(
        self, session: AsyncSession, rows: Collection[Mapping[str, Any]], made: Mapping[str, int]
    ) -> None:
        """Those that were made."""
        self._publisher.publish_after_commit(
            session,
            *(
                alarm_event(
                    "new" if is_announced(row["quiet"], row["parent_id"]) else "changed",
                    row["device_id"],
                    made[row["origin"]],
                    at=row["at_ms"],
                    alarm_type=row["alarm_type"],
                    level=row["level"],
                    status=row["status"],
                )
                for row in rows
                if row["origin"] in made
            ),
        )


def recovery_origin(origin: str) -> str:
    """Of the recovery of a rule's alarm, by the origin of the alarm."""
    return f"over-{origin}"


def _origin(rule_id: int, raised_ms: int) -> str:
    return f"rule:{rule_id}:{raised_ms}"
