"""Parameters of one gateway: read as groups, saved in the draft, refused with their field."""

from __future__ import annotations

from typing import Any

import pytest

from cloud.domains.parameters.gateway_parameters import group_schemas
from cloud.domains.parameters.schemas import GatewayParameters, ParametersBody
from cloud.errors import Conflict, NoPermission, NotFound, ParameterError
from edge_contract.document.masking import MASK
from edge_contract.parameters.groups import GROUPS

from .conftest import Site, document


def rows(parameters: GatewayParameters, name: str) -> list[dict[str, Any]]:
    return next(group.rows for group in parameters.groups if group.name == name)


def body(base: str | None, **groups: Any) -> ParametersBody:
    given = [{"name": name, "rows": rows} for name, rows in groups.items()]
    return ParametersBody.model_validate({"base": base, "groups": given})


async def test_every_group_is_read_and_one_is_saved(site: Site) -> None:
    number = await site.gateway("a")
    read = await site.gateway_parameters.read(site.user, number)
    assert [group.name for group in read.groups] == list(GROUPS)
    assert (rows(read, "uart"), rows(read, "network")) == ([{"name": "com1", "device": "/dev/ttyS1"}], [])
    uart = [{"name": "com1", "device": "/dev/ttyS1", "baud": 19200}]
    saved = await site.gateway_parameters.save(
        site.user, number, body(read.base, uart=uart, network=[{"mode": "dhcp"}])
    )
    expected = document("gw-a")
    expected["ports"][0]["baud"] = 19200
    assert await site.newest(number) == expected | {"network": {"mode": "dhcp"}}
    again = await site.gateway_parameters.read(site.user, number)
    assert (again.base, rows(again, "uart")) == (saved.base, uart)


async def test_a_masked_secret_stays_and_who_may_not_change_sees_none(site: Site) -> None:
    number = await site.gateway("a")
    reader = site.of("enterprise-x")
    with pytest.raises(NotFound):
        await site.gateway_parameters.read(reader, number)
    read = await site.gateway_parameters.read(site.user, number)
    (target,) = rows(read, "hj212")
    assert target["pw"] == "123456"
    await site.gateway_parameters.save(
        site.user, number, body(read.base, hj212=[{**target, "pw": MASK, "flag": 0}])
    )
    options = (await site.newest(number))["forwarders"][0]["options"]
    assert (options["pw"], options["flag"]) == ("123456", 0)


@pytest.mark.parametrize(
    ("groups", "field"),
    [
        ({"uart": [{"name": "com1", "device": "/dev/ttyS1", "baud": 1}]}, "uart[0].baud"),
        ({"run": [{"power": "saving"}]}, "run.report_interval_s"),
        ({"mobile": [{"enable": False, "routing": True}]}, "mobile.routing"),
        ({"nothing": []}, "groups[0].name"),
        ({"hotspot": [{}, {}]}, "hotspot"),
        ({"run": [{"speed": 1}]}, "run.speed"),
        (
            {"channels": [{"name": "c", "server": "h", "server_port": 0, "port": "com1"}]},
            "channels[0].server_port",
        ),
    ],
)
async def test_a_fault_names_its_group_and_field(site: Site, groups: dict[str, Any], field: str) -> None:
    number = await site.gateway("a")
    with pytest.raises(ParameterError) as refused:
        await site.gateway_parameters.save(site.user, number, body(site.running["gw-a"], **groups))
    assert refused.value.field == field
    assert await site.newest(number) == document("gw-a")


async def test_of_two_editors_the_second_is_refused(site: Site) -> None:
    number = await site.gateway("a")
    base = site.running["gw-a"]
    await site.gateway_parameters.save(site.user, number, body(base, history=[{"retention_days": 5}]))
    with pytest.raises(Conflict):
        await site.gateway_parameters.save(site.user, number, body(base, history=[{"retention_days": 6}]))
    with pytest.raises((NotFound, NoPermission)):
        await site.gateway_parameters.save(site.of("factory-y"), number, body(base, history=[{}]))


async def test_what_is_not_deployed_is_told_by_field_with_secrets_masked(site: Site) -> None:
    number = await site.gateway("a")
    read = await site.gateway_parameters.read(site.user, number)
    assert read.undeployed == []
    (target,) = rows(read, "hj212")
    changed = body(read.base, hj212=[{**target, "pw": "654321"}], history=[{"retention_days": 5}])
    saved = await site.gateway_parameters.save(site.user, number, changed)
    again = await site.gateway_parameters.read(site.user, number)
    assert [(each.field, each.before, each.after) for each in again.undeployed or ()] == [
        ("hj212.bureau.pw", MASK, MASK),
        ("history.retention_days", None, 5),
    ]
    foreign = await site.gateway("y", "factory-y")
    (listed,) = await site.gateway_parameters.gateways(site.user, [number, foreign, 999_999])
    assert (listed.device_id, listed.draft, listed.plan) == (number, saved.base, None)


def test_the_schema_of_every_group_is_offered() -> None:
    offered = {group.name: group for group in group_schemas()}
    assert list(offered) == list(GROUPS)
    assert offered["run"].title.zh == "运行与功耗"
    assert offered["channels"].row["properties"]["server_port"]["maximum"] == 65535
