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
from cloud.domains.jobs.states import Lane, State
from cloud.errors import Busy, Conflict, NotFound

from ...conftest import ADMIN, Clock
from ..tenants import tree


@dataclass
class Desk:
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
        made.register("fields", nothing, Lane.CAMPAIGN, needs="DeviceManage")
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
async def desk(sqlite_template: Path, tmp_path: Path) -> AsyncIterator[Desk]:
    shutil.copy(sqlite_template, tmp_path / "cloud.db")
    database = Database(f"sqlite+aiosqlite:///{tmp_path / 'cloud.db'}")
    yield Desk(database, tmp_path / "exports", await tree(database))
    await database.close()


async def test_every_query_runs_on_both_databases(database_url: str, tmp_path: Path) -> None:
    database = Database(database_url)
    desk = Desk(database, tmp_path / "exports", await tree(database))
    asker = desk.users["factory-x"]
    jobs = [await desk.jobs.ask(asker, "table", "x", {"n": 1}) for _ in range(2)]
    await desk.jobs.delete(asker, jobs[1].id)
    assert await desk.jobs.runner.step(Lane.WORK)
    await desk.jobs.delete(asker, jobs[0].id)
    found = await desk.jobs.page(asker, 1, 20, state=State.CANCELLED, kinds=["table"])
    assert ([job.id for job in found.rows], found.total) == ([jobs[1].id], 1)
    await desk.jobs.runner.resume()
    desk.clock.now += KEEP_MS + 1
    await desk.jobs.clean()
    assert (await desk.jobs.page(asker, 1, 20)).total == 0
    await database.close()


async def test_a_job_runs_and_leaves_its_file(desk: Desk) -> None:
    asker = desk.users["enterprise-x"]
    job = await desk.jobs.ask(asker, "table", "月报", {"n": 7})
    assert (job.state, job.started_ms) == (State.GENERATING, None)
    with pytest.raises(NotFound):
        await desk.jobs.file(asker, job.id)
    assert await desk.jobs.runner.step(Lane.WORK)
    assert not await desk.jobs.runner.step(Lane.WORK)
    done = await desk.jobs.detail(asker, job.id)
    assert (done.state, done.summary, done.file_name) == (State.COMPLETED, {"rows": 1}, "报表 1.csv")
    assert (done.expires_ms or 0) - (done.finished_ms or 0) == KEEP_MS
    file = await desk.jobs.file(asker, job.id)
    assert (file.path.read_text(), file.path.stat().st_size) == ("enterprise-x,7", done.size)
    assert file.media_type.startswith("text/csv")
    assert [(who, told["type"], told["state"]) for who, told in desk.told] == [
        (asker.id, "job", state) for state in ["generating"] * 3 + ["completed"]
    ]


async def test_who_sees_a_job(desk: Desk) -> None:
    job = await desk.jobs.ask(desk.users["enterprise-x"], "table", "x", {"n": 1})
    await desk.jobs.runner.step(Lane.WORK)
    for name in ("platform-x", "factory-x", "enterprise-x"):
        assert (await desk.jobs.file(desk.users[name], job.id)).name
    for name in ("person-x", "factory-y"):
        user = desk.users[name]
        for call in (desk.jobs.file, desk.jobs.detail, desk.jobs.delete):
            with pytest.raises(NotFound):
                await call(user, job.id)
        assert (await desk.jobs.page(user, 1, 20, everybody=True)).total == 0
    above = desk.users["factory-x"]
    assert (await desk.jobs.page(above, 1, 20)).total == 0
    (row,) = (await desk.jobs.page(above, 1, 20, everybody=True, state=State.COMPLETED)).rows
    assert (row.id, row.user_name) == (job.id, "enterprise-x")


async def test_somebody_elses_job_needs_the_permission_of_its_work(desk: Desk) -> None:
    job = await desk.jobs.ask(desk.users["enterprise-x"], "table", "x", {"n": 1})
    await desk.jobs.runner.step(Lane.WORK)
    above, own = desk.users["factory-x"], desk.users["enterprise-x"]
    for lost in ("FileDownload", "HisData"):
        user = replace(above, permissions=above.permissions - {lost})
        for call in (desk.jobs.file, desk.jobs.detail, desk.jobs.delete):
            with pytest.raises(NotFound):
                await call(user, job.id)
    assert (await desk.jobs.file(replace(own, permissions=frozenset()), job.id)).name
    del desk.jobs._kinds["table"]
    with pytest.raises(NotFound):
        await desk.jobs.detail(above, job.id)
    assert (await desk.jobs.detail(own, job.id)).id == job.id


async def test_who_lost_the_permission_gets_nothing_done(desk: Desk) -> None:
    user = desk.users["factory-x"]
    again: list[str] = []

    async def hours(run: Run) -> None:
        await run.still()
        again.append("still")
        desk.users["factory-x"] = replace(user, permissions=user.permissions - {"HisData"})
        await run.still()

    desk.jobs.register("hours", hours, needs="HisData")
    jobs = [await desk.jobs.ask(user, "hours", "x", {}) for _ in range(2)]
    while await desk.jobs.runner.step(Lane.WORK):
        pass
    ends = [await desk.state(job.id) for job in jobs]
    assert (ends, again) == ([("failed", "no_permission")] * 2, ["still"])


async def test_a_database_that_is_away_for_a_moment(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    runner, user = desk.jobs.runner, desk.users["factory-x"]
    monkeypatch.setattr(runners, "RETRY_S", 0.0)
    job = await desk.jobs.ask(user, "table", "x", {"n": 1})
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
        await runner.step(Lane.WORK)
    assert (away, (await desk.jobs.detail(user, job.id)).started_ms) == ([], None)
    monkeypatch.setattr(runner, "_who", who)
    away.append(ConnectionError("away"))
    assert await runner.step(Lane.WORK)
    assert await desk.state(job.id) == ("completed", "")


async def test_failures_say_why_and_the_next_job_runs(desk: Desk) -> None:
    asker = desk.users["factory-y"]
    jobs = [await desk.jobs.ask(asker, kind, "x", {"n": 1}) for kind in ("broken", "refused", "table")]
    assert [await desk.jobs.runner.step(Lane.WORK) for _ in jobs] == [True] * 3
    ends = [await desk.state(job.id) for job in jobs]
    assert ends == [("failed", "failed"), ("failed", "no_rows"), ("completed", "")]
    late = await desk.jobs.ask(asker, "table", "x", {"n": 1})
    desk.gone.add(asker.id)
    await desk.jobs.runner.step(Lane.WORK)
    assert await desk.state(late.id) == ("failed", "user_gone")


async def test_progress_is_written_twice_a_second_at_most(desk: Desk) -> None:
    async def quick(run: Run) -> None:
        for done in range(1, 100):
            desk.clock.now += 10
            await run.progress(done, 100)

    desk.jobs.register("quick", quick, needs="HisData")
    await desk.jobs.ask(desk.users["factory-x"], "quick", "x", {})
    await desk.jobs.runner.step(Lane.WORK)
    assert [told["done"] for _, told in desk.told] == [0, 0, 1, 51, 99]


async def test_what_was_interrupted_begins_once_more(desk: Desk) -> None:
    noted: list[Any] = []

    async def cut(run: Run) -> None:
        noted.append((run.attempt, run.noted))
        await run.note({"reached": run.attempt})
        raise asyncio.CancelledError

    desk.jobs.register("cut", cut, needs="HisData")
    job = await desk.jobs.ask(desk.users["factory-x"], "cut", "x", {})
    for _ in range(2):
        with pytest.raises(asyncio.CancelledError):
            await desk.jobs.runner.step(Lane.WORK)
        assert await desk.state(job.id) == ("generating", "")
        await desk.jobs.runner.resume()
    assert noted == [(1, {}), (2, {"reached": 1})]
    assert await desk.state(job.id) == ("failed", "interrupted")
    assert not await desk.jobs.runner.step(Lane.WORK)


async def test_an_orderly_stop_puts_off_what_runs(desk: Desk) -> None:
    begun = asyncio.Event()

    async def endless(run: Run) -> None:
        while True:
            begun.set()
            desk.clock.pass_s(1)
            await run.progress(0, 0)

    desk.jobs.register("endless", endless, needs="HisData")
    job = await desk.jobs.ask(desk.users["factory-x"], "endless", "x", {})
    await desk.jobs.runner.start()
    await begun.wait()
    await desk.jobs.runner.stop()
    assert await desk.state(job.id) == ("generating", "")
    again = desk.service()
    again.register("endless", nothing, needs="HisData")
    await again.runner.resume()
    assert await again.runner.step(Lane.WORK)
    assert await desk.state(job.id) == ("completed", "")


async def test_users_take_turns(database_url: str, tmp_path: Path) -> None:
    database = Database(database_url)
    desk = Desk(database, tmp_path / "exports", await tree(database))
    order: list[str] = []

    async def noted(run: Run) -> None:
        order.append(run.user.name)

    desk.jobs.register("noted", noted, needs="HisData")
    for name in ("factory-x", "factory-x", "factory-x", "factory-y", "factory-y", "person-x"):
        await desk.jobs.ask(desk.users[name], "noted", "x", {})
    while await desk.jobs.runner.step(Lane.WORK):
        desk.clock.now += 1
    assert order == ["factory-x", "factory-y", "person-x", "factory-x", "factory-y", "factory-x"]
    await database.close()


async def test_a_campaign_does_not_wait_for_work(desk: Desk) -> None:
    asker = desk.users["factory-x"]
    work = await desk.jobs.ask(asker, "table", "x", {"n": 1})
    campaign = await desk.jobs.ask(asker, "fields", "x", {})
    assert await desk.jobs.runner.step(Lane.CAMPAIGN)
    assert [await desk.state(job.id) for job in (work, campaign)] == [("generating", ""), ("completed", "")]


async def test_limits(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = desk.users["factory-x"], desk.users["factory-y"]
    monkeypatch.setattr(module, "MOST_UNFINISHED_OF_USER", 2)
    monkeypatch.setattr(module, "MOST_UNFINISHED", 3)
    for _ in range(2):
        await desk.jobs.ask(one, "table", "x", {"n": 1})
    with pytest.raises(Busy, match="of yours"):
        await desk.jobs.ask(one, "table", "x", {"n": 1})
    await desk.jobs.ask(other, "table", "x", {"n": 1})
    with pytest.raises(Busy, match="full"):
        await desk.jobs.ask(other, "table", "x", {"n": 1})
    while await desk.jobs.runner.step(Lane.WORK):
        pass
    monkeypatch.setattr(module, "MOST_BYTES_OF_USER", 20)
    with pytest.raises(Conflict, match="one user"):
        await desk.jobs.ask(one, "table", "x", {"n": 1})
    await desk.jobs.ask(other, "table", "x", {"n": 1})


async def test_files_go_after_14_days_or_when_deleted(desk: Desk) -> None:
    asker = desk.users["factory-x"]
    first, second = [await desk.jobs.ask(asker, "table", "x", {"n": 1}) for _ in range(2)]
    while await desk.jobs.runner.step(Lane.WORK):
        pass
    paths = [(await desk.jobs.file(asker, job.id)).path for job in (first, second)]
    await desk.jobs.delete(asker, first.id)
    assert [path.exists() for path in paths] == [False, True]
    (desk.folder / "left by a job that is gone").mkdir()
    desk.clock.now += 14 * 24 * 3600 * 1000
    await desk.jobs.clean()
    assert [path.parent for path in paths[1:]] == list(desk.folder.iterdir())
    desk.clock.now += 1
    await desk.jobs.clean()
    assert list(desk.folder.iterdir()) == []
    assert (await desk.jobs.page(asker, 1, 20)).total == 0


async def test_a_kind_may_be_kept_shorter_be_unlisted_or_have_files_of_its_askers_own(desk: Desk) -> None:
    asker, above = desk.users["enterprise-x"], desk.users["platform-x"]
    desk.jobs.register("secrets", table, needs="HisData", keep_ms=1000, is_listed=False, is_own=True)
    job = await desk.jobs.ask(asker, "secrets", "x", {"n": 1})
    assert await desk.jobs.runner.step(Lane.WORK)
    assert (await desk.jobs.page(asker, 1, 20)).total == 0
    assert (await desk.jobs.file(asker, job.id)).path.is_file()
    assert (await desk.jobs.detail(above, job.id)).state is State.COMPLETED
    with pytest.raises(NotFound):
        await desk.jobs.file(above, job.id)
    desk.clock.now += 1001
    await desk.jobs.clean()
    with pytest.raises(NotFound):
        await desk.jobs.detail(asker, job.id)


async def test_a_file_that_is_gone_is_not_found(desk: Desk) -> None:
    asker = desk.users["factory-x"]
    job = await desk.jobs.ask(asker, "table", "x", {"n": 1})
    await desk.jobs.runner.step(Lane.WORK)
    (await desk.jobs.file(asker, job.id)).path.unlink()
    with pytest.raises(NotFound):
        await desk.jobs.file(asker, job.id)


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".hidden", "a\0", "x" * 200])
def test_names_of_files(tmp_path: Path, name: str) -> None:
    run = Run(ADMIN, {}, tmp_path, _no, _no)
    with pytest.raises(ValueError, match="name"):
        run.file(name)


async def _no(*_words: Any) -> None:
    """Nobody is told."""
