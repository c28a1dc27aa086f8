"""Commands: checks, states, expiry, and whose result counts."""

from __future__ import annotations

import pytest

from cloud.core.scope import Scope
from cloud.domains.commands.schemas import CommandBody
from cloud.domains.commands.service import CLOUD
from cloud.domains.commands.states import NEXT, may_become
from cloud.domains.identity.schemas import CurrentUser
from cloud.errors import NotFound, ParameterError
from edge_contract.payloads import CommandAction, CommandResult, CommandState, State

from ..conftest import BOOT, GATEWAY, SYSTEM, DomainServices, catalog, hello

USER = CurrentUser(7, "operator", 0, frozenset({"Device/cmd"}), "sign-in", Scope.system())
FINAL = (
    CommandState.RESP,
    CommandState.FAIL,
    CommandState.NETWORK_ERROR,
    CommandState.NOT_AUTHORIZED,
    CommandState.ERROR,
)


@pytest.fixture
async def online(services: DomainServices) -> DomainServices:
    """A gateway that is online with pressure, ro_level and a pump switch."""
    points = catalog("pressure", "ro_level", "pump")
    await services.presence.hello(GATEWAY, hello(points.hash))
    await services.catalogs.apply(GATEWAY, points)
    return services


async def dsid(services: DomainServices, name: str) -> int:
    return next(source.dsid for source in await services.devices.sources(SYSTEM, 1) if source.ds_name == name)


async def write(services: DomainServices, value: object, name: str = "pressure", **more: object) -> str:
    body = CommandBody.model_validate(
        {"dsid": await dsid(services, name), "action": "W", "value": value, **more}
    )
    return (await services.commands.request(USER, body)).id


@pytest.mark.clause("C-073")
def test_final_states_never_change() -> None:
    assert all(not may_become(state, other) for state in FINAL for other in CommandState)
    assert {state for state in CommandState if NEXT[state]} == {CommandState.CREATE, CommandState.SEND}


async def test_sent_then_answered_with_the_value_read_back(online: DomainServices) -> None:
    command = await write(online, 55.5)
    gateway, sent = online.sent[0]
    assert (gateway, sent.slave, sent.point, sent.value) == (GATEWAY, "boiler", "pressure", 55.5)
    assert sent.expires_ms == online.clock.now + 20_000
    assert (await online.commands.status(SYSTEM, command)).status == "send"
    result = CommandResult(id=command, state="resp", t_ms=1, latency_ms=42, value=55.5)
    await online.commands.result(GATEWAY, result)
    status = await online.commands.status(SYSTEM, command)
    assert (status.status, status.result_value, status.latency_ms, status.user) == (
        "resp",
        55.5,
        42,
        "operator",
    )
    await online.commands.result(GATEWAY, CommandResult(id=command, state="fail", t_ms=1))
    assert (await online.commands.status(SYSTEM, command)).status == "resp"
    assert [push.status for push in online.pushed] == ["send", "resp"]


async def test_result_of_another_gateway_is_ignored(
    online: DomainServices, caplog: pytest.LogCaptureFixture
) -> None:
    await online.claims.claim("gw-foreign", "Foreign")
    command = await write(online, 1)
    for _ in range(3):
        await online.commands.result("gw-foreign", CommandResult(id=command, state="resp", t_ms=1))
    assert caplog.text.count("which is not its own") == 1
    assert (await online.commands.status(SYSTEM, command)).status == "send"


@pytest.mark.clause("C-074")
async def test_offline_gateway_ends_at_once_or_waits(services: DomainServices) -> None:
    await services.catalogs.apply(GATEWAY, catalog("pressure"))
    status = await services.commands.status(SYSTEM, await write(services, 1))
    assert (status.status, status.code) == ("networkError", "offline")
    kept = await write(services, 2, wait=True, expires_s=300)
    assert (await services.commands.status(SYSTEM, kept)).status == "create"
    await services.presence.hello(GATEWAY, hello())
    await services.commands.send_waiting()
    await services.commands.send_waiting()
    assert [sent.id for _, sent in services.sent] == [kept]
    assert (await services.commands.status(SYSTEM, kept)).status == "send"


@pytest.mark.clause("C-074")
async def test_no_result_ends_as_network_error_five_seconds_after_expiry(online: DomainServices) -> None:
    command = await write(online, 1, expires_s=10)
    online.clock.pass_s(14.9)
    await online.commands.expire()
    assert (await online.commands.status(SYSTEM, command)).status == "send"
    online.clock.pass_s(0.2)
    await online.commands.expire()
    assert (await online.commands.status(SYSTEM, command)).status == "networkError"
    await online.commands.result(GATEWAY, CommandResult(id=command, state="resp", t_ms=1, value=1))
    status = await online.commands.status(SYSTEM, command)
    assert (status.status, status.code, status.detail) == ("networkError", "late", "resp")


async def test_broker_that_is_away_ends_as_network_error(online: DomainServices) -> None:
    online.link_down = True
    status = await online.commands.status(SYSTEM, await write(online, 1))
    assert (status.status, status.code) == ("networkError", "link_down")


@pytest.mark.parametrize(
    ("name", "value", "field", "rule"),
    [
        ("pressure", 101, "value", "at most 100"),
        ("pressure", -0.1, "value", "at least 0"),
        ("pressure", "5", "value", "a finite number"),
        ("pressure", True, "value", "a finite number"),
        ("pressure", None, "value", "a finite number"),
        ("pressure", 10**400, "value", "a finite number"),
        ("pressure", float("inf"), "value", "a finite number"),
        ("ro_level", 1, "action", "the point is read-only"),
        *(("pump", value, "value", "true or false") for value in (0, 1, 2, 0.0, "on", "true", None)),
    ],
)
@pytest.mark.clause("C-120")
async def test_value_that_does_not_fit(
    online: DomainServices, name: str, value: object, field: str, rule: str
) -> None:
    with pytest.raises(ParameterError) as error:
        await write(online, value, name)
    assert (error.value.field, error.value.rule) == (field, rule)
    assert online.sent == []


async def test_waiting_command_of_a_removed_point_ends(online: DomainServices) -> None:
    await online.presence.state(GATEWAY, State(online=False, boot=BOOT, t_ms=1))
    kept = await write(online, 1, wait=True, expires_s=300)
    await online.catalogs.apply(GATEWAY, catalog("ro_level"))
    await online.commands.send_waiting()
    status = await online.commands.status(SYSTEM, kept)
    assert (status.status, status.code, online.sent) == ("error", "no_such_point", [])


async def test_waiting_command_goes_out_when_the_broker_is_back(online: DomainServices) -> None:
    online.link_down = True
    kept = await write(online, 1, wait=True, expires_s=300)
    await online.commands.send_waiting()
    assert (await online.commands.status(SYSTEM, kept)).status == "create"
    online.link_down = False
    await online.commands.send_waiting()
    assert (await online.commands.status(SYSTEM, kept)).status == "send"


async def test_result_of_any_size_is_kept_within_the_columns(online: DomainServices) -> None:
    command = await write(online, 1)
    words = "\0" + "x" * 199
    result = CommandResult(
        id=command, state="error", t_ms=1, latency_ms=2**40, value="\0", code=words, detail=words
    )
    await online.commands.result(GATEWAY, result)
    status = await online.commands.status(SYSTEM, command)
    assert (status.status, status.code, status.latency_ms) == ("error", "x" * 199, 2**31 - 1)


async def test_list_and_unknown(online: DomainServices) -> None:
    ids = [await write(online, value) for value in (1, 2, 3)]
    page = await online.commands.page(SYSTEM, 1, 1, 2)
    assert page.total == 3 and {row.id for row in page.rows} <= set(ids)
    with pytest.raises(NotFound):
        await online.commands.status(SYSTEM, "unknown-id")


@pytest.mark.clause("C-087")
async def test_the_gateway_is_told_who_asks(online: DomainServices) -> None:
    await write(online, 5)
    await online.commands.act(USER, 1, CommandAction.REVERT, arguments={"deployment": "deploy-00000"})
    await online.commands.act(CLOUD, 1, CommandAction.CONFIGURATION)
    sent = [command for _, command in online.sent]
    assert [command.by for command in sent] == ["operator", "operator", ""]  # nobody asked for the last one
    assert (sent[1].action, sent[1].arguments) == (CommandAction.REVERT, {"deployment": "deploy-00000"})
