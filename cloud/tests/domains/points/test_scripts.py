"""Scripts of a gateway's draft, and trying one out on the gateway."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from pydantic import ValidationError

from cloud.domains.points.editing import Editing
from cloud.domains.points.scripts import ScriptBody, ScriptFields, ScriptService, TryBody
from cloud.errors import Conflict, NotFound, ParameterError
from edge_contract.payloads import CommandAction, CommandResult, Outcome

from ...conftest import GATEWAY, hello
from .conftest import ALICE, Site, document


@pytest.fixture
def scripts(site: Site) -> ScriptService:
    editing = Editing(site.services.database, site.services.devices, site._tell, site.services.clock)
    return ScriptService(editing, site.services.commands)


def fields(**more: Any) -> ScriptFields:
    return ScriptFields(**{"name": "mean", "slave": "boiler", "text": "m = (p + q) / 2", **more})


async def test_a_script_is_read_changed_and_deleted(site: Site, scripts: ScriptService) -> None:
    base = await site.begin(scripts=document()["scripts"])
    (row,) = (await scripts.scripts(ALICE, 1)).rows
    assert (row.fields.name, row.fields.inputs, row.outputs) == ("s", {"p": "boiler.a", "q": "pump.a"}, [])
    body = ScriptBody(base=base, script=fields(inputs={"p": "a", "q": "pump.a"}, state={"n": 0}))
    await scripts.save(ALICE, 1, None, body)
    kept = (await site.document())["scripts"][1]
    assert kept == {
        "name": "mean",
        "slave": "boiler",
        "text": "m = (p + q) / 2",
        "inputs": {"p": "a", "q": "pump.a"},
        "state": {"n": 0},
    }
    with pytest.raises(Conflict):
        await scripts.save(ALICE, 1, "mean", body)
    await scripts.save(ALICE, 1, "mean", ScriptBody(script=fields(name="average", timeout_ms=80)))
    assert (await site.document())["scripts"][1]["timeout_ms"] == 80
    await scripts.delete(ALICE, 1, "average")
    assert [row["name"] for row in (await site.document())["scripts"]] == ["s"]


async def test_what_cannot_be_kept(site: Site, scripts: ScriptService) -> None:
    await site.begin()
    with pytest.raises(ParameterError, match=r"script\.name"):
        await scripts.save(ALICE, 1, None, ScriptBody(script=fields(name="s")))
    for was, words in (("none", {}), (None, {"slave": "nobody"})):
        with pytest.raises(NotFound):
            await scripts.save(ALICE, 1, was, ScriptBody(script=fields(**words)))
    with pytest.raises(NotFound):
        await scripts.delete(ALICE, 1, "none")
    for wrong in ({"text": ""}, {"inputs": {"1x": "a"}}, {"timeout_ms": 2000}, {"other": 1}):
        with pytest.raises(ValidationError):
            fields(**wrong)


@pytest.mark.clause("C-124")
async def test_a_try_is_asked_of_the_gateway_and_told(site: Site, scripts: ScriptService) -> None:
    await site.begin()
    await site.services.presence.hello(GATEWAY, hello())
    body = TryBody(kind="script", text="m = p * 2", inputs={"p": 4}, outputs=["m"], state={"n": None})
    asked = asyncio.create_task(scripts.try_out(ALICE, 1, body, ""))
    while not site.services.sent:
        assert not asked.done()
        await asyncio.sleep(0.01)
    gateway, command = site.services.sent[-1]
    assert (gateway, command.action) == (GATEWAY, CommandAction.TRY)
    assert command.arguments == {
        "kind": "script",
        "text": "m = p * 2",
        "inputs": json.dumps({"p": 4}),
        "outputs": '["m"]',
        "state": json.dumps({"n": None}),
        "timeout_ms": 50,
    }
    result = CommandResult(
        id=command.id,
        state="resp",
        t_ms=site.services.clock(),
        outcome=Outcome.DONE,
        values={"m": 8, "n": None},
    )
    await site.services.commands.result(GATEWAY, result)
    told = await asked
    assert (told.status, told.outcome, told.result_values) == ("resp", "done", {"m": 8, "n": None})


async def test_a_gateway_that_is_away_is_told_at_once(site: Site, scripts: ScriptService) -> None:
    await site.begin()
    told = await scripts.try_out(ALICE, 1, TryBody(kind="formula", text="1 + 1"), "")
    assert (told.status, told.code, told.result_values) == ("networkError", "offline", None)
    assert site.services.sent == []
