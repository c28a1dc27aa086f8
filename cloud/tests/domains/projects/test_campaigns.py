"""Campaigns over gateways that answer as a test says."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cloud.db import Database
from cloud.domains.configuration.models import ConfigurationStateRow
from cloud.domains.deploy.schemas import DeployBody
from cloud.domains.devices.access_passwords import AccessPasswordService
from cloud.domains.identity.permissions import CODES
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.jobs.service import JobService
from cloud.domains.jobs.states import JobQueue
from cloud.domains.projects.campaigns import CampaignService
from cloud.domains.projects.schemas import DeployCampaign, RebootCampaign
from cloud.errors import Conflict, NotFound

from ..tenants import tree
from .conftest import Site


@dataclass
class Field:
    """Stands for deploy and commands. ends: state of each gateway's work, confirmed unless said."""

    site: Site
    folder: Path
    ends: dict[int, str] = field(default_factory=dict)
    refused: set[int] = field(default_factory=set)
    begun: list[tuple[int, bool]] = field(default_factory=list)
    running: int = 0
    most: int = 0
    cut_after: int | None = None

    def __post_init__(self) -> None:
        self.jobs = JobService(
            self.site.database, self.folder, self._who, lambda *_: None, clock=self.site.clock
        )
        services: Any = self
        self.campaigns = CampaignService(
            self.site.database,
            services,
            self.jobs,
            services,
            services,
            clock=self.site.clock,
            sleep=self._sleep,
        )
        self.user = self.of("factory-x")

    def of(self, name: str) -> CurrentUser:
        user = self.site.users[name]
        return CurrentUser(user.id, user.name, user.user_type, CODES, "", user.scope)

    @property
    def access_passwords(self) -> Any:
        """As of a DeviceService."""
        return AccessPasswordService(self.site.database, self.site.clock)

    async def _who(self, user_id: int) -> CurrentUser | None:
        return self.of(next(user.name for user in self.site.users.values() if user.id == user_id))

    async def _sleep(self, seconds: float) -> None:
        self.site.clock.pass_s(seconds)
        self.running = 0
        if self.cut_after is not None and len(self.begun) >= self.cut_after:
            self.cut_after = None
            raise KeyboardInterrupt

    async def request(self, user: CurrentUser, device_id: int, body: DeployBody) -> Any:
        if device_id in self.refused:
            raise Conflict(
                "the gateway runs something else", field="base", rule="local_edit", reason="deploy.local_edit"
            )
        self._begin(device_id, body.wait)
        return SimpleNamespace(id=f"work-{device_id}", state="sent")

    async def act(self, user: CurrentUser, device_id: int, *_: Any, wait: bool, **__: Any) -> Any:
        self._begin(device_id, wait)
        return SimpleNamespace(id=f"work-{device_id}", status="send")

    async def status(self, scope: Any, work: str) -> Any:
        device_id = int(work.removeprefix("work-"))
        end = self.ends.get(device_id, "")
        return SimpleNamespace(state=end or "confirmed", status=end or "resp", code=end)

    def _begin(self, device_id: int, wait: bool) -> None:
        self.begun.append((device_id, wait))
        self.running += 1
        self.most = max(self.most, self.running)

    async def gateways(self, count: int, **columns: Any) -> list[int]:
        """Online, with a draft, in a new project."""
        made = []
        for number in range(count):
            words = {"online": True, **columns}
            made.append(await self.site.gateway(f"d{number}{words['online']}", "enterprise-x", **words))
        async with self.site.database.session() as session:
            session.add_all(ConfigurationStateRow(device_id=number, draft="a" * 64) for number in made)
            await session.commit()
        return made

    async def deploy(self, project: int, **body: Any) -> Any:
        """The detail of the job when it has ended."""
        job = await self.campaigns.deploy(self.user, project, DeployCampaign(**body))
        await self.jobs.runner.step(JobQueue.CAMPAIGN)
        return await self.jobs.detail(self.user, job.id)


@pytest.fixture
async def fields(sqlite_template: Path, tmp_path: Path) -> AsyncIterator[Field]:
    shutil.copy(sqlite_template, tmp_path / "cloud.db")
    database = Database(f"sqlite+aiosqlite:///{tmp_path / 'cloud.db'}")
    yield Field(Site(database, await tree(database)), tmp_path / "exports")
    await database.close()


def steps(job: Any) -> dict[str, int]:
    return {step: count for step, count in job.summary["counts"].items() if count}


async def test_one_confirms_before_the_others_begin(fields: Field) -> None:
    plant = await fields.site.add("Plant")
    project = await fields.site.add("east", plant.id)
    numbers = await fields.gateways(30)
    await fields.site.assign(project.id, *numbers)
    done = await fields.deploy(plant.id)
    assert (done.state, done.kind, done.title) == ("completed", "project_deploy", "Plant")
    assert steps(done) == {"done": 30}
    assert [number for number, _ in fields.begun] == numbers
    assert fields.most <= 20
    assert (done.done, done.total) == (30, 30)
    row = done.summary["rows"][0]
    assert (row["device_id"], row["state"], row["work"]) == (numbers[0], "confirmed", f"work-{numbers[0]}")


async def test_a_canary_that_fails_stops_it(fields: Field) -> None:
    project = await fields.site.add("p")
    numbers = await fields.gateways(5)
    await fields.site.assign(project.id, *numbers)
    fields.ends[numbers[1]] = "reverted"
    done = await fields.deploy(project.id, canary=2)
    assert (done.state, done.code) == ("failed", "canary")
    assert steps(done) == {"done": 1, "failed": 1, "not_begun": 3}
    assert len(fields.begun) == 2


async def test_too_many_failures_stop_it(fields: Field) -> None:
    project = await fields.site.add("p")
    numbers = await fields.gateways(60)
    await fields.site.assign(project.id, *numbers)
    fields.ends |= dict.fromkeys(numbers[1:20], "reverted")
    fields.refused |= set(numbers[20:25])
    done = await fields.deploy(project.id)
    assert (done.state, done.code) == ("failed", "error_share")
    assert steps(done)["failed"] > 12 and steps(done)["not_begun"] > 20
    fields.begun.clear()
    again = await fields.deploy(project.id, error_share=0.5)
    assert (again.state, steps(again)) == ("completed", {"done": 36, "failed": 24})
    assert {row["code"] for row in again.summary["rows"] if row["step"] == "failed"} == {
        "reverted", "deploy.local_edit"
    }  # fmt: skip


async def test_who_is_away_read_only_or_without_a_draft_is_skipped(fields: Field) -> None:
    project = await fields.site.add("p", user="platform-x")
    (online,) = await fields.gateways(1)
    (away,) = await fields.gateways(1, online=False)
    bare = await fields.site.gateway("bare", "factory-x", online=True)
    lent = await fields.site.gateway("lent", "factory-y", online=True)
    await fields.site.share(lent, "platform-x", writes=False)
    await fields.site.assign(project.id, online, away, bare, user="platform-x")
    fields.user = fields.of("platform-x")
    preview = await fields.campaigns.preview(fields.user, project.id)
    assert preview.deploy.model_dump() == {"to_do": 1, "offline": 1, "unchanged": 1, "read_only": 0}
    assert preview.reboot.model_dump() == {"to_do": 2, "offline": 1, "unchanged": 0, "read_only": 0}
    done = await fields.deploy(project.id)
    codes = {row["device_id"]: (row["step"], row["code"]) for row in done.summary["rows"]}
    assert codes == {
        online: ("done", ""), bare: ("skipped", "no_draft"), away: ("skipped", "offline")
    }  # fmt: skip
    waiting = await fields.deploy(project.id, wait=True)
    assert steps(waiting) == {"done": 1, "kept": 1, "skipped": 1}
    assert fields.begun[-1] == (away, True)


async def test_without_a_canary_online_nothing_begins(fields: Field) -> None:
    project = await fields.site.add("p")
    await fields.site.assign(project.id, *await fields.gateways(2, online=False))
    with pytest.raises(Conflict) as refused:
        await fields.deploy(project.id)
    assert refused.value.reason == "project.nothing_to_do"
    done = await fields.deploy(project.id, wait=True)
    assert (done.code, fields.begun) == ("no_canary", [])
    assert steps(await fields.deploy(project.id, wait=True, canary=0)) == {"kept": 2}


async def test_an_interrupted_campaign_goes_on_where_it_was(fields: Field) -> None:
    project = await fields.site.add("p")
    numbers = await fields.gateways(45)
    await fields.site.assign(project.id, *numbers)
    fields.cut_after = 21
    with pytest.raises(KeyboardInterrupt):
        await fields.deploy(project.id)
    await fields.jobs.runner.resume()
    assert await fields.jobs.runner.step(JobQueue.CAMPAIGN)
    (job,) = (await fields.jobs.page(fields.user, 1, 20)).rows
    done = await fields.jobs.detail(fields.user, job.id)
    assert (done.state, steps(done)) == ("completed", {"done": 45})
    assert sorted(number for number, _ in fields.begun) == numbers


async def test_restarts_a_few_at_a_time(fields: Field) -> None:
    project = await fields.site.add("p")
    await fields.site.assign(project.id, *await fields.gateways(10))
    body = RebootCampaign(at_once=3)
    job = await fields.campaigns.reboot(fields.user, project.id, body, "10.0.0.1")
    await fields.jobs.runner.step(JobQueue.CAMPAIGN)
    done = await fields.jobs.detail(fields.user, job.id)
    assert (done.kind, done.state, steps(done)) == ("project_reboot", "completed", {"done": 10})
    assert fields.most == 3


async def test_rights_are_those_of_the_moment(fields: Field) -> None:
    project = await fields.site.add("p")
    await fields.site.assign(project.id, *await fields.gateways(1))
    with pytest.raises(NotFound):
        await fields.campaigns.preview(fields.of("factory-y"), project.id)
    job = await fields.campaigns.deploy(fields.user, project.id, DeployCampaign())
    user = fields.site.users["factory-x"]

    async def without(user_id: int) -> CurrentUser:
        return CurrentUser(user_id, user.name, user.user_type, frozenset(), "", user.scope)

    fields.jobs.runner._who = without
    await fields.jobs.runner.step(JobQueue.CAMPAIGN)
    done = await fields.jobs.detail(fields.user, job.id)
    assert (done.state, done.code, fields.begun) == ("failed", "no_permission", [])


async def test_who_loses_the_permission_meanwhile_begins_nothing_more(fields: Field) -> None:
    project = await fields.site.add("p")
    await fields.site.assign(project.id, *await fields.gateways(30))
    job = await fields.campaigns.deploy(fields.user, project.id, DeployCampaign())

    async def until_some_began(user_id: int) -> CurrentUser:
        permissions = frozenset() if len(fields.begun) > 1 else CODES
        return replace(fields.user, permissions=permissions)

    fields.jobs.runner._who = until_some_began
    await fields.jobs.runner.step(JobQueue.CAMPAIGN)
    done = await fields.jobs.detail(fields.user, job.id)
    assert (done.state, done.code) == ("failed", "no_permission")
    assert steps(done) == {"done": 21, "not_begun": 9}
