"""An import from its upload to its end, on a database; nothing or everything."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from sqlalchemy import select

from cloud.core.xlsx import Cell, read_table, read_workbook
from cloud.domains.deploy.configurations import ConfigurationService
from cloud.domains.devices.authentication import hash_of
from cloud.domains.importing.applying import GATEWAYS_A_MESSAGE
from cloud.domains.importing.exporting import EXPORT
from cloud.domains.importing.schemas import ExportBody, PreviewImportBody, SheetMapping
from cloud.domains.inventory.models import Device
from cloud.domains.jobs.run import JobFailed
from cloud.domains.jobs.states import JobQueue
from cloud.errors import CloudError, Conflict, NotFound, ParameterError
from edge_contract.deployment import ConfigurationReport, Document, Origin, document_hash

from .conftest import DEVICES, POINTS, PORT, SLAVE, ImportServices, book, confirmed, whole

SQLITE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


async def test_a_new_gateway_with_its_secret_and_back(importing: ImportServices) -> None:
    state = await importing.preview("factory-x", whole())
    preview = state.preview
    assert preview is not None and (preview.gateways, preview.new_devices) == (1, 1)
    assert {kind: counts.added for kind, counts in preview.counts.items()} == {
        "devices": 1, "ports": 1, "slaves": 1, "points": 2,
    }  # fmt: skip
    page = await importing.imports.rows(importing.users["factory-x"], state.id, "added", "points", 1, 1)
    assert (page.total, page.rows[0].key, page.rows[0].number) == (2, ["plc", "t"], 2)
    assert await importing.device("gw-new") is None
    assert await importing.apply("factory-x", state) == {"added": 1, "changed": 0, "drafts": 1}
    device = await importing.device("gw-new")
    assert device is not None and device.title == "New" and device.owner_id == importing.users["factory-x"].id
    (row,) = read_table((importing.folder / "run" / "gateway-secrets.xlsx").read_bytes(), "a.xlsx", 9).rows
    assert row[:2] == ["gw-new", "New"] and device.secret_hash == hash_of(str(row[2]))
    assert importing.services.broker["gw-new"] == row[2] and importing.told == [device.id]
    assert [point["name"] for point in (await importing.document("gw-new"))["points"]] == ["t", "u"]
    with pytest.raises(Conflict, match="done"):
        await importing.imports.apply(importing.users["factory-x"], state.id, confirmed(state))
    exported = await importing.exports.workbook(importing.users["factory-x"], ExportBody())
    for mode in ("merge", "replace"):
        again = (await importing.preview("factory-x", exported, mode)).preview
        assert again is not None and (again.gateways, again.unchanged) == (0, 5)
        assert all(not any(counts.model_dump().values()) for counts in again.counts.values())
    for bound, gateways in ((False, ["gw-new"]), (True, [])):
        found = await importing.exports.workbook(importing.users["factory-x"], ExportBody(bound=bound))
        assert [row[0] for row in read_workbook(found, "a.xlsx")[0].rows] == gateways


@SQLITE
async def test_wrong_rows_are_skipped_only_when_it_is_said(importing: ImportServices) -> None:
    state = await importing.preview("factory-x", whole(ratio="x"))
    with pytest.raises(Conflict) as found:
        await importing.imports.apply(importing.users["factory-x"], state.id, confirmed(state))
    assert found.value.reason == "import.wrong_rows"
    parts = await importing.imports.errors(importing.users["factory-x"], state.id, "en")
    (table,) = read_workbook(b"".join(parts), "e.xlsx")
    assert table.name == "points" and table.rows[0][:3] == ["Ratio: Must be a number", 2, "gw-new"]
    await importing.apply("factory-x", state, skip_wrong=True)
    assert [point["name"] for point in (await importing.document("gw-new"))["points"]] == ["u"]


async def test_a_draft_that_moved_leaves_everything_as_it_was(importing: ImportServices) -> None:
    await importing.apply("factory-x", await importing.preview("factory-x", whole()))
    both = book(
        devices=(DEVICES, [["gw-more", "More"], ["gw-new", "Renamed"]]),
        points=(["SN", "slave", "ds_name", "ratio"], [["gw-new", "plc", "t", 7]]),
    )
    state = await importing.preview("factory-x", both)
    await importing.edit("gw-new", {"slave": "plc", "name": "mine"})
    with pytest.raises(JobFailed) as found:
        await importing.apply("factory-x", state)
    assert (found.value.code, found.value.detail) == ("import.moved", "gw-new")
    device = await importing.device("gw-new")
    assert device is not None and device.title == "New" and await importing.device("gw-more") is None
    assert importing.disabled == ["gw-more"]
    assert [point["name"] for point in (await importing.document("gw-new"))["points"]] == ["mine"]


@SQLITE
async def test_a_draft_that_cannot_go_onto_what_runs_is_not_replaced(importing: ImportServices) -> None:
    async def nothing(_: int) -> None:
        return None

    await importing.apply("factory-x", await importing.preview("factory-x", whole()))
    clock = importing.services.clock
    configurations = ConfigurationService(
        importing.services.database, importing.services.devices, nothing, nothing, clock=clock
    )
    for ratio in (1, 2):  # what it was installed with, and an edit at its page
        document: Document = {"gateway": {"id": "gw-new"}, "ports": [PORT], "slaves": [SLAVE]}
        document["points"] = [{"slave": "plc", "name": "t", "ratio": ratio}]
        name = document_hash(document)
        report = ConfigurationReport(hash=name, origin=Origin.LOCAL, t_ms=1, document=document)
        clock.pass_s(60)
        await configurations.report("gw-new", report)
    before = await importing.document("gw-new")
    file = book(points=(["SN", "slave", "ds_name", "ratio"], [["gw-new", "plc", "u", 7]]))
    state = await importing.preview("factory-x", file)
    with pytest.raises(JobFailed) as found:
        await importing.apply("factory-x", state)
    assert (found.value.code, found.value.detail) == ("import.behind", "gw-new")
    assert await importing.document("gw-new") == before


@SQLITE
async def test_fields_that_somebody_changed_since_are_a_conflict(importing: ImportServices) -> None:
    await importing.apply("factory-x", await importing.preview("factory-x", whole()))
    state = await importing.preview("factory-x", book(devices=(DEVICES, [["gw-new", "Renamed"]])))
    async with importing.services.database.session() as session:
        (await session.scalars(select(Device).where(Device.gateway_id == "gw-new"))).one().title = "Other"
        await session.commit()
    with pytest.raises(JobFailed, match="gw-new"):
        await importing.apply("factory-x", state)


@SQLITE
async def test_a_broker_that_refuses_leaves_nothing(importing: ImportServices) -> None:
    state = await importing.preview("factory-x", whole())
    importing.services.link_down = True
    with pytest.raises(JobFailed) as found:
        await importing.apply("factory-x", state)
    assert found.value.code == "import.broker" and await importing.device("gw-new") is None
    assert importing.disabled == ["gw-new"]


@SQLITE
async def test_others_gateways_are_neither_seen_nor_made_again(importing: ImportServices) -> None:
    await importing.apply("factory-x", await importing.preview("factory-x", whole()))
    state = await importing.preview("factory-y", whole())
    page = await importing.imports.rows(importing.users["factory-y"], state.id, "", "", 1, 20)
    assert {row.kind for row in page.rows} == {"wrong"} and page.rows[0].cells[0].code == "claimed"
    assert all(cell.before is None for row in page.rows for cell in row.cells)
    assert (await importing.imports.state(importing.users["platform-x"], state.id)).id == state.id
    for name in ("factory-x", "person-x"):
        with pytest.raises(NotFound):
            await importing.imports.state(importing.users[name], state.id)
    own = await importing.exports.workbook(importing.users["factory-y"], ExportBody())
    assert all(table.rows == [] for table in read_workbook(own, "a.xlsx"))


@SQLITE
async def test_mappings_are_checked(importing: ImportServices) -> None:
    user = importing.users["factory-x"]
    state = await importing.imports.upload(user, book(points=(POINTS, [["a"]])), "a.xlsx")
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
            await importing.imports.preview(user, state.id, PreviewImportBody(sheets=sheets))
    with pytest.raises(CloudError, match="no preview"):
        await importing.imports.apply(user, state.id, confirmed(state))
    with pytest.raises(ParameterError) as found:
        await importing.imports.upload(user, b"a,b", "a.csv")
    assert found.value.reason == "xlsx.form"


@SQLITE
async def test_trouble_after_the_commit_keeps_no_secret_back(
    importing: ImportServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = await importing.preview("factory-x", whole())

    async def broken(device: object) -> None:
        raise ConnectionError("away")

    def full(values: object) -> None:
        raise OSError("no space left")

    work = importing.imports.work_of(state.id)
    monkeypatch.setattr(work, "note", full)
    monkeypatch.setattr(importing.applier, "_work_of", lambda import_id: work)
    monkeypatch.setattr(importing.applier, "_changed", broken)
    monkeypatch.setattr(importing.services.presence, "changed", broken)
    first = importing.run(importing.users["factory-x"], {"import_id": state.id})
    done = await importing.applier.run(first)
    assert (done["added"], first.path.is_file(), importing.disabled) == (1, True, [])
    monkeypatch.undo()
    again = importing.run(importing.users["factory-x"], {"import_id": state.id})
    again.attempt = 2  # as after a cut before it was noted
    assert (await importing.applier.run(again), again.file_name) == (done, first.file_name)
    assert (await importing.imports.state(importing.users["factory-x"], state.id)).applied
    (row,) = read_table(again.path.read_bytes(), "a.xlsx", 9).rows
    device = await importing.device("gw-new")
    assert device is not None and device.secret_hash == hash_of(str(row[2]))


@SQLITE
async def test_a_gateway_that_is_claimed_meanwhile_keeps_its_secret(
    importing: ImportServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows: list[list[Cell]] = [[f"gw-{number}", "x"] for number in range(GATEWAYS_A_MESSAGE + 1)]
    state = await importing.preview("factory-x", book(devices=(DEVICES, rows)))
    last, put = f"gw-{GATEWAYS_A_MESSAGE}", importing.applier._put_gateways

    async def slow(gateways: Mapping[str, str]) -> None:
        await put(gateways)
        if await importing.device(last) is None:
            await importing.services.claims.claim(last, "y", owner="factory-y")

    monkeypatch.setattr(importing.applier, "_put_gateways", slow)
    with pytest.raises(JobFailed) as found:
        await importing.apply("factory-x", state)
    assert (found.value.code, found.value.detail) == ("import.moved", last)
    device = await importing.device(last)
    assert device is not None and device.secret_hash == hash_of(importing.services.broker[last])
    assert len(importing.disabled) == GATEWAYS_A_MESSAGE


@SQLITE
async def test_a_job_of_an_export_has_its_title_and_day_as_the_name_of_its_file(
    importing: ImportServices,
) -> None:
    importing.jobs.register(EXPORT, importing.exports.run, needs="DeviceManage")
    job = await importing.exports.ask(importing.users["factory-x"], ExportBody(language="zh"))
    assert await importing.jobs.runner.step(JobQueue.WORK)
    made = await importing.jobs.detail(importing.users["factory-x"], job.id)
    assert re.fullmatch(r"设备配置 \d{4}-\d\d-\d\d\.xlsx", made.file_name) and made.title == made.file_name


async def test_a_direct_export_has_a_bound_of_rows(
    importing: ImportServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    await importing.apply("factory-x", await importing.preview("factory-x", whole()))
    monkeypatch.setattr("cloud.domains.importing.exporting.MAX_DIRECT_ROWS", 4)
    with pytest.raises(Conflict) as found:
        await importing.exports.workbook(importing.users["factory-x"], ExportBody())
    assert (found.value.reason, found.value.arguments) == ("export.too_many", {"most": 4})
