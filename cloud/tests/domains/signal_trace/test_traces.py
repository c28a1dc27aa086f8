"""Traces: who may, what gateways are asked, who gets what, how each ends and what is on record."""

from __future__ import annotations

import pytest

from cloud.domains.signal_trace.service import (
    AGAIN_S,
    EXPIRES_S,
    MAX_OF_USER,
    RETENTION_MS,
    SILENT_S,
)
from cloud.errors import Conflict, NoPermission, NotFound
from edge_contract.limits import TRACE_S

from ...conftest import hello
from .conftest import HERE, Office

pytestmark = pytest.mark.clause("C-245")


async def test_a_gateway_is_asked_while_somebody_watches_and_stopped_after(office: Office) -> None:
    number = office.devices["x"]
    begun = await office.service.begin(office.x, number, HERE)
    assert begun.state == "waiting"
    assert office.sent == [("gw-x", TRACE_S, "factory-x")]
    office.report("gw-x")
    assert office.states(office.x) == [("running", "")]
    office.report("gw-x", 1, 2, 3)
    office.report("gw-y", 9)
    assert (office.entries(office.x), office.entries(office.y)) == ([1, 2, 3], [])
    for _ in range(4):
        await office.pass_s(EXPIRES_S / 3)
        office.report("gw-x")
        await office.service.renew(office.x, number, begun.trace)
    assert [seconds for _, seconds, _ in office.sent] == [TRACE_S] * (1 + int(4 * EXPIRES_S / 3 / AGAIN_S))
    ended = await office.service.end(office.x, number, begun.trace)
    assert office.sent[-1] == ("gw-x", 0, "")
    assert (ended.why, ended.entries, ended.user, ended.address) == ("done", 3, "factory-x", HERE)
    assert (ended.ended_ms or 0) - ended.started_ms == 4 * EXPIRES_S / 3 * 1000
    office.report("gw-x", 4)
    assert office.entries(office.x) == [1, 2, 3]
    asked = len(office.sent)
    await office.pass_s(2 * AGAIN_S)
    assert len(office.sent) == asked, "nobody watches"
    with pytest.raises(NotFound):
        await office.service.renew(office.x, number, begun.trace)
    assert (await office.service.end(office.x, number, begun.trace)).why == "done"


async def test_what_is_not_renewed_ends_and_the_gateway_with_the_last_one(office: Office) -> None:
    """A browser that is gone renews nothing."""
    number = office.devices["x"]
    first = await office.service.begin(office.x, number, HERE)
    await office.pass_s(EXPIRES_S - 5)
    second = await office.service.begin(office.x, number, HERE)
    assert second.trace != first.trace
    office.report("gw-x", 1)
    await office.pass_s(6)
    assert [row.why for row in await office.rows()] == ["", "expired"]
    assert office.sent[-1][1] == TRACE_S
    assert office.states(office.x)[-1] == ("running", "expired")
    await office.pass_s(EXPIRES_S)
    assert office.sent[-1] == ("gw-x", 0, "")
    assert [(row.why, row.entries) for row in await office.rows()] == [("expired", 1), ("expired", 1)]


async def test_a_user_gets_a_gateways_entries_once_however_many_tabs_he_has(office: Office) -> None:
    for user in (office.x, office.x, office.users["platform-x"]):
        await office.service.begin(user, office.devices["x"], HERE)
    office.report("gw-x", 1)
    assert office.entries(office.x) == office.entries(office.users["platform-x"]) == [1]
    await office.pass_s(AGAIN_S + 1)
    assert office.sent[-1] == ("gw-x", TRACE_S, "factory-x, platform-x")


async def test_only_who_may_change_the_gateway_traces_it(office: Office) -> None:
    for user in (office.y, office.enterprise):
        with pytest.raises(NotFound):
            await office.service.begin(user, office.devices["x"], HERE)
    begun = await office.service.begin(office.x, office.devices["x"], HERE)
    for user in (office.y, office.users["platform-x"]):
        with pytest.raises(NotFound):
            await office.service.renew(user, office.devices["x"], begun.trace)
        with pytest.raises(NotFound):
            await office.service.end(user, office.devices["x"], begun.trace)
    with pytest.raises(NotFound):
        await office.service.renew(office.x, office.devices["y"], begun.trace)
    assert (await office.service.page(office.y.scope, 1, 20, "", None)).total == 0
    assert (await office.service.page(office.x.scope, 1, 20, "PUMP X", office.devices["x"])).total == 1
    assert (await office.service.page(office.x.scope, 1, 20, "nobody", None)).total == 0


async def test_a_gateway_with_an_access_password_wants_it(office: Office) -> None:
    number = office.devices["x"]
    passwords = office.services.devices.access_passwords
    await passwords.put(office.x, number, "geheim&1", HERE)
    with pytest.raises(NoPermission) as refused:
        await office.service.begin(office.x, number, HERE)
    assert refused.value.reason == "access_password.needed"
    assert office.sent == []


async def test_taken_access_and_a_barred_user_end_it(office: Office) -> None:
    await office.service.begin(office.x, office.devices["x"], HERE)
    await office.service.begin(office.users["platform-x"], office.devices["x"], HERE)
    await office.service.access_taken(office.devices["x"], office.x.id)
    office.report("gw-x", 1)
    assert office.entries(office.x) == []
    assert office.states(office.x)[-1][1] == "access"
    office.barred.add(office.users["platform-x"].id)
    await office.pass_s(AGAIN_S + 1)
    assert office.sent[-1] == ("gw-x", 0, "")
    assert sorted(row.why for row in await office.rows()) == ["access", "user"]


async def test_a_gateway_that_goes_and_comes_back_is_asked_anew(office: Office) -> None:
    begun = await office.service.begin(office.x, office.devices["x"], HERE)
    office.report("gw-x", 1)
    del office.pulses["gw-x"]
    office.service.gone("gw-x")
    asked = len(office.sent)
    await office.pass_s(AGAIN_S + 1)
    assert len(office.sent) == asked, "it is away"
    assert (await office.service.renew(office.x, office.devices["x"], begun.trace)).state == "offline"
    office.service.taken("gw-x", True)
    await office.pass_s(1)
    assert len(office.sent) == asked + 1
    office.report("gw-x", 2)
    assert [state for state, _ in office.states(office.x)] == ["running", "offline", "waiting", "running"]


@pytest.mark.clause("C-240")
async def test_a_gateway_that_cannot_be_traced_is_never_asked(office: Office) -> None:
    office.pulses = {"gw-x": False}
    office.service.taken("gw-x", False)
    with pytest.raises(Conflict) as refused:
        await office.service.begin(office.x, office.devices["x"], HERE)
    assert refused.value.reason == "trace.not_supported"
    office.service.gone("gw-y")  # nothing is known of it until its next pulse
    begun = await office.service.begin(office.y, office.devices["y"], HERE)
    assert (begun.state, office.sent) == ("waiting", [])
    await office.pass_s(SILENT_S + 1)
    assert office.sent == []
    office.service.taken("gw-y", False)
    assert office.states(office.y)[-1] == ("not_supported", "")
    await office.pass_s(AGAIN_S)
    assert office.sent == []


async def test_a_gateway_without_an_answer_is_silent_and_one_offline_is_refused(office: Office) -> None:
    await office.service.begin(office.x, office.devices["x"], HERE)
    await office.pass_s(SILENT_S + 1)
    assert office.states(office.x) == [("silent", "")]
    office.report("gw-x")
    assert office.states(office.x)[-1] == ("running", "")
    await office.services.presence.state("gw-y", _offline())
    with pytest.raises(Conflict) as refused:
        await office.service.begin(office.y, office.devices["y"], HERE)
    assert refused.value.reason == "trace.offline"


async def test_without_a_broker_it_is_asked_as_soon_as_there_is_one(office: Office) -> None:
    office.is_broker_away = True
    await office.service.begin(office.x, office.devices["x"], HERE)
    await office.pass_s(3)
    assert office.sent == []
    office.is_broker_away = False
    await office.pass_s(1)
    assert office.sent == [("gw-x", TRACE_S, "factory-x")]


async def test_there_are_only_so_many(office: Office) -> None:
    for _ in range(MAX_OF_USER):
        await office.service.begin(office.x, office.devices["x"], HERE)
    with pytest.raises(Conflict) as refused:
        await office.service.begin(office.x, office.devices["x"], HERE)
    assert (refused.value.reason, refused.value.arguments) == ("trace.too_many", {"count": MAX_OF_USER})


async def test_the_record_survives_a_restart_and_goes_with_time(office: Office) -> None:
    await office.service.begin(office.x, office.devices["x"], HERE)
    office.service = office.again()
    await office.service.start()
    assert [row.why for row in await office.rows()] == ["restart"]
    office.service.taken("gw-x", True)
    await office.service.begin(office.x, office.devices["x"], HERE)
    await office.service.stop()
    assert office.sent[-1] == ("gw-x", 0, "")
    assert sorted(row.why for row in await office.rows()) == ["restart", "stopped"]
    now = office.services.clock.now
    await office.service.forget_old(now + RETENTION_MS)
    assert len(await office.rows()) == 2
    await office.service.forget_old(now + RETENTION_MS + 1)
    assert await office.rows() == []


async def test_a_deleted_gateway_leaves_nothing(office: Office) -> None:
    await office.service.begin(office.x, office.devices["x"], HERE)
    office.service.deleted("gw-x")
    assert office.states(office.x) == [("waiting", "deleted")]
    office.report("gw-x", 1)
    assert office.entries(office.x) == []
    await office.pass_s(AGAIN_S)


def _offline() -> object:
    from edge_contract.payloads import State

    return State(online=False, boot=hello().boot, t_ms=1, reason="stopped")
