"""Ports, slaves and points of a gateway's draft: changed, refused, followed by their settings."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest

from cloud.core.changes import listening
from cloud.core.xlsx import WorkbookLimits, read_workbook
from cloud.domains.devices.point_display import DisplayReader, PointDisplay
from cloud.domains.devices.service import DeviceService
from cloud.domains.points.schemas import (
    ChangedSlave,
    NewSlave,
    PortBody,
    ReadPointsBody,
    SlaveBatchBody,
    SlaveBody,
)
from cloud.errors import Conflict, NotFound, ParameterError
from edge_contract.document.masking import MASK

from ...conftest import catalog
from .conftest import ALICE, BOB, Site

SQLITE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
"""Of tests in which the databases do not differ."""

RENAMED = {"ds_name": "first", "line_color": "#ff0000"}


@SQLITE
async def test_the_first_row_of_a_gateway_without_a_configuration(site: Site) -> None:
    assert (await site.ports.ports(ALICE, 1)).base is None
    saved = await site.ports.add_port(ALICE, 1, PortBody(name="lan", type="NET", ip="10.0.0.1", port=502))
    assert (await site.document())["ports"] == [
        {"name": "lan", "type": "NET", "host": "10.0.0.1", "port": 502}
    ]
    listed = await site.ports.ports(ALICE, 1)
    assert (listed.base, listed.rows[0].slaves, site.told) == (saved.base, 0, [1])


@SQLITE
async def test_ports_and_slaves_keep_what_they_have_and_their_names_are_followed(site: Site) -> None:
    await site.begin()
    await site.ports.change_port(ALICE, 1, "com1", PortBody(name="com2", baud=19200))
    await site.ports.change_slave(ALICE, 1, "boiler", SlaveBody(name="kettle", title="Kettle"))
    document = await site.document()
    assert document["ports"][0] == {
        "name": "com2", "type": "COM", "device": "/dev/ttyS1", "colour": "red", "baud": 19200,
    }  # fmt: skip
    assert [(row["name"], row["port"]) for row in document["slaves"]] == [
        ("kettle", "com2"),
        ("pump", "com2"),
    ]
    slaves = await site.ports.slaves(ALICE, 1)
    assert [(row.fields["name"], row.points) for row in slaves.rows] == [("kettle", 2), ("pump", 1)]
    with pytest.raises(Conflict):
        await site.ports.delete_port(ALICE, 1, "com2", cascade=False)
    await site.ports.delete_port(ALICE, 1, "com2", cascade=True)
    assert (await site.ports.slaves(ALICE, 1)).rows == []


async def test_slaves_come_with_the_points_of_another_all_or_none(site: Site) -> None:
    base = await site.begin()
    await site.put(base, changed=[{"slave": "pump", "ds_name": "a", "fields": {"line_color": "#112233"}}])
    copies = [
        NewSlave(name=f"pump{n}", port="com1", protocol="modbus_rtu", address=str(n), points_of="pump")
        for n in (3, 4)
    ]
    await site.ports.slave_batch(ALICE, 1, SlaveBatchBody(save=copies))
    document = await site.document()
    assert [row["name"] for row in document["slaves"]] == ["boiler", "pump", "pump3", "pump4"]
    assert await chosen(site) == {
        (slave, "a"): PointDisplay("#112233") for slave in ("pump", "pump3", "pump4")
    }
    changes = [ChangedSlave(was_named=name, enable=False) for name in ("pump3", "pump4")]
    saved = await site.ports.slave_batch(ALICE, 1, SlaveBatchBody(update=changes))
    assert [row.get("enable", True) for row in (await site.document())["slaves"]] == [
        True,
        True,
        False,
        False,
    ]
    for wrong in (
        SlaveBatchBody(update=[ChangedSlave(was_named="pump", address="9"), ChangedSlave(was_named="no")]),
        SlaveBatchBody(save=[copies[0]]),
    ):
        with pytest.raises((NotFound, Conflict)):
            await site.ports.slave_batch(ALICE, 1, wrong)
    with pytest.raises(ParameterError):
        await site.ports.slave_batch(ALICE, 1, SlaveBatchBody())
    assert (await site.ports.slaves(ALICE, 1)).base == saved.base


@SQLITE
async def test_points_are_added_changed_and_removed_at_once(site: Site) -> None:
    base = await site.begin()
    saved = await site.put(
        base,
        added=[{"slave": "boiler", "ds_name": "c", "regtype": "4X", "addroffset": 0, "data_type": "uint32",
                "after": "a", "alarm_upper": 9.5}],
        changed=[{"slave": "boiler", "ds_name": "a", "fields": RENAMED}],
        removed=[{"slave": "boiler", "ds_name": "b"}],
    )  # fmt: skip
    listed = await site.points.points(ALICE, 1, "boiler")
    assert [row["ds_name"] for row in listed.rows] == ["first", "c"]
    assert (listed.rows[0]["line_color"], listed.rows[1]["alarm_upper"]) == ("#ff0000", 9.5)
    assert (await site.document())["points"][0]["note"] == "kept"
    assert [(fault.name, fault.field, fault.code, fault.level) for fault in saved.faults] == [
        ("c", "addroffset", "overlap", "warning")
    ]
    assert len((await site.points.points(ALICE, 1, None)).rows) == 3
    with pytest.raises(NotFound):
        await site.points.points(ALICE, 1, "no")


async def test_an_edit_of_an_older_version_is_refused_and_says_whose_is_newer(site: Site) -> None:
    base = await site.begin()
    await site.put(base, BOB, removed=[{"slave": "pump", "ds_name": "a"}])
    with pytest.raises(Conflict) as refused:
        await site.put(base, removed=[{"slave": "boiler", "ds_name": "a"}])
    assert refused.value.reason == "configuration.moved"
    assert refused.value.arguments["author"] == "bob"
    assert refused.value.rule == (await site.points.points(ALICE, 1, None)).base
    with pytest.raises(Conflict):
        await site.ports.add_port(ALICE, 1, PortBody(name="x", type="NET", base=base))


async def test_a_setting_alone_makes_no_version_and_goes_with_its_point(site: Site) -> None:
    base = await site.begin()
    colour = {"slave": "boiler", "ds_name": "a", "fields": {"line_color": "#00ff00"}}
    assert (await site.put(base, changed=[colour])).base == base
    assert site.told == []
    await site.ports.change_slave(ALICE, 1, "boiler", SlaveBody(name="kettle"))
    assert await chosen(site) == {("kettle", "a"): PointDisplay("#00ff00")}
    base = (await site.points.points(ALICE, 1, None)).base or ""
    gone = await site.put(base, removed=[{"slave": "kettle", "ds_name": "a"}])
    assert await chosen(site) == {}
    assert gone.base != base


@SQLITE
async def test_colour_and_place_on_the_map_are_told_with_the_running_points(site: Site) -> None:
    base = await site.begin()
    await site.services.catalogs.apply("gw-test-1", catalog("a"))
    chosen = {"line_color": "#00ff00", "gis_show": True}
    base = (await site.put(base, changed=[{"slave": "boiler", "ds_name": "a", "fields": chosen}])).base or ""
    services = site.services
    devices = DeviceService(
        services.database,
        services.presence,
        services._streams,
        displays=DisplayReader(services.database).displays,
    )
    assert await displayed(devices) == [("a", "#00ff00", True)]
    none = {"line_color": None, "gis_show": False}
    await site.put(base, changed=[{"slave": "boiler", "ds_name": "a", "fields": none}])
    assert await displayed(devices) == [("a", None, False)]


async def chosen(site: Site) -> dict[tuple[str, str], PointDisplay]:
    """How points of gateway 1 are to be shown."""
    return await DisplayReader(site.services.database).displays(ALICE.scope, 1)


async def displayed(devices: DeviceService) -> list[tuple[str, str | None, bool]]:
    return [
        (point.ds_name, point.line_color, point.gis_show)
        async for some in devices.source_chunks(ALICE.scope, 1)
        for point in some
    ]


@SQLITE
async def test_a_running_point_keeps_its_colour_while_a_draft_drops_it(site: Site) -> None:
    base = await site.begin()
    await site.services.catalogs.apply("gw-test-1", catalog("a"))
    colour = {"slave": "boiler", "ds_name": "a", "fields": {"line_color": "#00ff00"}}
    await site.put(base, changed=[colour])
    await site.put(base, removed=[{"slave": "boiler", "ds_name": "a"}])
    assert await chosen(site) == {("boiler", "a"): PointDisplay("#00ff00")}


@SQLITE
async def test_only_a_point_that_the_gateway_knows_is_read(site: Site) -> None:
    await site.begin()
    await site.services.catalogs.apply("gw-test-1", catalog("a"))
    reads = await site.points.read_now(
        ALICE, 1, ReadPointsBody(slave="boiler", points=["a", "b"]), "10.0.0.1"
    )
    assert [(row.ds_name, bool(row.id), row.problem) for row in reads.rows] == [
        ("a", True, ""), ("b", False, "not_deployed"),
    ]  # fmt: skip
    assert (await site.services.commands.status(ALICE.scope, reads.rows[0].id)).action == "R"


@SQLITE
async def test_secrets_are_masked_for_who_may_not_change_and_the_workbook_names_both_sheets(
    site: Site,
) -> None:
    await site.begin()
    meter = SlaveBody(
        name="m", port="com1", protocol="dlt645_2007", address="1" * 12, options={"password": "123456"}
    )
    saved = await site.ports.add_slave(ALICE, 1, meter)
    assert [(fault.name, fault.code) for fault in saved.faults] == [("m", "port_protocol")]
    viewer = replace(ALICE, permissions=frozenset({"Monitor.DeviceMonitor"}))
    listed = await site.ports.slaves(viewer, 1)
    assert (listed.changeable, listed.rows[2].fields["options"]["password"]) == (False, MASK)
    book = await site.ports.workbook(ALICE, 1, None, "com1", "en")
    slaves, points = read_workbook(book, "slaves.xlsx", WorkbookLimits())
    assert (slaves.name, slaves.header[0], len(slaves.rows)) == ("Slaves", "Slave", 3)
    assert (points.header[:2], len(points.rows)) == (["Slave", "Identifier"], 3)
    assert io.BytesIO(book).read(2) == b"PK"


@SQLITE
async def test_the_workbook_of_a_gateway_template_has_its_rows(site: Site) -> None:
    await site.begin()
    book = await site.ports.workbook(ALICE, 1, 7, None, "en")
    slaves, points = read_workbook(book, "slaves.xlsx", WorkbookLimits())
    assert [row[0] for row in slaves.rows] == ["pump"]
    assert [row[:2] for row in points.rows] == [["pump", "speed"]]
    with pytest.raises(NotFound):
        await site.ports.workbook(ALICE, 1, 7, "com1", "en")  # a port of the gateway, none of the template
    with pytest.raises(NotFound):
        await site.ports.workbook(ALICE, 1, 8, None, "en")


@SQLITE
async def test_the_audit_is_told_limits_before_and_after(site: Site) -> None:
    base = await site.begin()
    first = {"alarm_enable": True, "alarm_upper": 90.0}
    with listening() as heard:
        saved = await site.put(base, changed=[{"slave": "boiler", "ds_name": "a", "fields": first}])
    assert heard.change is not None
    told = heard.change.differences()
    assert told["before"] == {}
    assert {name.split(": ")[1]: value for name, value in told["after"].items()} == first
    fields = {"alarm_upper": 95.0, "alarm_enable": True}
    with listening() as heard:
        await site.put(saved.base, changed=[{"slave": "boiler", "ds_name": "a", "fields": fields}])
    assert heard.change is not None
    told = heard.change.differences()
    (name,) = told["after"]
    assert name.startswith("boiler / ")
    assert name.endswith(": alarm_upper")
    assert (told["before"], told["after"]) == ({name: 90.0}, {name: 95.0})


FORWARDERS = [
    {
        "name": "bureau",
        "kind": "hj212",
        "options": {"mapping": [{"factor": "w01018", "point": "boiler.a", "flow": "pump.a"}]},
    }
]


@SQLITE
async def test_a_target_follows_new_names_and_nothing_that_it_names_can_be_removed(site: Site) -> None:
    base = await site.begin(forwarders=FORWARDERS)
    saved = await site.put(base, changed=[{"slave": "boiler", "ds_name": "a", "fields": {"ds_name": "cod"}}])
    await site.ports.change_slave(ALICE, 1, "pump", SlaveBody(name="flow"))
    before = await site.document()
    [entry] = before["forwarders"][0]["options"]["mapping"]
    assert entry == {"factor": "w01018", "point": "boiler.cod", "flow": "flow.a"}
    base = (await site.ports.slaves(ALICE, 1)).base
    assert base != saved.base
    with pytest.raises(ParameterError) as refused:
        await site.put(base, removed=[{"slave": "boiler", "ds_name": "cod"}])
    assert refused.value.field == "forwarders[0].options.mapping[0].point"
    with pytest.raises(ParameterError, match=r"names flow\.a, which would be removed"):
        await site.ports.delete_slave(ALICE, 1, "flow", cascade=True)
    assert await site.document() == before
