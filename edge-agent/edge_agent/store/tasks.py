"""Timed tasks and their runs on SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import msgspec

from edge_agent.store.database import Database
from edge_agent.store.task_log import HeldTasks, RunState
from edge_contract.edge_tasks import MISSED, EdgeTaskRun
from edge_contract.limits import MAX_WAITING_RUNS


class SqliteTasks:
    """store.task_log.TaskLog."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def held(self) -> HeldTasks | None:
        rows = await self._database.read("SELECT tasks, state FROM task_set")
        return HeldTasks(bytes(rows[0][0]), bytes(rows[0][1])) if rows else None

    async def replace(self, held: HeldTasks, tasks: Sequence[int]) -> None:
        def work(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT OR REPLACE INTO task_set VALUES (1, ?, ?)", (held.tasks, held.state))
            kept = msgspec.json.encode(list(tasks)).decode()
            connection.execute(
                "DELETE FROM task_run WHERE state = ? AND task NOT IN (SELECT value FROM json_each(?))",
                (RunState.HELD, kept),
            )

        await self._database.write(work)

    async def begin(self, state: bytes, runs: Sequence[EdgeTaskRun]) -> list[int]:
        def work(connection: sqlite3.Connection) -> list[int]:
            connection.execute("UPDATE task_set SET state = ?", (state,))
            seqs = []
            for run in runs:
                noted = RunState.WAITING if run.code == MISSED else RunState.BEGUN
                sql = "INSERT INTO task_run (task, state, run) VALUES (?, ?, ?)"
                row = (run.task, noted, msgspec.json.encode(run))
                seqs.append(connection.execute(sql, row).lastrowid or 0)
            _drop(connection)
            return seqs

        return await self._database.write(work)

    async def end(self, run: EdgeTaskRun) -> None:
        def work(connection: sqlite3.Connection) -> None:
            sql = "UPDATE task_run SET state = ?, run = ? WHERE seq = ?"
            connection.execute(sql, (RunState.WAITING, msgspec.json.encode(run), run.seq))
            _drop(connection)

        await self._database.write(work)

    async def interrupt(self) -> None:
        sql = "SELECT 1 FROM task_run WHERE state = ? LIMIT 1"
        if not await self._database.read(sql, (RunState.BEGUN,)):
            return

        def work(connection: sqlite3.Connection) -> None:
            states = (RunState.WAITING, RunState.BEGUN)
            connection.execute("UPDATE task_run SET state = ? WHERE state = ?", states)
            _drop(connection)

        await self._database.write(work)

    async def waiting(self, limit: int) -> list[EdgeTaskRun]:
        sql = "SELECT seq, run FROM task_run WHERE state = ? ORDER BY seq LIMIT ?"
        return [_run(*row) for row in await self._database.read(sql, (RunState.WAITING, limit))]

    async def newest(self) -> list[EdgeTaskRun]:
        sql = "SELECT seq, run FROM task_run WHERE seq IN (SELECT max(seq) FROM task_run GROUP BY task)"
        return [_run(*row) for row in await self._database.read(sql)]

    async def dropped(self) -> int:
        return int((await self._database.read("SELECT runs FROM task_run_dropped"))[0][0])

    async def acknowledged(self, seqs: Sequence[int]) -> None:
        def work(connection: sqlite3.Connection) -> None:
            sql = "UPDATE task_run SET state = ? WHERE seq = ?"
            connection.executemany(sql, [(RunState.HELD, seq) for seq in seqs])
            connection.execute(
                "DELETE FROM task_run WHERE state = ?"
                " AND seq NOT IN (SELECT max(seq) FROM task_run GROUP BY task)",
                (RunState.HELD,),
            )

        await self._database.write(work, durable=False)


def _run(seq: int, run: bytes) -> EdgeTaskRun:
    return msgspec.structs.replace(msgspec.json.decode(run, type=EdgeTaskRun), seq=seq)


def _drop(connection: sqlite3.Connection) -> None:
    """Of more than MAX_WAITING_RUNS that wait the oldest go."""
    sql = "DELETE FROM task_run WHERE seq IN (SELECT seq FROM task_run WHERE state = ? ORDER BY seq DESC"
    count = connection.execute(f"{sql} LIMIT -1 OFFSET ?)", (RunState.WAITING, MAX_WAITING_RUNS)).rowcount
    if count:
        connection.execute("UPDATE task_run_dropped SET runs = runs + ?", (count,))
