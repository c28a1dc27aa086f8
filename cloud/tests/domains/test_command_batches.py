"""Batches, presets, access passwords and actions of a gateway as a whole."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from cloud.core.scope import Scope
from cloud.domains.commands.schemas import MAX_WRITES, CommandBody, PresetBody
from cloud.domains.commands.service import CLOUD
from cloud.domains.identity.schemas import CurrentUser
from cloud.errors import Conflict, NotFound, ParameterError
from edge_contract.payloads import CommandAction, CommandResult, CommandState, State

from ..conftest import BOOT, GATEWAY, SYSTEM, DomainServices, catalog, hello

USER = CurrentUser(7, "operator", 0, frozenset({"Device/cmd"}), "sign-in", Scope.system())
OTHER = CurrentUser(8, "engineer", 0, frozenset({"Device/cmd"}), "sign-in", Scope.system())
SECOND = "gw-test-2"
ADDRESS = "192.0.2.7"
PASSWORD = "open sesame"


@pytest.fixture
async def two(services: DomainServices) -> DomainServices:
    """Two gateways with pressure, level and a pump; the first is online."""
    await services.claims.claim(SECOND, "Second gateway")
    points = catalog("pressure", "level", "pump")
    for gateway in (GATEWAY, SECOND):
        await services.catalogs.apply(gateway, points)
    await services.presence.hello(GATEWAY, hello(points.hash))
    return services


async def dsid(services: DomainServices, name: str = "pressure", device: int = 1) -> int:
    return next(
        source.dsid for source in await services.devices.sources(SYSTEM, device) if source.ds_name == name
    )


async def ask(services: DomainServices, user: CurrentUser = USER, **words: Any) -> Any:
    return await services.commands.request(user, CommandBody.model_validate(words), ADDRESS)


async def statuses(services: DomainServices, ids: list[str]) -> list[tuple[str, str]]:
    found = [await services.commands.status(SYSTEM, command) for command in ids]
    return [(status.status, status.code) for status in found]


async def answer(services: DomainServices, command: str, state: str = "resp", gateway: str = GATEWAY) -> None:
    await services.commands.result(gateway, CommandResult(id=command, state=state, t_ms=1, value=1))


def value_for(name: str) -> bool | int:
    return True if name == "pump" else 1


# Batches


async def test_a_batch_goes_out_in_order_and_counts_its_progress(two: DomainServices) -> None:
    names = ["pressure", "level", "pump", "pressure"]
    batch = [{"dsid": await dsid(two, name), "value": value_for(name)} for name in names]
    ref = await ask(two, batch=batch)
    assert [sent.point for _, sent in two.sent] == names
    assert [sent.id for _, sent in two.sent] == ref.ids
    assert ref.id == ref.ids[0]
    assert (await two.commands.batch(SYSTEM, ref.batch_id)).model_dump() == {
        "batch_id": ref.batch_id,
        "total": 4,
        "finished": 0,
        "counts": {"send": 4},
        "outcomes": {},
    }
    await answer(two, ref.ids[0])
    await answer(two, ref.ids[1], "fail")
    progress = await two.commands.batch(SYSTEM, ref.batch_id)
    assert (progress.finished, progress.counts) == (2, {"send": 2, "resp": 1, "fail": 1})
    page = await two.commands.page(SYSTEM, None, 1, 10, batch_id=ref.batch_id)
    assert [row.id for row in page.rows] == ref.ids
    assert {(row.user, row.address, row.batch_id) for row in page.rows} == {
        ("operator", ADDRESS, ref.batch_id)
    }
    only = await two.commands.page(SYSTEM, 1, 1, 10, status="fail")
    assert [row.id for row in only.rows] == [ref.ids[1]]


@pytest.mark.clause("C-074")
async def test_a_batch_fails_in_part_where_a_gateway_is_offline(two: DomainServices) -> None:
    batch = [{"dsid": await dsid(two, device=device), "value": 1} for device in (1, 2, 1)]
    ref = await ask(two, batch=batch)
    assert await statuses(two, ref.ids) == [("send", ""), ("networkError", "offline"), ("send", "")]
    progress = await two.commands.batch(SYSTEM, ref.batch_id)
    assert (progress.total, progress.finished) == (3, 1)


async def test_a_batch_whose_gateway_is_away_waits_and_goes_out_in_order(two: DomainServices) -> None:
    names = ("pump", "pressure", "level")
    batch = [{"dsid": await dsid(two, name, 2), "value": value_for(name)} for name in names]
    ref = await ask(two, batch=batch, wait=True, expires_s=300)
    assert two.sent == []
    await two.presence.hello(SECOND, hello(catalog("pressure", "level", "pump").hash))
    await two.commands.send_waiting()
    assert [(gateway, sent.id) for gateway, sent in two.sent] == [(SECOND, id) for id in ref.ids]


async def test_a_link_that_breaks_ends_the_batch_at_once(two: DomainServices) -> None:
    two.link_down = True
    ref = await ask(two, batch=[{"dsid": await dsid(two), "value": value} for value in (1, 2)])
    assert await statuses(two, ref.ids) == [("networkError", "link_down")] * 2


@pytest.mark.clause("C-078")
@pytest.mark.parametrize(
    ("wrong", "field", "rule"),
    [
        ({"value": 101}, "batch.1.value", "at most 100"),
        ({"value": None}, "batch.1.value", "a finite number"),
        ({"dsid": 4711}, "batch.1.dsid", "a data point that is there"),
    ],
)
async def test_a_batch_with_one_wrong_write_sends_nothing(
    two: DomainServices, wrong: dict[str, Any], field: str, rule: str
) -> None:
    good = {"dsid": await dsid(two), "value": 1}
    with pytest.raises(ParameterError) as error:
        await ask(two, batch=[good, {**good, **wrong}])
    assert (error.value.field, error.value.rule) == (field, rule)
    assert two.sent == []
    assert (await two.commands.page(SYSTEM, None, 1, 1)).total == 0


@pytest.mark.parametrize(
    "words",
    [
        {},
        {"dsid": 1, "preset_id": 1},
        {"dsid": 1, "batch": [{"dsid": 1, "value": 1}]},
        {"batch": []},
        {"batch": [{"dsid": 1, "value": 1}] * (MAX_WRITES + 1)},
        {"dsid": 1, "expires_s": 0},
        {"dsid": 1, "expires_s": 301},
        {"dsid": 1, "action": "reboot"},
    ],
)
def test_bodies_that_break_a_rule(words: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        CommandBody.model_validate(words)


async def test_a_batch_of_the_largest_size(two: DomainServices) -> None:
    number = await dsid(two)
    ref = await ask(two, batch=[{"dsid": number, "value": value % 100} for value in range(MAX_WRITES)])
    assert [sent.value for _, sent in two.sent] == [value % 100 for value in range(MAX_WRITES)]
    assert (await two.commands.batch(SYSTEM, ref.batch_id)).counts == {"send": MAX_WRITES}
    two.clock.pass_s(26)
    await two.commands.expire()
    assert (await two.commands.batch(SYSTEM, ref.batch_id)).counts == {"networkError": MAX_WRITES}


async def test_unknown_batch(two: DomainServices) -> None:
    with pytest.raises(NotFound):
        await two.commands.batch(SYSTEM, "no-such-batch")


# Presets


async def preset(services: DomainServices, title: str = "Start", *names: str) -> Any:
    chosen = names or ("pump", "pressure")
    writes = [{"dsid": await dsid(services, name), "value": value_for(name)} for name in chosen]
    body = PresetBody.model_validate({"title": title, "writes": writes})
    return await services.commands.presets.add(USER, 1, body)


async def test_a_preset_is_a_batch_by_name(two: DomainServices) -> None:
    kept = await preset(two, "  Start the line ")
    assert [row.model_dump() for row in await two.commands.presets.of_device(SYSTEM, 1)] == [
        kept.model_dump()
    ]
    assert (kept.title, kept.user, [write.problem for write in kept.writes]) == (
        "Start the line",
        "operator",
        ["", ""],
    )
    ref = await ask(two, preset_id=kept.id)
    assert [sent.point for _, sent in two.sent] == ["pump", "pressure"]
    row = await two.commands.status(SYSTEM, ref.id)
    assert (row.preset_id, row.batch_id) == (kept.id, ref.batch_id)


async def test_a_preset_on_a_removed_point_is_shown_and_sends_nothing(two: DomainServices) -> None:
    kept = await preset(two)
    await two.catalogs.apply(GATEWAY, catalog("pump"))
    [shown] = await two.commands.presets.of_device(SYSTEM, 1)
    assert [write.problem for write in shown.writes] == ["", "dsid: a data point of this gateway"]
    with pytest.raises(ParameterError) as error:
        await ask(two, preset_id=kept.id)
    assert (error.value.field, error.value.rule) == (
        f"preset {kept.id} writes.1.dsid",
        "a data point that is there",
    )
    assert two.sent == []


async def test_a_preset_is_checked_when_it_is_kept(two: DomainServices) -> None:
    foreign = {"dsid": await dsid(two, device=2), "value": 1}
    large = {"dsid": await dsid(two), "value": 1000}
    for write, field, rule in (
        (foreign, "writes.0.dsid", "a data point of this gateway"),
        (large, "writes.0.value", "at most 100"),
    ):
        with pytest.raises(ParameterError) as error:
            body = PresetBody.model_validate({"title": "Wrong", "writes": [write]})
            await two.commands.presets.add(USER, 1, body)
        assert (error.value.field, error.value.rule) == (field, rule)


async def test_presets_are_changed_and_deleted_by_their_own_gateway(two: DomainServices) -> None:
    presets, kept = two.commands.presets, await preset(two)
    other = await preset(two, "Stop")
    body = PresetBody.model_validate({"title": "Stop", "writes": [{"dsid": await dsid(two), "value": 2}]})
    with pytest.raises(Conflict):
        await presets.change(USER, 1, kept.id, body)
    changed = await presets.change(OTHER, 1, other.id, body)
    assert (changed.title, changed.writes[0].value, changed.user) == ("Stop", 2, "engineer")
    with pytest.raises(NotFound):
        await presets.delete(USER, 2, kept.id)
    await presets.delete(USER, 1, kept.id)
    assert [row.title for row in await presets.of_device(SYSTEM, 1)] == ["Stop"]
    with pytest.raises(NotFound):
        await ask(two, preset_id=kept.id)
    with pytest.raises(NotFound):
        await presets.of_device(SYSTEM, 99)


# Access password


async def protected(services: DomainServices) -> int:
    await services.devices.access_passwords.put(USER, 1, PASSWORD, ADDRESS)
    return await dsid(services)


async def write(
    services: DomainServices, number: int, password: str | None, user: CurrentUser = USER
) -> tuple[str, str]:
    ref = await ask(services, user, dsid=number, value=1, password=password)
    status = await services.commands.status(SYSTEM, ref.id)
    assert ref.status in (status.status, "create")
    return status.status, status.code


async def test_a_write_needs_the_gateways_access_password(two: DomainServices) -> None:
    number = await protected(two)
    state = await two.devices.access_passwords.state(USER, 1)
    assert (state.is_set, state.user, state.changed_ms) == (True, "operator", two.clock.now)
    assert await write(two, number, None) == ("notAuthorized", "access_password")
    assert await write(two, number, "wrong one") == ("notAuthorized", "access_password")
    assert two.sent == []
    assert two.pushed[-1].status == "notAuthorized"
    assert await write(two, number, PASSWORD) == ("send", "")
    assert (await ask(two, dsid=number, action="R")).status == "create", "reading needs none"
    assert len(two.sent) == 2
    page = await two.commands.page(SYSTEM, 1, 1, 10, status="notAuthorized")
    assert page.total == 2, "refused attempts stand in the log"
    await two.devices.access_passwords.put(USER, 1, None, ADDRESS)
    assert await write(two, number, None) == ("send", "")


async def test_five_wrong_passwords_lock_for_a_time_that_doubles(two: DomainServices) -> None:
    number = await protected(two)
    for _ in range(5):
        assert await write(two, number, "wrong one") == ("notAuthorized", "access_password")
    assert await write(two, number, PASSWORD) == ("notAuthorized", "locked")
    assert await write(two, number, PASSWORD, OTHER) == ("send", ""), "nobody locks out another"
    two.clock.pass_s(1.1)
    assert await write(two, number, "wrong one") == ("notAuthorized", "access_password")
    two.clock.pass_s(1.1)
    assert await write(two, number, PASSWORD) == ("notAuthorized", "locked"), "twice as long now"
    two.clock.pass_s(1.1)
    assert await write(two, number, PASSWORD) == ("send", "")


async def test_a_batch_is_refused_only_at_the_gateway_whose_password_is_wrong(two: DomainServices) -> None:
    await protected(two)
    points = catalog("pressure", "level", "pump")
    await two.presence.hello(SECOND, hello(points.hash))
    batch = [{"dsid": await dsid(two, device=device), "value": 1} for device in (1, 2)]
    ref = await ask(two, batch=batch)
    assert await statuses(two, ref.ids) == [("notAuthorized", "access_password"), ("send", "")]


async def test_the_password_is_kept_as_a_hash(two: DomainServices) -> None:
    await protected(two)
    async with two.database.engine.connect() as connection:
        rows = (await connection.exec_driver_sql("SELECT password_hash FROM access_password")).all()
    assert len(rows) == 1
    assert rows[0][0].startswith("$argon2id$")


# Actions of the gateway


@pytest.mark.clause("C-079")
async def test_an_action_is_a_command_without_a_point(two: DomainServices) -> None:
    ref = await two.commands.act(USER, 1, CommandAction.REFRESH, ADDRESS, slave="boiler", expires_s=120)
    [(gateway, sent)] = two.sent
    assert (gateway, sent.id, sent.action, sent.slave, sent.point) == (
        GATEWAY,
        ref.id,
        CommandAction.REFRESH,
        "boiler",
        None,
    )
    assert sent.expires_ms == two.clock.now + 120_000
    await two.commands.result(GATEWAY, CommandResult(id=ref.id, state="resp", t_ms=1, value=40))
    row = await two.commands.status(SYSTEM, ref.id)
    assert (row.status, row.dsid, row.action, row.slave, row.result_value) == (
        "resp",
        None,
        "refresh",
        "boiler",
        40,
    )
    assert (row.user, row.address) == ("operator", ADDRESS)


async def test_an_action_that_the_cloud_asks_for_itself(two: DomainServices) -> None:
    ref = await two.commands.act(CLOUD, 1, CommandAction.HISTORY, arguments={"from_ms": 1, "to_ms": 2})
    assert two.sent[0][1].arguments == {"from_ms": 1, "to_ms": 2}
    row = await two.commands.status(SYSTEM, ref.id)
    assert (row.user, row.arguments) == (CLOUD.name, {"from_ms": 1, "to_ms": 2})


@pytest.mark.clause("C-074", "C-079")
async def test_an_action_for_a_gateway_that_is_away(two: DomainServices) -> None:
    ref = await two.commands.act(USER, 2, CommandAction.REBOOT)
    assert await statuses(two, [ref.id]) == [("networkError", "offline")]
    kept = await two.commands.act(USER, 2, CommandAction.RELOAD, wait=True, expires_s=300)
    await two.presence.hello(SECOND, hello())
    await two.commands.send_waiting()
    await two.commands.send_waiting()
    assert [(gateway, sent.id) for gateway, sent in two.sent] == [(SECOND, kept.id)]
    with pytest.raises(NotFound):
        await two.commands.act(USER, 99, CommandAction.REBOOT)


@pytest.mark.clause("C-073", "C-079")
async def test_a_reboot_that_comes_back_in_time_answers_and_late_stays_evidence(two: DomainServices) -> None:
    first = await two.commands.act(USER, 1, CommandAction.REBOOT, expires_s=300)
    await two.presence.state(GATEWAY, State(online=False, boot=BOOT, t_ms=1))
    two.clock.pass_s(200)
    await two.commands.expire()
    await two.presence.hello(GATEWAY, hello())
    await answer(two, first.id)
    second = await two.commands.act(USER, 1, CommandAction.REBOOT, expires_s=300)
    two.clock.pass_s(306)
    await two.commands.expire()
    await answer(two, second.id)
    assert await statuses(two, [first.id, second.id]) == [("resp", ""), ("networkError", "late")]


async def test_the_end_is_waited_for_no_longer_than_told(two: DomainServices) -> None:
    slept: list[float] = []
    ref = await two.commands.act(USER, 1, CommandAction.SIGNAL)

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 3:
            await two.commands.result(GATEWAY, CommandResult(id=ref.id, state="resp", t_ms=1, value=23))

    two.commands._sleep = sleep
    assert (await two.commands.outcome(SYSTEM, ref.id, 8)).result_value == 23
    assert len(slept) == 3
    silent = await two.commands.act(USER, 1, CommandAction.SIGNAL)
    slept[:] = [0.0] * 9
    assert (await two.commands.outcome(SYSTEM, silent.id, 8)).status == CommandState.SEND
    assert sum(slept) == pytest.approx(8)
