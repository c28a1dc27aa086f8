"""The job that does what a preview said: everything in one transaction, or nothing.

Of several jobs of one import that come at once one begins. Cancelled until it begins to store and while it
removes gateways; refused in between. Progress counts gateways that were compared, then those that the
broker knows. When the broker refuses or the transaction fails, the broker is to refuse the new gateways
again; one that is left there lets nobody in, as its secret is lost and the cloud does not know the gateway.
What goes wrong after the commit is logged and no more; a run that was cut there is known by the secrets of
its file. Secrets are in the job's file only, for who imported alone, for 24 hours. A gateway without any
document gets one with its id, ports, slaves and points; over what runs it is refused unless forced.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.clock import NowMs, now_ms
from cloud.core.scope import Scope
from cloud.core.xlsx import WrongFile, read_table
from cloud.db import Database
from cloud.domains.configuration.draft_batches import BatchDraft, DraftBatch
from cloud.domains.devices.authentication import hash_of
from cloud.domains.devices.forms import DeviceFields, values_of
from cloud.domains.devices.presence import PresenceService
from cloud.domains.devices.registry import Registry
from cloud.domains.devices.setting_models import PointSetting
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.importing.refusals import fault_of, refusal
from cloud.domains.importing.removal import Going, Removals
from cloud.domains.importing.repository import ImportRepository
from cloud.domains.importing.schemas import RemoveDevices
from cloud.domains.importing.sheets import secrets_workbook
from cloud.domains.importing.template_sets import TemplateSets, moved_meanwhile
from cloud.domains.importing.workfile import Plan, Workfile
from cloud.domains.inventory.models import Device
from cloud.domains.jobs.run import JobFailed, Run
from cloud.domains.points.settings import is_alarm
from cloud.domains.templates.batch import may_apply
from cloud.errors import CloudError, Conflict
from cloud.link import LinkError

log = logging.getLogger(__name__)

PutGateways = Callable[[Mapping[str, str]], Awaitable[None]]
"""Tell the broker secrets of gateways that it does not know yet, by serial number. LinkError: it refuses."""

DisableGateway = Callable[[str], Awaitable[None]]
Changed = Callable[[int], Awaitable[None]]

FollowAlarms = Callable[[AsyncSession, int], Awaitable[None]]
"""Alarms of a gateway follow its points' settings in that transaction. Conflict: there are too many rules."""

AT_ONCE = 400
"""Rows that one statement names."""

GATEWAYS_A_MESSAGE = 5
"""Gateways of one message to the broker: mosquitto writes its whole file for each, and does nothing else."""

SECRETS_FILE = "gateway-secrets.xlsx"


class Applier:
    """changed: told the gateway whose configuration stands differently now."""

    def __init__(
        self,
        database: Database,
        work_of: Callable[[str], Workfile],
        presence: PresenceService,
        put_gateways: PutGateways,
        disable_gateway: DisableGateway,
        changed: Changed,
        removals: Removals,
        follow_alarms: FollowAlarms,
        *,
        clock: NowMs = now_ms,
    ) -> None:
        self._database = database
        self._work_of = work_of
        self._presence = presence
        self._put_gateways = put_gateways
        self._disable_gateway = disable_gateway
        self._changed = changed
        self._removals = removals
        self._follow_alarms = follow_alarms
        self._clock = clock

    async def run(self, run: Run) -> Mapping[str, Any]:
        """A job's handler. The summary counts gateways that were added and changed, the drafts, and gateways
        that were removed or, against the preview, kept.

        The broker is told first, outside of the transaction, because it takes seconds for many; when it or
        the transaction fails, what it was told is taken back. Nobody knows those secrets yet. Raises
        JobFailed when the preview no longer holds or the broker does not take a gateway.
        """
        work = self._work_of(run.parameters["import_id"])
        plans = await asyncio.to_thread(work.plans)
        with_templates = [plan.gateway for plan in plans if plan.links is not None]
        if with_templates and not may_apply(run.user):
            raise JobFailed("import.template_permission", with_templates[0])
        done = _summary(plans)
        meta = await asyncio.to_thread(work.meta)
        if meta.get("applied"):
            if run.attempt == 1:
                raise JobFailed("import.applied", "this import is done")
            if done["added"]:  # it was interrupted after its end
                run.file(SECRETS_FILE)
            return done | await self._removed(run, meta, done)
        new = {plan.gateway: secrets.token_urlsafe(32) for plan in plans if plan.device_id is None}
        if new and run.attempt > 1 and await self._is_stored(run, set(new)):
            await asyncio.to_thread(work.note, {"applied": True})
            return done | await self._removed(run, meta, done)
        await self._refuse_claimed(run.user, new)
        await self._refuse_too_many(run.user, len(new))
        announced: list[str] = []
        try:
            await self._announce(run, new, announced, len(plans))
            if new:
                titles = {p.gateway: str(p.fields.get("device_title") or p.gateway) for p in plans}
                await asyncio.to_thread(_write_secrets, run.file(SECRETS_FILE), new, titles)
            await run.progress(len(plans), len(plans))
            await run.forbid_cancelling()
            devices = await self._store(run.user, plans, new)
        except BaseException:  # whatever ends it, a cancelled job too: the broker forgets what it was told
            await self._take_back(announced)
            raise
        log.info("%s imports %d gateways, %d of them new", run.user.name, len(plans), len(new))
        await _regardless(asyncio.to_thread(work.note, {"applied": True}))
        for plan in plans:
            if plan.content is not None:
                await _regardless(self._changed(devices[plan.gateway].id))
            if plan.fields or plan.device_id is None:
                await _regardless(self._presence.changed(devices[plan.gateway]))
        return done | await self._removed(run, meta, done)

    async def _removed(self, run: Run, meta: Mapping[str, Any], done: Mapping[str, Any]) -> dict[str, Any]:
        """Last, and one by one: what else the file says stands, whatever becomes of these. They may be
        cancelled; the job has the summary of what is done then.
        """
        if not meta.get("going"):
            return {}
        await run.note(done)
        await run.allow_cancelling()
        wanted = RemoveDevices.model_validate(meta["remove_devices"])
        return await self._removals.carry_out(run, wanted, [Going(*each) for each in meta["going"]])

    async def _is_stored(self, run: Run, names: set[str]) -> bool:
        """Was the run before this one cut after its commit? Then its file has the secrets of all of these."""
        written = await asyncio.to_thread(_read_secrets, run.file(SECRETS_FILE), len(names))
        if set(written) != names:
            return False
        async with self._database.reading() as session:
            repository = ImportRepository(session, run.user.scope)
            hashes: dict[str, str] = {}
            for at in range(0, len(names), AT_ONCE):
                hashes |= await repository.secret_hashes(sorted(names)[at : at + AT_ONCE])
        return hashes == {name: hash_of(secret) for name, secret in written.items()}

    async def _refuse_claimed(self, user: CurrentUser, new: Mapping[str, str]) -> None:
        names = list(new)
        async with self._database.reading() as session:
            repository = ImportRepository(session, user.scope)
            for at in range(0, len(names), AT_ONCE):
                if claimed := await repository.claimed(names[at : at + AT_ONCE]):
                    raise moved_meanwhile(claimed)

    async def _refuse_too_many(self, user: CurrentUser, new: int) -> None:
        async with self._database.reading() as session:
            registry = Registry(session, user, clock=self._clock)
            try:
                await registry.refuse_beyond_limit(new)
                await registry.refuse_too_many(new)
            except CloudError as error:
                raise JobFailed(_code_of(error), error.message) from None

    async def _announce(self, run: Run, new: Mapping[str, str], announced: list[str], total: int) -> None:
        """told: gets the serial numbers that the broker may know from now on. total: of all gateways."""
        pairs = list(new.items())
        try:
            for at in range(0, len(pairs), GATEWAYS_A_MESSAGE):
                some = dict(pairs[at : at + GATEWAYS_A_MESSAGE])
                # telling takes long, and would replace the secret of who has claimed one meanwhile
                await self._refuse_claimed(run.user, some)
                announced.extend(some)
                await self._put_gateways(some)
                await run.progress(len(announced), total)
        except LinkError as error:
            log.warning("an import fails: %s", error)
            raise JobFailed("import.broker", "the broker does not take the new gateways") from None

    async def _take_back(self, names: Sequence[str]) -> None:
        """Nobody can connect with what is left when even that fails: the secrets are lost, and the cloud
        does not know those gateways.
        """
        async with self._database.reading() as session:
            repository = ImportRepository(session, Scope.system())
            there: set[str] = set()
            for at in range(0, len(names), AT_ONCE):
                there |= await repository.claimed(names[at : at + AT_ONCE])
        for name in names:
            if name in there:
                continue
            try:
                await self._disable_gateway(name)
            except LinkError as error:
                log.warning("the broker keeps gateways of an import that failed: %s", error)
                return

    async def _store(
        self, user: CurrentUser, plans: Sequence[Plan], new: Mapping[str, str]
    ) -> dict[str, Device]:
        """Everything, committed; JobFailed with nothing done when something moved since the preview.

        Few statements for many rows: on SQLite nobody else writes meanwhile.
        """
        async with self._database.session() as session:
            repository = ImportRepository(session, user.scope)
            registry = Registry(session, user, clock=self._clock)
            if new:
                await registry.lock_places()
            try:
                devices = await self._changed_devices(registry, repository, plans)
                wanted = {p.gateway: DeviceFields(**p.fields) for p in plans if p.device_id is None}
                added = await registry.add_all(wanted, new)
            except IntegrityError:
                raise moved_meanwhile(new) from None
            except CloudError as error:
                raise await _refused(session, user, plans, error) from None
            devices |= {device.gateway_id: device for device in added}
            drafts = {
                devices[p.gateway].id: (p.gateway, _draft_of(p)) for p in plans if p.content is not None
            }
            templates = TemplateSets(session, user, self._clock())
            await templates.check(plans)
            batch = DraftBatch(session, user, self._clock())
            try:
                moved = await batch.keep({number: kept for number, (_, kept) in drafts.items()})
            except Conflict as error:
                raise JobFailed("import.behind", drafts[int(error.arguments["device_id"])][0]) from None
            if moved:
                raise moved_meanwhile({drafts[number][0] for number in moved})
            for plan in plans:
                await self._settings(session, user, devices[plan.gateway].id, plan)
            await templates.keep(plans, {name: device.id for name, device in devices.items()})
            await session.commit()
        return devices

    async def _changed_devices(
        self, registry: Registry, repository: ImportRepository, plans: Sequence[Plan]
    ) -> dict[str, Device]:
        """Gateways that are there, as the preview saw them, with their new fields."""
        numbers = [plan.device_id for plan in plans if plan.device_id is not None]
        known: dict[int, Device] = {}
        for at in range(0, len(numbers), AT_ONCE):
            known |= await repository.devices(numbers[at : at + AT_ONCE])
        changed: dict[str, Device] = {}
        for plan in plans:
            if plan.device_id is None:
                continue
            device = known.get(plan.device_id)
            now = {} if device is None else values_of(device)
            if device is None or any(now[field] != value for field, value in plan.was.items()):
                raise moved_meanwhile({plan.gateway})
            if plan.fields:
                try:
                    await registry.change(device, DeviceFields(**plan.fields))
                except CloudError as error:
                    code = fault_of(error, plan.fields)[1].code
                    raise JobFailed(f"import.{code}"[:40], plan.gateway) from None
            changed[plan.gateway] = device
        return changed

    async def _settings(self, session: AsyncSession, user: CurrentUser, device_id: int, plan: Plan) -> None:
        if not plan.settings:
            return
        repository = ImportRepository(session, user.scope)
        places = [(slave, name) for slave, name, _ in plan.settings]
        there = {} if plan.device_id is None else await repository.settings_of(device_id, places)
        for slave, name, fields in plan.settings:
            row = there.get((slave, name))
            if row is None:
                row = PointSetting(device_id=device_id, slave=slave, name=name)
                repository.add(row)
            for field, value in fields.items():
                setattr(row, field, value)
            if any(map(is_alarm, fields)):
                row.alarm_user_id, row.alarm_user_name = user.id, user.name
            row.changed_ms = self._clock()
        try:
            await self._follow_alarms(session, device_id)
        except Conflict as error:
            raise JobFailed("import.too_many_rules", error.message) from None


async def _refused(
    session: AsyncSession, user: CurrentUser, plans: Sequence[Plan], error: CloudError
) -> JobFailed:
    """Whose fault it was: what could be so when it was previewed may not be so any more."""
    if error.reason.startswith("limit."):
        return JobFailed(_code_of(error), error.message)
    for plan in plans:
        if plan.device_id is None and (
            found := await refusal(session, user, plan.gateway, None, plan.fields)
        ):
            return JobFailed(f"import.{found[1].code}"[:40], plan.gateway)
    return JobFailed("import.refused", error.message[:200])


def _code_of(error: CloudError) -> str:
    """Of too many gateways, for which the portal has words."""
    return (
        "import.limit_devices"
        if error.reason.startswith("limit.")
        else f"import.{error.reason.partition('.')[2]}"
    )


def _summary(plans: Sequence[Plan]) -> dict[str, Any]:
    added = sum(plan.device_id is None for plan in plans)
    drafts = sum(plan.content is not None for plan in plans)
    return {"added": added, "changed": len(plans) - added, "drafts": drafts}


def _draft_of(plan: Plan) -> BatchDraft:
    return BatchDraft(plan.base, plan.hash, plan.content or b"", plan.points)


def _write_secrets(path: Path, new: Mapping[str, str], titles: Mapping[str, str]) -> None:
    with path.open("wb") as file:
        secrets_workbook(file, [(name, titles[name], secret) for name, secret in new.items()])


def _read_secrets(path: Path, max_rows: int) -> dict[str, str]:
    """By serial number; nothing when there is no such file, or only a part of one."""
    try:
        rows = read_table(path.read_bytes(), path.name, max_rows).rows
    except (OSError, WrongFile):
        return {}
    return {str(row[0]): str(row[2]) for row in rows if len(row) == 3}


async def _regardless(work: Awaitable[None]) -> None:
    """What is stored stays: nothing that goes wrong afterwards may keep the new secrets from who asked."""
    try:
        await work
    except Exception:
        log.exception("an import that is stored goes on")
