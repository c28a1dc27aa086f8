"""A workbook of a thousand gateways with fifty thousand points: read, compared, imported, exported."""

from __future__ import annotations

import asyncio
import io
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

GATEWAYS = 1000
POINTS = 50
"""Of each gateway, all on one slave."""

TICK_S = 0.002
WRITE_INTERVAL_S = 0.02
"""Between two small writes, as the ingest buffer makes them."""

ROOT = Path(__file__).resolve().parents[2]


TEMPLATE = "Boiler house"


def importing() -> dict[str, float | int]:
    """1,000 new gateways with 50,000 points from one .xlsx into SQLite, beside small urgent writes: point by
    point, and by the name of a gateway template.
    """
    figures = _measured()
    return figures | {f"template_{name}": value for name, value in _measured("template").items()}


def _measured(*arguments: str) -> dict[str, float | int]:
    command = [sys.executable, "-m", "benchmarks.importing", *arguments]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "scripts"), str(ROOT / "cloud")])}
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    figures: dict[str, float | int] = json.loads(done.stdout.splitlines()[-1])
    return figures


class Watch:
    """Memory of this process and its children, sampled; how long the loop and a small write waited."""

    def __init__(self) -> None:
        import psutil

        self._process = psutil.Process()
        self._ended = threading.Event()
        self.idle_mb = self._now_mb()
        self.peak_mb = 0.0
        self.longest_block_s = 0.0
        self.longest_write_s = 0.0

    def _now_mb(self) -> float:
        """Of this process; the reader of the file is one of its own for a second."""
        own: float = self._process.memory_info().rss / 1e6
        return own

    def _sample(self) -> None:
        while not self._ended.wait(0.01):
            self.peak_mb = max(self.peak_mb, self._now_mb())

    @contextmanager
    def memory(self) -> Iterator[None]:
        thread = threading.Thread(target=self._sample, daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._ended.set()
            thread.join()

    async def loop(self) -> None:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(TICK_S)
            self.longest_block_s = max(self.longest_block_s, time.perf_counter() - began - TICK_S)

    async def land(self, database: Any) -> None:
        from sqlalchemy import text

        while True:
            began = time.perf_counter()
            async with database.session(urgent=True) as session:
                await session.execute(text("UPDATE device SET backlog_batches = 0 WHERE id = 0"))
                await session.commit()
            self.longest_write_s = max(self.longest_write_s, time.perf_counter() - began)
            await asyncio.sleep(WRITE_INTERVAL_S)


def template() -> dict[str, Any]:
    """The document of the gateway template that has what the rows of `workbook` say."""
    point = {
        "slave": "plc", "data_type": "uint16", "unit": "°C", "ratio": 0.1, "decimals": 2, "record": 1,
        "min": 0.0, "max": 100.5,
    }  # fmt: skip
    return {
        "ports": [{"name": "lan", "type": "NET", "host": "10.0.0.1"}],
        "slaves": [{"name": "plc", "port": "lan", "protocol": "modbus_tcp", "address": "1"}],
        "points": [
            {**point, "name": f"p{n}", "title": f"温度 {n}", "address": {"reg_type": "4X", "offset": n}}
            for n in range(POINTS)
        ],
    }


def short_workbook() -> bytes:
    """Gateways alone, each with the name of the template."""
    from cloud.core.xlsx import Sheet, write_workbook

    names = [f"gw-{n:05}" for n in range(GATEWAYS)]
    rows = ([name, f"设备 {name}", TEMPLATE] for name in names)
    file = io.BytesIO()
    columns = _columns("gateway_id", "device_title", "gateway_template_id")
    write_workbook(file, [Sheet("devices", columns, rows)])
    return file.getvalue()


def workbook() -> bytes:
    from cloud.core.xlsx import Column, Sheet, write_workbook

    names = [f"gw-{n:05}" for n in range(GATEWAYS)]
    heads = [
        "gateway_id",
        "slave",
        "ds_name",
        "ds_title",
        "data_type",
        "unit",
        "regtype",
        "addroffset",
        "ratio",
    ]
    heads += ["tofixed", "record", "min", "max", "line_color"]
    points = (
        [name, "plc", f"p{n}", f"温度 {n}", "uint16", "°C", "4X", n, 0.1, 2, 1, 0.0, 100.5, None]
        for name in names
        for n in range(POINTS)
    )
    slaves = ([name, "plc", "lan", "modbus_tcp", "1"] for name in names)
    sheets = [
        Sheet("devices", _columns("gateway_id", "device_title"), ([name, f"设备 {name}"] for name in names)),
        Sheet(
            "ports",
            _columns("gateway_id", "name", "type", "ip"),
            ([n, "lan", "NET", "10.0.0.1"] for n in names),
        ),
        Sheet("slaves", _columns("gateway_id", "name", "port", "protocol", "address"), slaves),
        Sheet("points", [Column(head) for head in heads], points),
    ]
    file = io.BytesIO()
    write_workbook(file, sheets)
    return file.getvalue()


def _columns(*names: str) -> list[Any]:
    from cloud.core.xlsx import Column

    return [Column(name) for name in names]


async def measure(folder: Path, *, by_template: bool = False) -> dict[str, float | int]:
    from cloud import migrations
    from cloud.core.scope import Scope
    from cloud.db import Database
    from cloud.domains.devices.presence import PresenceService
    from cloud.domains.devices.service import DeviceService
    from cloud.domains.identity.models import User
    from cloud.domains.identity.permissions import of_type
    from cloud.domains.identity.schemas import CurrentUser
    from cloud.domains.importing.applying import Applier
    from cloud.domains.importing.exporting import ExportService
    from cloud.domains.importing.previewing import Previewer
    from cloud.domains.importing.removal import Removals
    from cloud.domains.importing.schemas import ApplyImportBody, ExportBody, PreviewImportBody, SheetMapping
    from cloud.domains.importing.service import APPLY, PREVIEW, ImportService
    from cloud.domains.jobs.run import Run
    from cloud.domains.jobs.service import JobService
    from cloud.domains.templates.schemas import CreateTemplate
    from cloud.domains.templates.service import TemplateService

    async def nobody(*about: object) -> None:
        """Nobody listens."""

    async def no_streams(gateway: str) -> list[Any]:
        return []

    async def no_user(user_id: int) -> None:
        """No job is run by itself."""

    def run(parameters: Mapping[str, Any]) -> Run:
        return Run(user, parameters, folder / "run", nobody, nobody)

    url = f"sqlite+aiosqlite:///{folder / 'cloud.sqlite'}"
    await asyncio.to_thread(migrations.upgrade, url)
    database = Database(url)
    async with database.session() as session:
        session.add(User(id=1, user_name="admin", password_hash="", user_type=0, path="/1/", created_ms=0))
        await session.commit()
    user = CurrentUser(1, "admin", 0, of_type(0), "", Scope.system())
    jobs = JobService(database, folder / "exports", no_user, lambda *about: None)
    presence = PresenceService(database, nobody, nobody)
    removals = Removals(database, nobody)
    imports = ImportService(folder / "imports", jobs, DeviceService(database, presence, no_streams), removals)
    previewer = Previewer(database, imports.work_of, removals)
    applier = Applier(database, imports.work_of, presence, nobody, nobody, nobody, removals, nobody)
    exports = ExportService(database, jobs)
    jobs.register(PREVIEW, previewer.run, needs="Device/save")
    jobs.register(APPLY, applier.run, needs="Device/save")
    if by_template:
        body = CreateTemplate(category="gateway", title=TEMPLATE)
        await TemplateService(database).create(user, body, template())
    content = await asyncio.to_thread(short_workbook if by_template else workbook)
    figures: dict[str, float | int] = {
        "gateways": GATEWAYS,
        "points": GATEWAYS * POINTS,
        "file_mb": len(content) / 1e6,
    }
    watch = Watch()
    beside = [asyncio.create_task(watch.loop()), asyncio.create_task(watch.land(database))]
    with watch.memory():
        began = time.perf_counter()

        def lap(name: str) -> None:
            nonlocal began
            figures[f"{name}_s"] = time.perf_counter() - began
            figures[f"{name}_longest_block_ms"] = watch.longest_block_s * 1000
            figures[f"{name}_longest_write_ms"] = watch.longest_write_s * 1000
            watch.longest_block_s = watch.longest_write_s = 0.0
            began = time.perf_counter()

        async def preview() -> Mapping[str, Any]:
            sheets = [
                SheetMapping(kind=sheet.kind, fields=sheet.fields).model_dump() for sheet in state.sheets
            ]
            body = PreviewImportBody.model_validate({"sheets": sheets, "mode": "merge"})
            await jobs.delete(user, (await imports.preview(user, state.id, body)).id)
            return await previewer.run(run({"import_id": state.id, "sheets": sheets, "mode": "merge"}))

        state = await imports.upload(user, content, "points.xlsx")
        lap("read")
        figures["added_rows"] = sum(counts["added"] for counts in (await preview())["counts"].values())
        lap("compare")
        seen = (await imports.state(user, state.id)).preview
        assert seen is not None
        await imports.apply(user, state.id, ApplyImportBody(preview=seen.id))
        await applier.run(run({"import_id": state.id}))
        lap("apply")
        figures["import_s"] = sum(float(figures[f"{name}_s"]) for name in ("read", "compare", "apply"))
        figures["peak_above_idle_mb"] = watch.peak_mb - watch.idle_mb
        (folder / "run" / "gateway-secrets.xlsx").unlink()
        exporting = Run(user, ExportBody().model_dump(), folder / "export", nobody, nobody)
        await exports.run(exporting)
        lap("export")
        written = await asyncio.to_thread(exporting.path.read_bytes)
        state = await imports.upload(user, written, "again.xlsx")
        again = await preview()
        lap("read_and_compare_again")
        figures["changes_of_its_own_export"] = int(again["gateways"])
    for task in beside:
        task.cancel()
    await asyncio.gather(*beside, return_exceptions=True)
    await database.close()
    return figures


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        figures = asyncio.run(measure(Path(folder), by_template="template" in sys.argv[1:]))
        print(json.dumps(figures))


if __name__ == "__main__":
    main()
