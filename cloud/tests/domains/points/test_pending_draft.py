"""Rows that are changed while a draft waits and somebody edits the gateway at its own page: none is lost."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from cloud.domains.deploy.schemas import DraftBody
from cloud.domains.points.schemas import NewSlave, PortBody, SlaveBatchBody, SlaveBody
from cloud.errors import Conflict
from edge_contract.deployment import ConfigurationReport, Origin, document_hash

from ...conftest import GATEWAY
from .conftest import ALICE, BOB, Site, document

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

PORT = PortBody(name="lan", type="NET", ip="10.0.0.1", port=502)


async def runs(site: Site, content: dict[str, Any], origin: Origin = Origin.LOCAL) -> str:
    site.services.clock.pass_s(60)
    name = document_hash(content)
    report = ConfigurationReport(hash=name, origin=origin, t_ms=5, document=content)
    await site.configurations.report(GATEWAY, report)
    return name


async def drafted(site: Site) -> str:
    """What runs has no draft, then the slave of one draft has another title."""
    base = await runs(site, document(), Origin.FILE)
    pending = document()
    pending["slaves"][1]["title"] = "Pump house"
    return (await site.configurations.save(BOB, 1, DraftBody(document=pending, base=base))).hash


def edited(**fields: Any) -> dict[str, Any]:
    """At the gateway's page: a point more, and fields of a slave."""
    content = copy.deepcopy(document())
    content["points"].append({"slave": "boiler", "name": "local"})
    content["slaves"][1].update(fields)
    return content


async def titles(site: Site) -> dict[str, Any]:
    return {row["name"]: row.get("title") for row in (await site.document())["slaves"]}


async def test_every_editor_goes_on_with_the_draft_on_what_runs(site: Site) -> None:
    await drafted(site)
    await runs(site, edited())
    assert (await titles(site))["pump"] == "Pump house"
    rows = (await site.points.points(ALICE, 1, "boiler")).rows
    assert [row["ds_name"] for row in rows] == ["a", "b", "local"], "what the sheet begins with has both"
    await site.ports.add_port(ALICE, 1, PORT)
    await site.ports.change_slave(ALICE, 1, "boiler", SlaveBody(title="Boiler room"))
    slave = NewSlave(name="fan", port="lan", protocol="modbus_tcp", address="1")
    saved = await site.ports.slave_batch(ALICE, 1, SlaveBatchBody(save=[slave]))
    await site.put(saved.base, removed=[{"slave": "boiler", "ds_name": "b"}])
    assert await titles(site) == {"boiler": "Boiler room", "pump": "Pump house", "fan": None}
    assert [row["name"] for row in (await site.document())["ports"]] == ["com1", "lan"]
    draft = (await site.configurations.state(ALICE.scope, 1, 1, 1)).draft
    assert draft is not None
    assert (draft.base, draft.author, draft.behind) == (document_hash(edited()), "alice", False)


async def test_a_sheet_that_was_open_meanwhile_has_to_take_both_first(site: Site) -> None:
    base = await drafted(site)
    await runs(site, edited())
    with pytest.raises(Conflict) as error:
        await site.put(base, removed=[{"slave": "boiler", "ds_name": "b"}])
    assert (error.value.reason, error.value.arguments["author"]) == ("configuration.moved", "bob")


async def test_no_editor_replaces_a_draft_that_cannot_go_onto_what_runs(site: Site) -> None:
    base = await drafted(site)
    running = await runs(site, edited(title="Pump room"))
    before = await site.document()
    assert (await titles(site))["pump"] == "Pump house"
    for change in (
        site.ports.add_port(ALICE, 1, PORT),
        site.ports.add_port(ALICE, 1, PORT.model_copy(update={"base": base})),
        site.ports.change_slave(ALICE, 1, "boiler", SlaveBody(title="x")),
        site.ports.delete_slave(ALICE, 1, "boiler", cascade=True),
        site.put(base, removed=[{"slave": "boiler", "ds_name": "b"}]),
    ):
        with pytest.raises(Conflict) as error:
            await change
        assert (error.value.reason, error.value.rule) == ("configuration.behind", running)
        assert error.value.arguments["what"] == "slaves pump"
    with pytest.raises(Conflict) as error:
        await site.ports.add_port(ALICE, 1, PORT.model_copy(update={"base": running}))
    assert error.value.reason == "configuration.moved"
    colour = {"slave": "boiler", "ds_name": "a", "fields": {"line_color": "#00ff00"}}
    assert (await site.put(base, changed=[colour])).base == base, "what the cloud alone knows holds at once"
    assert await site.document() == before
    await site.configurations.discard(ALICE, 1)
    await site.ports.add_port(ALICE, 1, PORT)
    assert (await titles(site))["pump"] == "Pump room"
