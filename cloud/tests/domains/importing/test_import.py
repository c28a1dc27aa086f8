"""An import from its upload to its end, on a database; nothing or everything."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from cloud.core.xlsx import Cell, Column, Sheet, read_table, read_workbook, write_workbook
from cloud.domains.configuration.document import read, written
from cloud.domains.configuration.drafts import Drafts, Kept
from cloud.domains.deploy.configurations import ConfigurationService
from cloud.domains.devices.authentication import hash_of
from cloud.domains.devices.registry import Registry
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.importing.applying import TOLD_AT_ONCE, Applier
from cloud.domains.importing.exporting import EXPORT, ExportService
from cloud.domains.importing.previewing import Previewer
from cloud.domains.importing.removal import Removals
from cloud.domains.importing.schemas import ApplyBody, ExportBody, ImportState, PreviewBody, SheetMapping
from cloud.domains.importing.service import APPLY, PREVIEW, ImportService
from cloud.domains.inventory.models import Device
from cloud.domains.jobs.run import JobFailed, Run
from cloud.domains.jobs.service import JobService
from cloud.domains.jobs.states import Lane
from cloud.errors import CloudError, Conflict, NotFound, ParameterError, Unavailable
from cloud.link import LinkDown
from edge_contract.deployment import ConfigurationReport, Document, Origin, document_hash

from ...conftest import Rooms
from ..tenants import tree

SQLITE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
DEVICES = ["网关编号", "设备名称"]
POINTS = ["网关编号", "从机标识", "标识", "寄存器类型", "寄存器地址"]
PORT: dict[str, Any] = {"name": "lan", "type": "NET", "host": "10.0.0.1"}
SLAVE: dict[str, Any] = {"name": "plc", "port": "lan", "protocol": "modbus_tcp", "address": "1"}


def book(**sheets: tuple[list[str], list[list[Cell]]]) -> bytes:
    file = io.BytesIO()
    write_workbook(file, [Sheet(n, [Column(h) for h in heads], rows) for n, (heads, rows) in sheets.items()])
    return file.getvalue()


def confirmed(state: ImportState, **more: Any) -> ApplyBody:
    return ApplyBody(preview="0" * 32 if state.preview is None else state.preview.id, **more)


@dataclass
class Desk:
    """The room around one database, with jobs that are run by hand."""

    rooms: Rooms
    folder: Path
    users: dict[str, CurrentUser]
    told: list[int] = field(default_factory=list)
    disabled: list[str] = field(default_factory=list)
    stubborn: set[str] = field(default_factory=set)
    noted: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        async def somebody(user_id: int) -> CurrentUser | None:
            return next((user for user in self.users.values() if user.id == user_id), None)

        self.jobs = JobService(
            self.rooms.database,
            self.folder / "exports",
            somebody,
            lambda user, piece: None,
            clock=self.rooms.clock,
        )
        self.removals = Removals(self.rooms.database, self._remove)
        self.imports = ImportService(
            self.folder / "imports", self.jobs, self.rooms.devices, self.removals, clock=self.rooms.clock
        )
        self.exports = ExportService(self.rooms.database, self.jobs, clock=self.rooms.clock)
        self.previewer = Previewer(self.rooms.database, self.imports.work_of, self.removals)
        self.applier = Applier(
            self.rooms.database, self.imports.work_of, self.rooms.presence, self._put, self._disable,
            self._changed, self.removals, clock=self.rooms.clock,
        )  # fmt: skip
        self.jobs.register(PREVIEW, self.previewer.run, needs="Device/save")
        self.jobs.register(APPLY, self.applier.run, needs="Device/save")

    async def _put(self, gateways: Mapping[str, str]) -> None:
        if self.rooms.link_down:
            raise LinkDown("broker is away")
        self.rooms.broker |= gateways

    async def _remove(self, user: CurrentUser, device_id: int) -> None:
        async with self.rooms.database.session() as session:
            device = await session.get(Device, device_id)
            assert device is not None
            if device.gateway_id in self.stubborn:
                raise Unavailable("the broker does not answer", reason="device.broker_away")
            await Registry(session, user).remove(device)
            await session.commit()

    async def _disable(self, gateway: str) -> None:
        self.disabled.append(gateway)

    async def _changed(self, device_id: int) -> None:
        self.told.append(device_id)

    def run(self, user: CurrentUser, parameters: Mapping[str, Any]) -> Run:
        async def progress(done: int, total: int) -> None:
            assert 0 <= done <= total

        async def note(summary: Mapping[str, Any]) -> None:
            self.noted.append(dict(summary))

        return Run(user, parameters, self.folder / "run", progress, note)

    async def preview(
        self,
        name: str,
        content: bytes,
        mode: str = "merge",
        *,
        only: int | None = None,
        remove: dict[str, Any] | None = None,
    ) -> ImportState:
        user = self.users[name]
        gateway = None if only is None else await self.imports.single(user, only)
        state = await self.imports.upload(user, content, "a.xlsx", gateway)
        sheets = [SheetMapping(kind=s.kind, fields=s.fields) for s in state.sheets]
        asked = {"sheets": [s.model_dump() for s in sheets], "mode": mode, "remove_devices": remove}
        job = await self.imports.preview(user, state.id, PreviewBody.model_validate(asked))
        await self.previewer.run(self.run(user, {"import_id": state.id, **asked}))
        await self.jobs.delete(user, job.id)
        return await self.imports.state(user, state.id)

    async def apply(
        self, name: str, state: ImportState, *, skip_wrong: bool = False, removed: int = 0
    ) -> dict[str, Any]:
        body = confirmed(state, skip_wrong=skip_wrong, remove_devices=removed)
        job = await self.imports.apply(self.users[name], state.id, body)
        run = self.run(self.users[name], {"import_id": state.id})
        try:
            return dict(await self.applier.run(run))
        finally:
            await self.jobs.delete(self.users[name], job.id)

    async def device(self, gateway: str) -> Device | None:
        async with self.rooms.database.reading() as session:
            found = await session.scalars(select(Device).where(Device.gateway_id == gateway))
            return found.one_or_none()

    async def document(self, gateway: str) -> dict[str, Any]:
        device = await self.device(gateway)
        assert device is not None
        async with self.rooms.database.reading() as session:
            _, text = await Drafts(session, self.users["platform-x"], 0).newest(device.id)
        return read(text or "{}")

    async def edit(self, gateway: str, *points: dict[str, Any]) -> None:
        """Somebody else's draft."""
        device = await self.device(gateway)
        assert device is not None
        document = {"gateway": {"id": gateway}, "ports": [PORT], "slaves": [SLAVE], "points": list(points)}
        async with self.rooms.database.session() as session:
            drafts = Drafts(session, self.users["platform-x"], 0)
            base, _ = await drafts.newest(device.id)
            await drafts.keep(device.id, Kept(document, written(document, gateway), base))
            await session.commit()


@pytest.fixture
async def desk(rooms: Rooms, tmp_path: Path) -> Desk:
    return Desk(rooms, tmp_path, await tree(rooms.database))


def whole(gateway: str = "gw-new", ratio: Cell = 0.5) -> bytes:
    return book(
        设备=(DEVICES, [[gateway, "New"]]),
        端口=(["SN", "name", "type", "ip"], [[gateway, "lan", "NET", "10.0.0.1"]]),
        slaves=(["SN", "name", "port", "protocol", "address"], [[gateway, "plc", "lan", "modbus_tcp", 1]]),
        points=(["SN", "slave", "dsName", "ratio", *POINTS[3:], "曲线颜色"],
                [[gateway, "plc", "t", ratio, "4X", 1, "#ff0000"], [gateway, "plc", "u", 1, "4X", 2, None]]),
    )  # fmt: skip


async def test_a_new_gateway_with_its_secret_and_back(desk: Desk) -> None:
    state = await desk.preview("factory-x", whole())
    preview = state.preview
    assert preview is not None and (preview.gateways, preview.new_devices) == (1, 1)
    assert {kind: counts.added for kind, counts in preview.counts.items()} == {
        "devices": 1, "ports": 1, "slaves": 1, "points": 2,
    }  # fmt: skip
    page = await desk.imports.rows(desk.users["factory-x"], state.id, "added", "points", 1, 1)
    assert (page.total, page.rows[0].key, page.rows[0].number) == (2, ["plc", "t"], 2)
    assert await desk.device("gw-new") is None
    assert await desk.apply("factory-x", state) == {"added": 1, "changed": 0, "drafts": 1}
    device = await desk.device("gw-new")
    assert device is not None and device.title == "New" and device.owner_id == desk.users["factory-x"].id
    (row,) = read_table((desk.folder / "run" / "gateway-secrets.xlsx").read_bytes(), "a.xlsx", 9).rows
    assert row[:2] == ["gw-new", "New"] and device.secret_hash == hash_of(str(row[2]))
    assert desk.rooms.broker["gw-new"] == row[2] and desk.told == [device.id]
    assert [point["name"] for point in (await desk.document("gw-new"))["points"]] == ["t", "u"]
    with pytest.raises(Conflict, match="done"):
        await desk.imports.apply(desk.users["factory-x"], state.id, confirmed(state))
    exported = await desk.exports.workbook(desk.users["factory-x"], ExportBody())
    for mode in ("merge", "replace"):
        again = (await desk.preview("factory-x", exported, mode)).preview
        assert again is not None and (again.gateways, again.unchanged) == (0, 5)
        assert all(not any(counts.model_dump().values()) for counts in again.counts.values())
    for bound, gateways in ((False, ["gw-new"]), (True, [])):
        found = await desk.exports.workbook(desk.users["factory-x"], ExportBody(bound=bound))
        assert [row[0] for row in read_workbook(found, "a.xlsx")[0].rows] == gateways


@SQLITE
async def test_wrong_rows_are_skipped_only_when_it_is_said(desk: Desk) -> None:
    state = await desk.preview("factory-x", whole(ratio="x"))
    with pytest.raises(Conflict) as found:
        await desk.imports.apply(desk.users["factory-x"], state.id, confirmed(state))
    assert found.value.reason == "import.wrong_rows"
    parts = await desk.imports.errors(desk.users["factory-x"], state.id, "en")
    (table,) = read_workbook(b"".join(parts), "e.xlsx")
    assert table.name == "points" and table.rows[0][:3] == ["Ratio: Must be a number", 2, "gw-new"]
    await desk.apply("factory-x", state, skip_wrong=True)
    assert [point["name"] for point in (await desk.document("gw-new"))["points"]] == ["u"]


async def test_a_draft_that_moved_leaves_everything_as_it_was(desk: Desk) -> None:
    await desk.apply("factory-x", await desk.preview("factory-x", whole()))
    both = book(
        devices=(DEVICES, [["gw-more", "More"], ["gw-new", "Renamed"]]),
        points=(["SN", "slave", "ds_name", "ratio"], [["gw-new", "plc", "t", 7]]),
    )
    state = await desk.preview("factory-x", both)
    await desk.edit("gw-new", {"slave": "plc", "name": "mine"})
    with pytest.raises(JobFailed) as found:
        await desk.apply("factory-x", state)
    assert (found.value.code, found.value.detail) == ("import.moved", "gw-new")
    device = await desk.device("gw-new")
    assert device is not None and device.title == "New" and await desk.device("gw-more") is None
    assert desk.disabled == ["gw-more"]
    assert [point["name"] for point in (await desk.document("gw-new"))["points"]] == ["mine"]


@SQLITE
async def test_a_draft_that_cannot_go_onto_what_runs_is_not_replaced(desk: Desk) -> None:
    async def nothing(_: int) -> None:
        return None

    await desk.apply("factory-x", await desk.preview("factory-x", whole()))
    clock = desk.rooms.clock
    configurations = ConfigurationService(
        desk.rooms.database, desk.rooms.devices, nothing, nothing, clock=clock
    )
    for ratio in (1, 2):  # what it was installed with, and an edit at its page
        document: Document = {"gateway": {"id": "gw-new"}, "ports": [PORT], "slaves": [SLAVE]}
        document["points"] = [{"slave": "plc", "name": "t", "ratio": ratio}]
        name = document_hash(document)
        report = ConfigurationReport(hash=name, origin=Origin.LOCAL, t_ms=1, document=document)
        clock.pass_s(60)
        await configurations.report("gw-new", report)
    before = await desk.document("gw-new")
    file = book(points=(["SN", "slave", "ds_name", "ratio"], [["gw-new", "plc", "u", 7]]))
    state = await desk.preview("factory-x", file)
    with pytest.raises(JobFailed) as found:
        await desk.apply("factory-x", state)
    assert (found.value.code, found.value.detail) == ("import.behind", "gw-new")
    assert await desk.document("gw-new") == before


@SQLITE
async def test_fields_that_somebody_changed_since_are_a_conflict(desk: Desk) -> None:
    await desk.apply("factory-x", await desk.preview("factory-x", whole()))
    state = await desk.preview("factory-x", book(devices=(DEVICES, [["gw-new", "Renamed"]])))
    async with desk.rooms.database.session() as session:
        (await session.scalars(select(Device).where(Device.gateway_id == "gw-new"))).one().title = "Other"
        await session.commit()
    with pytest.raises(JobFailed, match="gw-new"):
        await desk.apply("factory-x", state)


@SQLITE
async def test_a_broker_that_refuses_leaves_nothing(desk: Desk) -> None:
    state = await desk.preview("factory-x", whole())
    desk.rooms.link_down = True
    with pytest.raises(JobFailed) as found:
        await desk.apply("factory-x", state)
    assert found.value.code == "import.broker" and await desk.device("gw-new") is None
    assert desk.disabled == ["gw-new"]


@SQLITE
async def test_others_gateways_are_neither_seen_nor_made_again(desk: Desk) -> None:
    await desk.apply("factory-x", await desk.preview("factory-x", whole()))
    state = await desk.preview("factory-y", whole())
    page = await desk.imports.rows(desk.users["factory-y"], state.id, "", "", 1, 20)
    assert {row.kind for row in page.rows} == {"wrong"} and page.rows[0].cells[0].code == "claimed"
    assert all(cell.before is None for row in page.rows for cell in row.cells)
    assert (await desk.imports.state(desk.users["platform-x"], state.id)).id == state.id
    for name in ("factory-x", "person-x"):
        with pytest.raises(NotFound):
            await desk.imports.state(desk.users[name], state.id)
    own = await desk.exports.workbook(desk.users["factory-y"], ExportBody())
    assert all(table.rows == [] for table in read_workbook(own, "a.xlsx"))


@SQLITE
async def test_mappings_are_checked(desk: Desk) -> None:
    user = desk.users["factory-x"]
    state = await desk.imports.upload(user, book(points=(POINTS, [["a"]])), "a.xlsx")
    assert (state.sheets[0].kind, state.sheets[0].rows, state.sheets[0].sample) == ("points", 1, [["a"]])
    good = state.sheets[0].fields
    for sheets in (
        [],
        [SheetMapping(kind=None, fields=good)],
        [SheetMapping(kind="points", fields=[None, *good[1:]])],
        [SheetMapping(kind="points", fields=[*good[:4], "nothing"])],
        [SheetMapping(kind="points", fields=[*good, "unit"])],
        [SheetMapping(kind="points", fields=[good[0], good[0]])],
    ):
        with pytest.raises(ParameterError):
            await desk.imports.preview(user, state.id, PreviewBody(sheets=sheets))
    with pytest.raises(CloudError, match="no preview"):
        await desk.imports.apply(user, state.id, confirmed(state))
    with pytest.raises(ParameterError) as found:
        await desk.imports.upload(user, b"a,b", "a.csv")
    assert found.value.reason == "xlsx.form"


@SQLITE
async def test_trouble_after_the_commit_keeps_no_secret_back(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = await desk.preview("factory-x", whole())

    async def broken(device: object) -> None:
        raise ConnectionError("away")

    def full(values: object) -> None:
        raise OSError("no space left")

    work = desk.imports.work_of(state.id)
    monkeypatch.setattr(work, "note", full)
    monkeypatch.setattr(desk.applier, "_work_of", lambda import_id: work)
    monkeypatch.setattr(desk.applier, "_changed", broken)
    monkeypatch.setattr(desk.rooms.presence, "changed", broken)
    first = desk.run(desk.users["factory-x"], {"import_id": state.id})
    done = await desk.applier.run(first)
    assert (done["added"], first.path.is_file(), desk.disabled) == (1, True, [])
    monkeypatch.undo()
    again = desk.run(desk.users["factory-x"], {"import_id": state.id})
    again.attempt = 2  # as after a cut before it was noted
    assert (await desk.applier.run(again), again.file_name) == (done, first.file_name)
    assert (await desk.imports.state(desk.users["factory-x"], state.id)).applied
    (row,) = read_table(again.path.read_bytes(), "a.xlsx", 9).rows
    device = await desk.device("gw-new")
    assert device is not None and device.secret_hash == hash_of(str(row[2]))


@SQLITE
async def test_a_gateway_that_is_claimed_meanwhile_keeps_its_secret(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows: list[list[Cell]] = [[f"gw-{number}", "x"] for number in range(TOLD_AT_ONCE + 1)]
    state = await desk.preview("factory-x", book(devices=(DEVICES, rows)))
    last, put = f"gw-{TOLD_AT_ONCE}", desk.applier._put_gateways

    async def slow(gateways: Mapping[str, str]) -> None:
        await put(gateways)
        if await desk.device(last) is None:
            await desk.rooms.claims.claim(last, "y", owner="factory-y")

    monkeypatch.setattr(desk.applier, "_put_gateways", slow)
    with pytest.raises(JobFailed) as found:
        await desk.apply("factory-x", state)
    assert (found.value.code, found.value.detail) == ("import.moved", last)
    device = await desk.device(last)
    assert device is not None and device.secret_hash == hash_of(desk.rooms.broker[last])
    assert len(desk.disabled) == TOLD_AT_ONCE


@SQLITE
async def test_a_job_of_an_export_has_its_title_and_day_as_the_name_of_its_file(desk: Desk) -> None:
    desk.jobs.register(EXPORT, desk.exports.run, needs="DeviceManage")
    job = await desk.exports.ask(desk.users["factory-x"], ExportBody(language="zh"))
    assert await desk.jobs.runner.step(Lane.WORK)
    made = await desk.jobs.detail(desk.users["factory-x"], job.id)
    assert re.fullmatch(r"设备配置 \d{4}-\d\d-\d\d\.xlsx", made.file_name) and made.title == made.file_name


async def test_a_direct_export_has_a_bound_of_rows(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    await desk.apply("factory-x", await desk.preview("factory-x", whole()))
    monkeypatch.setattr("cloud.domains.importing.exporting.MOST_DIRECT_ROWS", 4)
    with pytest.raises(Conflict) as found:
        await desk.exports.workbook(desk.users["factory-x"], ExportBody())
    assert (found.value.reason, found.value.arguments) == ("export.too_many", {"most": 4})
