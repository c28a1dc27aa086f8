"""Gateways of a workbook that get their ports, slaves and points from a gateway template."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from sqlalchemy import update

from cloud.core.xlsx import Cell, read_workbook
from cloud.domains.configuration.document import written
from cloud.domains.configuration.drafts import Drafts, NewDraft
from cloud.domains.importing import previewing
from cloud.domains.importing.schemas import ExportBody, ImportState
from cloud.domains.inventory.models import Device, DeviceShare
from cloud.domains.jobs.run import JobFailed
from cloud.domains.templates.schemas import CreateTemplate, Detach, SaveVersion
from cloud.domains.templates.services import TemplateServices, template_services

from .conftest import ImportServices, book

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

DEVICES = ["序列号", "设备名称", "网关模板"]
POINTS = ["序列号", "从机标识", "标识", "ratio", "寄存器类型", "寄存器地址"]
MINE = "factory-x"


def meters(*names: str, unit: str = "V", address: str = "1") -> dict[str, Any]:
    """A gateway template with a port, a slave and these points."""
    return {
        "ports": [{"name": "lan", "type": "NET", "host": "10.0.0.1"}],
        "slaves": [{"name": "plc", "port": "lan", "protocol": "modbus_tcp", "address": address}],
        "points": [
            {"slave": "plc", "name": n, "unit": unit, "address": {"reg_type": "4X", "offset": at}}
            for at, n in enumerate(names)
        ],
    }


class Shop:
    """The import services with templates: Meter, in the group House, and Pump."""

    def __init__(self, importing: ImportServices) -> None:
        self.importing = importing
        self.services: TemplateServices = template_services(
            importing.services.database,
            importing.services.devices,
            importing.jobs,
            importing._changed,
            clock=importing.services.clock,
        )
        self.meter = self.pump = 0

    async def stock(self) -> Shop:
        group = await self.make("House", kind="group")
        points = {"points": [{"name": "w", "address": {"reg_type": "4X", "offset": 9}}]}
        counter = await self.make("Counter", points, category="point", protocol="modbus_tcp")
        content = meters("a", "b")
        content["slaves"].append({"name": "sum", "port": "lan", "protocol": "modbus_tcp", "address": "2"})
        content["templates"] = {"sum": {"template_id": counter, "version": 1}}
        self.meter = await self.make("Meter", content, parent_id=group)
        self.pump = await self.make("Pump", meters("b", "p", unit="bar"))
        return self

    async def make(self, title: str, content: Any = None, user: str = MINE, **words: Any) -> int:
        body = CreateTemplate(**{"category": "gateway", "title": title, **words})
        return (await self.services.tree.create(self.importing.users[user], body, content)).template_id

    async def number(self, gateway: str) -> int:
        device = await self.importing.device(gateway)
        assert device is not None
        return device.id

    async def links(self, gateway: str) -> dict[str, tuple[int, int]]:
        found = await self.services.using.links(self.importing.users[MINE].scope, await self.number(gateway))
        return {each.slave: (each.template_id, each.version) for each in found}

    async def overrides(self, gateway: str) -> list[tuple[str, str, Any]]:
        user, number = self.importing.users[MINE], await self.number(gateway)
        page = await self.services.using.overrides(user, number, "", 1, 20)
        return [(each.row, each.field, each.own_value) for each in page.rows]

    async def take(self, content: bytes, mode: str = "merge") -> ImportState:
        """Previewed and applied."""
        state = await self.importing.preview(MINE, content, mode)
        await self.importing.apply(MINE, state)
        return state

    async def exported(self, user: str = MINE) -> bytes:
        return await self.importing.exports.workbook(self.importing.users[user], ExportBody())

    async def cells(self, user: str, content: bytes, mode: str = "merge") -> dict[str, str]:
        """What is wrong, by sheet and field."""
        state = await self.importing.preview(user, content, mode)
        page = await self.importing.imports.rows(self.importing.users[user], state.id, "wrong", "", 1, 50)
        return {
            f"{row.sheet}.{cell.field}": cell.code for row in page.rows for cell in row.cells if cell.code
        }


@pytest.fixture
async def shop(importing: ImportServices) -> Shop:
    return await Shop(importing).stock()


def file(*devices: list[Cell], points: Mapping[str, Cell] | None = None, slave: Cell = None) -> bytes:
    """slave: address of plc in the first gateway; points: ratio of some of its points, own is a new one."""
    gateway = devices[0][0]
    rows = [
        [gateway, "plc", name, ratio, *(["4X", 50] if name == "own" else [None, None])]
        for name, ratio in (points or {}).items()
    ]
    return book(
        设备=(DEVICES, list(devices)),
        端口=(["SN", "name"], []),
        从机=(["SN", "name", "address"], [[gateway, "plc", slave]] if slave else []),
        数据点=(POINTS, rows),
    )


def changes(state: ImportState, *, by_template: bool = False) -> dict[str, dict[str, int]]:
    assert state.preview is not None
    found = state.preview.by_template if by_template else state.preview.counts
    told = {sheet: {k: n for k, n in counts.model_dump().items() if n} for sheet, counts in found.items()}
    return {sheet: counts for sheet, counts in told.items() if counts}


async def test_new_gateways_get_a_template_with_the_rows_of_the_file_over_it(shop: Shop) -> None:
    content = file(
        ["gw-1", "One", " house / METER"], ["gw-2", "Two", shop.meter], points={"a": 2, "own": 1}, slave="7"
    )
    state = await shop.importing.preview(MINE, content)
    assert changes(state, by_template=True) == {
        "ports": {"added": 2}, "slaves": {"added": 4}, "points": {"added": 6},
    }  # fmt: skip
    assert changes(state) == {
        "devices": {"added": 2}, "ports": {"added": 2}, "slaves": {"added": 4, "changed": 1},
        "points": {"added": 7, "changed": 1},
    }  # fmt: skip
    user = shop.importing.users[MINE]
    rows = (await shop.importing.imports.rows(user, state.id, "", "slaves", 1, 9)).rows
    assert [(r.kind, r.number, r.by_template) for r in rows][:3] == [
        ("added", 0, True), ("added", 0, True), ("changed", 2, False),
    ]  # fmt: skip
    assert [(c.field, c.before, c.after) for c in rows[2].cells] == [("address", "1", "7")]
    (device, _) = (await shop.importing.imports.rows(user, state.id, "", "devices", 1, 9)).rows
    assert [c.after for c in device.cells] == ["One", "House / Meter"]
    assert await shop.importing.apply(MINE, state) == {"added": 2, "changed": 0, "drafts": 2}
    uses = {"": (shop.meter, 1), "sum": (1 + shop.meter - 2, 1)}
    assert await shop.links("gw-1") == await shop.links("gw-2") == uses
    own = [("slaves.plc", "address", "7"), ("points.plc.a", "ratio", 2)]
    assert await shop.overrides("gw-1") == own and await shop.overrides("gw-2") == []
    names = [row["name"] for row in (await shop.importing.document("gw-1"))["points"]]
    assert names == ["a", "b", "own", "w"]
    exported = await shop.exported()
    assert [row[5] for row in read_workbook(exported, "a.xlsx")[0].rows] == ["House / Meter"] * 2
    await shop.services.tree.save(user, shop.meter, SaveVersion(document=meters("a"), base=1))
    for mode in ("merge", "replace"):  # a newer version is nothing that the file says
        again = (await shop.importing.preview(MINE, exported, mode)).preview
        assert again is not None and (again.gateways, again.unchanged) == (0, 15)


async def test_an_export_into_emptiness_is_the_template_and_its_overrides(shop: Shop) -> None:
    await shop.take(file(["gw-1", "One", "Meter"], points={"a": 2, "own": 1}))
    before = await shop.importing.document("gw-1")
    exported = await shop.exported()
    await shop.importing._remove(shop.importing.users[MINE], await shop.number("gw-1"))
    state = await shop.take(exported, "replace")
    assert changes(state)["points"] == {"added": 4, "changed": 1}
    assert await shop.importing.document("gw-1") == before
    assert await shop.overrides("gw-1") == [("points.plc.a", "ratio", 2)]


async def test_what_a_gateway_has_stays_or_goes_with_its_template(shop: Shop) -> None:
    await shop.take(file(["gw-1", "One", "Meter"], points={"b": 2, "own": 1}))
    for mode in ("merge", "replace"):  # an empty cell says nothing; the rows count in a replacement
        left = await shop.importing.preview(MINE, book(设备=(DEVICES, [["gw-1", "One", None]])), mode)
        assert changes(left) == {}
    plain = await shop.importing.preview(MINE, file(["gw-1", "One", None]), "replace")
    assert changes(plain)["points"] == {"removed": 4}
    kept = await shop.importing.preview(MINE, file(["gw-1", "One", "Meter"]), "replace")
    assert changes(kept) == {"points": {"removed": 1}}  # what the template brings is listed by its name
    state = await shop.importing.preview(MINE, file(["gw-1", "One", "Pump"]))
    assert changes(state, by_template=True) == {
        "slaves": {"removed": 1}, "points": {"added": 1, "changed": 1, "removed": 2},
    }  # fmt: skip
    page = await shop.importing.imports.rows(shop.importing.users[MINE], state.id, "changed", "", 1, 9)
    told = [(c.field, c.before, c.after) for row in page.rows for c in row.cells]
    assert told[0] == ("gateway_template_id", "House / Meter", "Pump")
    assert ("unit", "V", "bar") in told
    assert await shop.importing.apply(MINE, state) == {"added": 0, "changed": 1, "drafts": 1}
    assert await shop.links("gw-1") == {"": (shop.pump, 1)}
    assert await shop.overrides("gw-1") == [("points.plc.b", "ratio", 2)]
    assert sorted(row["name"] for row in (await shop.importing.document("gw-1"))["points"]) == [
        "b",
        "own",
        "p",
    ]


async def test_a_link_alone_is_a_change(shop: Shop) -> None:
    """Rows that are the template's already, as after a detachment."""
    await shop.take(file(["gw-1", "One", "Pump"]))
    user, number = shop.importing.users[MINE], await shop.number("gw-1")
    await shop.services.using.detach(user, number, Detach())
    state = await shop.importing.preview(MINE, file(["gw-1", "One", "Pump"]))
    assert changes(state) == {"devices": {"changed": 1}}
    assert await shop.importing.apply(MINE, state) == {"added": 0, "changed": 1, "drafts": 0}
    assert await shop.links("gw-1") == {"": (shop.pump, 1)} and await shop.overrides("gw-1") == []


async def test_a_wrong_name_leaves_everything_as_it_is(shop: Shop) -> None:
    hall = await shop.make("Hall", kind="group")
    await shop.make("Meter", meters("z"), parent_id=hall)
    await shop.make("Foreign", meters("z"), user="factory-y")
    await shop.take(file(["gw-1", "One", "Pump"], points={"own": 1}))
    name = "devices.gateway_template_id"
    for said, code, gateway in (
        ("Meter", "ambiguous_gateway_template", "gw-1"),
        ("House", "unknown_gateway_template", "gw-new"),
        ("Foreign", "unknown_gateway_template", "gw-1"),
        (hall + 2, "unknown_gateway_template", "gw-1"),
        (1.5, "int", "gw-new"),
    ):
        wrong = await shop.cells(MINE, file([gateway, "Other", said], points={"b": 9}), "replace")
        assert wrong == {name: code, "points.gateway_id": "depends"}
    assert await shop.cells("person-x", file(["gw-9", "Mine", "Pump"])) == {name: "template_permission"}
    async with shop.importing.services.database.session(beside=True) as session:
        session.add(DeviceShare(device_id=await shop.number("gw-1"), user_id=5, role="visitor", created_ms=0))
        await session.commit()
    named = file(["gw-1", "One", "Foreign"])
    assert await shop.cells("factory-y", named) == {"devices.gateway_id": "shared_read_only"}
    seen = read_workbook(await shop.exported("factory-y"), "a.xlsx")
    assert seen[0].rows[0][5] is None and len(seen[3].rows) == 3
    again = await shop.importing.preview("factory-y", await shop.exported("factory-y"), "replace")
    assert changes(again) == {}
    assert await shop.links("gw-1") == {"": (shop.pump, 1)}


async def test_what_moved_since_the_preview_ends_it(shop: Shop) -> None:
    user = shop.importing.users[MINE]
    await shop.take(file(["gw-1", "One", "Pump"]))
    number = await shop.number("gw-1")
    state = await shop.importing.preview(MINE, file(["gw-1", "One", "Meter"]))
    await shop.services.using.detach(user, number, Detach())
    with pytest.raises(JobFailed) as found:
        await shop.importing.apply(MINE, state)
    assert (found.value.code, found.value.detail) == ("import.moved", "gw-1")
    state = await shop.importing.preview(MINE, file(["gw-2", "Two", "Pump"], ["gw-1", "One", "Pump"]))
    await shop.services.tree.remove(user, shop.pump, detach=True)
    with pytest.raises(JobFailed) as found:
        await shop.importing.apply(MINE, state)
    assert found.value.code == "import.template_gone" and await shop.importing.device("gw-2") is None
    assert await shop.links("gw-1") == {}


async def test_few_lines_are_not_many_rows(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(previewing, "MAX_TEMPLATE_ROWS", 5)
    with pytest.raises(JobFailed) as found:
        await shop.importing.preview(MINE, file(["gw-1", "One", "Meter"]))
    assert (found.value.code, found.value.detail) == ("import.too_many_laid", "5")


async def test_without_a_document_yet(shop: Shop) -> None:
    """A gateway that was claimed and never configured, and a template that is empty."""
    empty = await shop.make("Empty", {})
    await shop.importing.services.claims.claim("gw-claimed", "Claimed")
    async with shop.importing.services.database.session() as session:
        await session.execute(update(Device).values(owner_id=shop.importing.users[MINE].id))
        await session.commit()
    await shop.take(file(["gw-claimed", "Claimed", "Empty"]))
    assert await shop.links("gw-claimed") == {"": (empty, 1)}
    document = meters("a")
    document["gateway"] = {"id": "gw-claimed"}
    async with shop.importing.services.database.session(beside=True) as session:
        drafts = Drafts(session, shop.importing.users[MINE], 0)
        number = await shop.number("gw-claimed")
        base, _ = await drafts.newest(number)
        await drafts.keep(number, NewDraft(document, written(document, "gw-claimed"), base))
        await session.commit()
    assert changes(await shop.importing.preview(MINE, file(["gw-claimed", "Claimed", "Empty"]))) == {}
