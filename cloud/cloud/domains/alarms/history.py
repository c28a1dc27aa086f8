"""Takes an alarm along its life cycle, and records each change of it: the automatic ones too."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.chunks import chunked
from cloud.core.clock import NowMs, now_ms
from cloud.domains.alarms.event_publisher import EventPublisher, PushEvent, alarm_event
from cloud.domains.alarms.life_cycle import Change, Facts, State, is_allowed, is_announced, state_of
from cloud.domains.alarms.models import AlarmChange, AlarmEvent, Suppression
from cloud.domains.identity.schemas import CurrentUser

Who = CurrentUser | Suppression | None
"""Whoever did it, himself or by a suppression; None: time or values did."""


class AlarmHistory:
    """Whoever changes an alarm calls `changed` afterwards, in the same transaction."""

    def __init__(self, publisher: EventPublisher, *, clock: NowMs = now_ms) -> None:
        self._publisher = publisher
        self._clock = clock

    def changed(
        self,
        session: AsyncSession,
        event: AlarmEvent,
        what: Change,
        who: Who = None,
        note: str = "",
        at_ms: int | None = None,
        *,
        is_pushed: bool = True,
    ) -> None:
        """Give the event the state that follows from its columns, record the step, tell browsers after the
        commit unless something else of this transaction does. ValueError for a step that the life cycle
        does not have. at_ms: now without.
        """
        before = event.state
        event.state = state_of(facts(event)).value
        at = self._clock() if at_ms is None else at_ms
        self.record(session, event.id, what, before, event.state, at, who, note)
        is_restored = what in (Change.RESTORED, Change.UNFOLDED)
        if is_restored and is_announced(event.quiet, event.parent_id) and event.acked_ms is None:
            self._announce(session, event)
        elif is_pushed:
            self._publisher.publish_after_commit(session, pushed(event, "changed"))

    def record(
        self,
        session: AsyncSession,
        event_id: int,
        what: Change,
        before: str,
        after: str,
        at_ms: int,
        who: Who = None,
        note: str = "",
    ) -> None:
        """One line of the record. ValueError as changed."""
        session.add(AlarmChange(**_line(event_id, what, before, after, at_ms, who, note)))

    async def record_raised(
        self, session: AsyncSession, raised: Collection[tuple[int, str, int, str]]
    ) -> None:
        """The first line of new alarms: number, state, when in ms, note. ValueError as changed."""
        await self._record_many(
            session,
            [
                _line(event_id, Change.RAISED, State.NORMAL, state, at_ms, None, note)
                for event_id, state, at_ms, note in raised
            ],
        )

    async def cleared(self, session: AsyncSession, ended: Collection[tuple[AlarmEvent, int, str]]) -> None:
        """Alarms are over by themselves: since when in ms, and why. As changed, but nothing is pushed."""
        lines = []
        for event, at_ms, why in ended:
            before, event.recovered_ms = event.state, at_ms
            event.state = state_of(facts(event)).value
            lines.append(_line(event.id, Change.CLEARED, before, event.state, at_ms, None, why))
        await self._record_many(session, lines)

    async def _record_many(self, session: AsyncSession, lines: Sequence[dict[str, Any]]) -> None:
        """Without the numbers that they get, for which SQLite would want a statement a row."""
        async for some in chunked(lines):
            await session.execute(insert(AlarmChange), list(some))

    def _announce(self, session: AsyncSession, event: AlarmEvent) -> None:
        """It was quiet and still stands: people are told now, as of a new one."""
        event.noted_ms = self._clock()
        self._publisher.publish_after_commit(session, pushed(event, "new"))


def _line(
    event_id: int, what: Change, before: str, after: str, at_ms: int, who: Who, note: str
) -> dict[str, Any]:
    """Columns of AlarmChange. ValueError for a step that the life cycle does not have."""
    if not is_allowed(what, before, after):
        raise ValueError(f"alarm {event_id}: {what} from {before} to {after}")
    user_id, user_name = _who(who)
    return {
        "event_id": event_id,
        "what": what.value,
        "before": before,
        "after": after,
        "at_ms": at_ms,
        "user_id": user_id,
        "user_name": user_name,
        "note": note,
    }


def _who(who: Who) -> tuple[int | None, str]:
    if who is None:
        return None, ""
    return (who.id, who.name) if isinstance(who, CurrentUser) else (who.user_id, who.user_name)


def facts(event: AlarmEvent) -> Facts:
    """What the state of an event follows from."""
    return Facts(
        event.quiet,
        event.recovered_ms is not None,
        event.acked_ms is not None,
        event.latched,
        event.parent_id is not None,
    )


def pushed(event: AlarmEvent, what: str, *, at_ms: int | None = None) -> PushEvent:
    """A push message of an event. what: new or changed; at_ms: when, its beginning without."""
    return alarm_event(
        what,
        event.device_id,
        event.id,
        at=event.at_ms if at_ms is None else at_ms,
        alarm_type=event.alarm_type,
        level=event.level,
        status=event.status,
    )
