"""Jobs on a real database with a simulated clock: order, progress, ends, limits, interruptions, cleaning."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from cloud.db import Database
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.jobs import runner as runners
from cloud.domains.jobs import service as module
from cloud.domains.jobs.run import JobFailed, Run
from cloud.domains.jobs.runner import KEEP_MS
from cloud.domains.jobs.service import JobService
from cloud.domains.jobs.states import JobQueue, JobState
from cloud.errors import Busy, Conflict, NotFound

from ...conftest import ADMIN, Clock
from ..tenants import tree


@dataclass
class JobServices:
    """A service whose jobs run when a test says so, and what browsers were told."""

    database: Database
    folder: Path
    users: dict[str, CurrentUser]
    clock: Clock = field(default_factory=Clock)
    told: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    gone: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.jobs = self.service()

    def service(self) -> JobService:
        """A process' own."""
        made = JobService(
            self.database, self.folder, self._who, lambda *piece: self.told.append(piece), clock=self.clock
        )
        made.register("table", table, needs="HisData")
        made.register("broken", broken, needs="HisData")
        made.register("refused", refused, needs="HisData")
        made.register("fields", nothing, JobQueue.CAMPAIGN, needs="DeviceManage")
        return made

    async def _who(self, user_id: int) -> CurrentUser | None:
        return next((u for u in self.users.values() if u.id == user_id and u.id not in self.gone), None)

    async def state(self, job_id: int) -> tuple[str, str]:
        found = await self.jobs.detail(self.users["platform-x"], job_id)
        return found.state, found.code


async def table(run: Run) -> dict[str, Any]:
    await run.progress(1, 2)
    run.file("报表 1.csv").write_text(f"{run.user.name},{run.parameters['n']}")
    return {"rows": 1}


async def broken(run: Run) -> None:
    raise ZeroDivisionError


async def refused(run: Run) -> None:
    raise JobFailed("no_rows", "there is nothing")


async def nothing(run: Run) -> None:
    """A job without file and summary."""


@pytest.fixture
async def services(sqlite_template: Path, tmp_path: Path) -> AsyncIterator[JobServices]:
    shutil.copy(sqlite_template, tmp_path / "cloud.db")
    database = Database(f"sqlite+aiosqlite:///{tmp_path / 'cloud.db'}")
    yield JobServices(database, tmp_path / "exports", await tree(database))
    await database.close()


async def test_every_query_runs_on_both_databases(database_url: str, tmp_path: Path) -> None:
    database = Database(database_url)
    services = JobServices(database, tmp_path / "exports", await tree(database))
    asker = services.users["factory-x"]
    jobs = [await services.jobs.ask(asker, "table", "x", {"n": 1}) for _ in range(2)]
    await services.jobs.delete(asker, jobs[1].id)
    assert await services.jobs.runner.step(JobQueue.WORK)
    await services.jobs.delete(asker, jobs[0].id)
    found = await services.jobs.page(asker, 1, 20, state=JobState.CANCELLED, kinds=["table"])
    assert ([job.id for job in found.rows], found.total) == ([jobs[1].id], 1)
    await services.jobs.runner.resume()
    services.clock.now += KEEP_MS + 1
    await services.jobs.clean()
    assert (await services.jobs.page(asker, 1, 20)).total == 0
    await database.close()


async def test_a_job_runs_and_leaves_its_file(services: JobServices) -> None:
    asker = services.users["enterprise-x"]
    job = await services.jobs.ask(asker, "table", "月报", {"n": 7})
    assert (job.state, job.started_ms) == (JobState.GENERATING, None)
    with pytest.raises(NotFound):
        await services.jobs.file(asker, job.id)
    assert await services.jobs.runner.step(JobQueue.WORK)
    assert not await services.jobs.runner.step(JobQueue.WORK)
    done = await services.jobs.detail(asker, job.id)
    assert (done.state, done.summary, done.file_name) == (JobState.COMPLETED, {"rows": 1}, "报表 1.csv")
    assert (done.expires_ms or 0) - (done.finished_ms or 0) == KEEP_MS
    file = await services.jobs.file(asker, job.id)
    assert (file.path.read_text(), file.path.stat().st_size) == ("enterprise-x,7", done.size)
    assert file.media_type.startswith("text/csv")
    assert [(who, told["type"], told["state"]) for who, told in services.told] == [
        (asker.id, "job", state) for state in ["generating"] * 3 + ["completed"]
    ]


async def test_who_sees_a_job(services: JobServices) -> None:
    job = await services.jobs.ask(services.users["enterprise-x"], "table", "x", {"n": 1})
    await services.jobs.runner.step(JobQueue.WORK)
    for name in ("platform-x", "factory-x", "enterprise-x"):
        assert (await services.jobs.file(services.users[name], job.id)).name
    for name in ("person-x", "factory-y"):
        user = services.users[name]
        for call in (services.jobs.file, services.jobs.detail, services.jobs.delete):
            with pytest.raises(NotFound):
                await call(user, job.id)
        assert (await services.jobs.page(user, 1, 20, everybody=True)).total == 0
    above = services.users["factory-x"]
    assert (await services.jobs.page(above, 1, 20)).total == 0
    (row,) = (await services.jobs.page(above, 1, 20, everybody=True, state=JobState.COMPLETED)).rows
    assert (row.id, row.user_name) == (job.id, "enterprise-x")


async def test_somebody_elses_job_needs_the_permission_of_its_work(services: JobServices) -> None:
    job = await services.jobs.ask(services.users["enterprise-x"], "table", "x", {"n": 1})
    await services.jobs.runner.step(JobQueue.WORK)
    above, own = services.users["factory-x"], services.users["enterprise-x"]
    for lost in ("FileDownload", "HisData"):
        user = replace(above, permissions=above.permissions - {lost})
        for call in (services.jobs.file, services.jobs.detail, services.jobs.delete):
            with pytest.raises(NotFound):
                await call(user, job.id)
    assert (await services.jobs.file(replace(own, permissions=frozenset()), job.id)).name
    del services.jobs._kinds["table"]
    with pytest.raises(NotFound):
        await services.jobs.detail(above, job.id)
    assert (await services.jobs.detail(own, job.id)).id == job.id


async def test_who_lost_the_permission_gets_nothing_done(services: JobServices) -> None:
    user = services.users["factory-x"]
    again: list[str] = []

    async def hours(run: Run) -> None:
        await run.still()
        again.append("still")
        services.users["factory-x"] = replace(user, permissions=user.permissions - {"HisData"})
        await run.still()

    services.jobs.register("hours", hours, needs="HisData")
    jobs = [await services.jobs.ask(user, "hours", "x", {}) for _ in range(2)]
    while await services.jobs.runner.step(JobQueue.WORK):
        pass
    ends = [await services.state(job.id) for job in jobs]
    assert (ends, again) == ([("failed", "no_permission")] * 2, ["still"])


async def test_a_database_that_is_away_for_a_moment(
    services: JobServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner, user = services.jobs.runner, services.users["factory-x"]
    monkeypatch.setattr(runners, "RETRY_S", 0.0)
    job = await services.jobs.ask(user, "table", "x", {"n": 1})
    who, write, away = runner._who, runner._write, [ConnectionError("away")] * 3

    async def nobody(user_id: int) -> CurrentUser | None:
        raise ConnectionError("away")

    async def later(job_id: int, columns: dict[str, Any]) -> None:
        if away:
            raise away.pop()
        await write(job_id, columns)

    monkeypatch.setattr(runner, "_write", later)
    monkeypatch.setattr(runner, "_who", nobody)
    with pytest.raises(ConnectionError):
        await runner.step(JobQueue.WORK)
    assert (away, (await services.jobs.detail(user, job.id)).started_ms) == ([], None)
    monkeypatch.setattr(runner, "_who", who)
    away.append(ConnectionError("away"))
    assert await runner.step(JobQueue.WORK)
    assert await services.state(job.id) == ("completed", "")


async def test_failures_say_why_and_the_next_job_runs(services: JobServices) -> None:
    asker = services.users["factory-y"]
    jobs = [await services.jobs.ask(asker, kind, "x", {"n": 1}) for kind in ("broken", "refused", "table")]
    assert [await services.jobs.runner.step(JobQueue.WORK) for _ in jobs] == [True] * 3
    ends = [await services.state(job.id) for job in jobs]
    assert ends == [("failed", "failed"), ("failed", "no_rows"), ("completed", "")]
    late = await services.jobs.ask(asker, "table", "x", {"n": 1})
    services.gone.add(asker.id)
    await services.jobs.runner.step(JobQueue.WORK)
    assert await services.state(late.id) == ("failed", "user_gone")


async def test_progress_is_written_twice_a_second_at_most(services: JobServices) -> None:
    async def quick(run: Run) -> None:
        for done in range(1, 100):
            services.clock.now += 10
            await run.progress(done, 100)

    services.jobs.register("quick", quick, needs="HisData")
    await services.jobs.ask(services.users["factory-x"], "quick", "x", {})
    await services.jobs.runner.step(JobQueue.WORK)
    assert [told["done"] for _, told in services.told] == [0, 0, 1, 51, 99]


async def test_what_was_interrupted_begins_once_more(services: JobServices) -> None:
    noted: list[Any] = []

    async def cut(run: Run) -> None:
        noted.append((run.attempt, run.noted))
        await run.note({"reached": run.attempt})
        raise asyncio.CancelledError

    services.jobs.register("cut", cut, needs="HisData")
    job = await services.jobs.ask(services.users["factory-x"], "cut", "x", {})
    for _ in range(2):
        with pytest.raises(asyncio.CancelledError):
            await services.jobs.runner.step(JobQueue.WORK)
        assert await services.state(job.id) == ("generating", "")
        await services.jobs.runner.resume()
    assert noted == [(1, {}), (2, {"reached": 1})]
    assert await services.state(job.id) == ("failed", "interrupted")
    assert not await services.jobs.runner.step(JobQueue.WORK)


async def test_an_orderly_stop_puts_off_what_runs(services: JobServices) -> None:
    begun = asyncio.Event()

    async def endless(run: Run) -> None:
        while True:
            begun.set()
            services.clock.pass_s(1)
            await run.progress(0, 0)

    services.jobs.register("endless", endless, needs="HisData")
    job = await services.jobs.ask(services.users["factory-x"], "endless", "x", {})
    await services.jobs.runner.start()
    await begun.wait()
    await services.jobs.runner.stop()
    assert await services.state(job.id) == ("generating", "")
    again = services.service()
    again.register("endless", nothing, needs="HisData")
    await again.runner.resume()
    assert await again.runner.step(JobQueue.WORK)
    assert await services.state(job.id) == ("completed", "")


async def test_users_take_turns(database_url: str, tmp_path: Path) -> None:
    database = Database(database_url)
    services = JobServices(database, tmp_path / "exports", await tree(database))
    order: list[str] = []

    async def noted(run: Run) -> None:
        order.append(run.user.name)

    services.jobs.register("noted", noted, needs="HisData")
    for name in ("factory-x", "factory-x", "factory-x", "factory-y", "factory-y", "person-x"):
        await services.jobs.ask(services.users[name], "noted", "x", {})
    while await services.jobs.runner.step(JobQueue.WORK):
        services.clock.now += 1
    assert order == ["factory-x", "factory-y", "person-x", "factory-x", "factory-y", "factory-x"]
    await database.close()


async def test_a_campaign_does_not_wait_for_work(services: JobServices) -> None:
    asker = services.users["factory-x"]
    work = await services.jobs.ask(asker, "table", "x", {"n": 1})
    campaign = await services.jobs.ask(asker, "fields", "x", {})
    assert await services.jobs.runner.step(JobQueue.CAMPAIGN)
    assert [await services.state(job.id) for job in (work, campaign)] == [
        ("generating", ""),
        ("completed", ""),
    ]


async def test_limits(services: JobServices, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = services.users["factory-x"], services.users["factory-y"]
    monkeypatch.setattr(module, "MAX_UNFINISHED_OF_USER", 2)
    monkeypatch.setattr(module, "MAX_UNFINISHED", 3)
    for _ in range(2):
        await services.jobs.ask(one, "table", "x", {"n": 1})
    with pytest.raises(Busy, match="of yours"):
        await services.jobs.ask(one, "table", "x", {"n": 1})
    await services.jobs.ask(other, "table", "x", {"n": 1})
    with pytest.raises(Busy, match="full"):
        await services.jobs.ask(other, "table", "x", {"n": 1})
    while await services.jobs.runner.step(JobQueue.WORK):
        pass
    monkeypatch.setattr(module, "MAX_BYTES_OF_USER", 20)
    with pytest.raises(Conflict, match="one user"):
        await services.jobs.ask(one, "table", "x", {"n": 1})
    await services.jobs.ask(other, "table", "x", {"n": 1})


async def test_files_go_after_14_days_or_when_deleted(services: JobServices) -> None:
    asker = services.users["factory-x"]
    first, second = [await services.jobs.ask(asker, "table", "x", {"n": 1}) for _ in range(2)]
    while await services.jobs.runner.step(JobQueue.WORK):
        pass
    paths = [(await services.jobs.file(asker, job.id)).path for job in (first, second)]
    await services.jobs.delete(asker, first.id)
    assert [path.exists() for path in paths] == [False, True]
    (services.folder / "left by a job that is gone").mkdir()
    services.clock.now += 14 * 24 * 3600 * 1000
    await services.jobs.clean()
    assert [path.parent for path in paths[1:]] == list(services.folder.iterdir())
    services.clock.now += 1
    await services.jobs.clean()
    assert list(services.folder.iterdir()) == []
    assert (await services.jobs.page(asker, 1, 20)).total == 0


async def test_a_kind_may_be_kept_shorter_be_unlisted_or_have_files_of_its_askers_own(
    services: JobServices,
) -> None:
    asker, above = services.users["enterprise-x"], services.users["platform-x"]
    services.jobs.register("secrets", table, needs="HisData", keep_ms=1000, is_listed=False, is_own=True)
    job = await services.jobs.ask(asker, "secrets", "x", {"n": 1})
    assert await services.jobs.runner.step(JobQueue.WORK)
    assert (await services.jobs.page(asker, 1, 20)).total == 0
    assert (await services.jobs.file(asker, job.id)).path.is_file()
    assert (await services.jobs.detail(above, job.id)).state is JobState.COMPLETED
    with pytest.raises(NotFound):
        await services.jobs.file(above, job.id)
    services.clock.now += 1001
    await services.jobs.clean()
    with pytest.raises(NotFound):
        await services.jobs.detail(asker, job.id)


async def test_a_file_that_is_gone_is_not_found(services: JobServices) -> None:
    asker = services.users["factory-x"]
    job = await services.jobs.ask(asker, "table", "x", {"n": 1})
    await services.jobs.runner.step(JobQueue.WORK)
    (await services.jobs.file(asker, job.id)).path.unlink()
    with pytest.raises(NotFound):
        await services.jobs.file(asker, job.id)


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".hidden", "a\0", "x" * 200])
def test_names_of_files(tmp_path: Path, name: str) -> None:
    run = Run(ADMIN, {}, tmp_path, _no, _no)
    with pytest.raises(ValueError, match="name"):
        run.file(name)


async def _no(*_words: Any) -> None:
    """Nobody is told."""
