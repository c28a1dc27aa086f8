"""What is known of a command's effect, requests that come twice, and what the audit says."""

from __future__ import annotations

import time
from typing import Any

import pytest
from fastapi.testclient import TestClient

from cloud.core.changes import listening
from cloud.core.scope import Scope
from cloud.domains.all import DOMAINS
from cloud.domains.audit.recorder import Recorder
from cloud.domains.audit.schemas import AuditFilter
from cloud.domains.audit.service import AuditService
from cloud.domains.commands.auditing import AuditReporter
from cloud.domains.commands.schemas import CommandBody, CommandStatus
from cloud.domains.commands.service import CommandService
from cloud.domains.identity.schemas import CurrentUser
from cloud.errors import Conflict
from cloud.link import LinkDown
from edge_contract.payloads import Command, CommandAction, CommandResult, Outcome

from ..application import token
from ..conftest import GATEWAY, SYSTEM, DomainServices, catalog, hello

NAMED = tuple(table for domain in DOMAINS for table in domain.named)

USER = CurrentUser(7, "operator", 0, frozenset({"Device/cmd"}), "", Scope.system())
OTHER = CurrentUser(8, "other", 0, frozenset({"Device/cmd"}), "", Scope.system())
REQUEST = "request-0001"


@pytest.fixture
async def online(services: DomainServices) -> DomainServices:
    points = catalog("pressure", "level")
    await services.presence.hello(GATEWAY, hello(points.hash))
    await services.catalogs.apply(GATEWAY, points)
    return services


async def ask(services: DomainServices, user: CurrentUser = USER, **body: Any) -> Any:
    if not {"dsid", "batch", "preset_id"} & set(body):
        body["dsid"] = await dsid(services)
    return await services.commands.request(user, CommandBody.model_validate({"value": 5, **body}), "10.0.0.9")


async def dsid(services: DomainServices, name: str = "pressure") -> int:
    return next(source.dsid for source in await services.devices.sources(SYSTEM, 1) if source.ds_name == name)


async def status(services: DomainServices, command: str) -> CommandStatus:
    return await services.commands.status(SYSTEM, command)


async def tell(services: DomainServices, command: str, state: str, **words: Any) -> CommandStatus:
    await services.commands.result(GATEWAY, CommandResult(id=command, state=state, t_ms=1, **words))
    return await status(services, command)


@pytest.mark.clause("C-125")
@pytest.mark.parametrize(
    ("state", "code", "told", "outcome"),
    [
        ("resp", "", Outcome.DONE, "done"),
        ("fail", "no_answer", Outcome.UNKNOWN, "unknown"),
        ("fail", "no_answer", Outcome.FAILED, "failed"),
        ("fail", "mismatch", Outcome.FAILED, "failed"),
        ("fail", "no_answer", None, "unknown"),
        ("fail", "interrupted", None, "unknown"),
        ("fail", "port_lent", None, "failed"),
        ("error", "bad_value", None, "failed"),
        ("fail", "no_answer", Outcome.DONE, "unknown"),
    ],
)
async def test_the_outcome_of_a_result(
    online: DomainServices, state: str, code: str, told: Outcome | None, outcome: str
) -> None:
    """Also of an agent that tells none, and of one that contradicts itself."""
    command = (await ask(online)).id
    assert (await status(online, command)).outcome == ""
    assert (await tell(online, command, state, code=code, outcome=told)).outcome == outcome


@pytest.mark.clause("C-073")
@pytest.mark.clause("C-126")
async def test_a_settlement_is_added_and_changes_no_state(online: DomainServices) -> None:
    command = (await ask(online)).id
    await tell(online, command, "fail", code="no_answer", outcome=Outcome.UNKNOWN, latency_ms=1000)
    words = {"code": "no_answer", "latency_ms": 1000, "value": 5, "seen_ms": 77}
    after = await tell(online, command, "fail", outcome=Outcome.RESOLVED_WRITTEN, **words)
    assert (after.status, after.code, after.outcome) == ("fail", "no_answer", "settled_written")
    assert (after.result_value, after.seen_ms, after.latency_ms) == (5, 77, 1000)
    assert online.pushed[-1].outcome == "settled_written"
    told = len(online.pushed)
    again = await tell(online, command, "fail", outcome=Outcome.RESOLVED_OTHER, **words | {"value": 4})
    assert (again.outcome, again.result_value) == ("settled_written", 5), "it is settled once"
    assert (await tell(online, command, "fail", outcome=Outcome.UNKNOWN, code="no_answer")) == again
    assert len(online.pushed) == told


async def test_a_settlement_that_comes_alone_or_before(online: DomainServices) -> None:
    """The gateway sends the settled result in place of one that was never acknowledged."""
    command = (await ask(online)).id
    words = {"code": "no_answer", "value": 4, "seen_ms": 9}
    after = await tell(online, command, "fail", outcome=Outcome.RESOLVED_OTHER, **words)
    assert (after.status, after.outcome, after.seen_ms) == ("fail", "settled_other", 9)
    assert (await tell(online, command, "fail", outcome=Outcome.UNKNOWN)).outcome == "settled_other"


@pytest.mark.clause("C-125")
async def test_a_write_without_a_result_is_unknown_and_a_late_result_settles_it(
    online: DomainServices,
) -> None:
    first, second, third = [(await ask(online)).id for _ in range(3)]
    read = (await ask(online, action="R", value=None)).id
    online.clock.pass_s(30)
    await online.commands.expire()
    assert [(await status(online, one)).outcome for one in (first, second, third, read)] == [
        "unknown", "unknown", "unknown", "failed",
    ]  # fmt: skip
    late = await tell(online, first, "resp", value=5, outcome=Outcome.DONE)
    assert (late.status, late.code, late.outcome, late.seen_ms) == (
        "networkError",
        "late",
        "settled_written",
        1,
    )
    refused = await tell(online, second, "fail", code="expired", outcome=Outcome.FAILED)
    assert (refused.status, refused.outcome) == ("networkError", "failed")
    unknown = await tell(online, third, "fail", code="no_answer", outcome=Outcome.UNKNOWN)
    assert (unknown.status, unknown.outcome) == ("networkError", "unknown")
    settled = await tell(online, third, "fail", code="no_answer", outcome=Outcome.RESOLVED_OTHER, seen_ms=5)
    assert (settled.status, settled.outcome, settled.seen_ms) == ("networkError", "settled_other", 5)


@pytest.mark.clause("C-125")
async def test_what_was_never_sent_has_failed(services: DomainServices) -> None:
    await services.catalogs.apply(GATEWAY, catalog("pressure"))
    offline = (await ask(services)).id
    kept = (await ask(services, wait=True, expires_s=60)).id
    assert (await status(services, offline)).outcome == "failed"
    services.clock.pass_s(100)
    await services.commands.expire()
    assert (await status(services, kept)).outcome == "failed"


@pytest.mark.clause("C-125")
@pytest.mark.parametrize(("may_have_sent", "outcome"), [(True, "unknown"), (False, "failed")])
@pytest.mark.parametrize("wait", [True, False])
async def test_a_link_that_breaks_while_it_sends(
    online: DomainServices, may_have_sent: bool, outcome: str, wait: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def lost(gateway: str, command: Command) -> None:
        raise LinkDown("connection lost", may_have_sent=may_have_sent)

    monkeypatch.setattr(online.commands._sender, "_send", lost)
    command = (await ask(online, wait=wait)).id
    online.clock.pass_s(100)
    await online.commands.expire()
    assert (await status(online, command)).outcome == outcome


@pytest.mark.clause("C-125")
async def test_a_process_that_died_while_sending_does_not_say_failed(
    online: DomainServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Died(BaseException):
        pass

    async def die(gateway: str, command: Command) -> None:
        raise Died

    monkeypatch.setattr(online.commands._sender, "_send", die)
    with pytest.raises(Died):
        await ask(online)
    online.clock.pass_s(100)
    await online.commands.expire()
    (row,) = (await online.commands.page(SYSTEM, 1, 1, 9)).rows
    assert (row.status, row.outcome) == ("networkError", "unknown")


async def test_a_batch_counts_the_unknown_apart(online: DomainServices) -> None:
    number = await dsid(online)
    ref = await ask(online, batch=[{"dsid": number, "value": value} for value in (1, 2, 3)])
    await tell(online, ref.ids[0], "resp", outcome=Outcome.DONE)
    await tell(online, ref.ids[1], "fail", code="no_answer", outcome=Outcome.UNKNOWN)
    progress = await online.commands.batch(SYSTEM, ref.batch_id)
    assert (progress.finished, progress.outcomes) == (2, {"done": 1, "unknown": 1})


# Requests that come twice


@pytest.mark.clause("C-127")
async def test_a_repeated_request_sends_nothing(online: DomainServices) -> None:
    first = await ask(online, request_id=REQUEST)
    again = await ask(online, request_id=REQUEST)
    assert (again.id, again.repeated, first.repeated) == (first.id, True, False)
    assert len(online.sent) == 1
    assert (await ask(online, OTHER, request_id=REQUEST)).id != first.id, "an id is its user's own"
    with pytest.raises(Conflict) as error:
        await ask(online, request_id=REQUEST, value=6)
    assert error.value.reason == "command.other_request"
    assert len(online.sent) == 2


@pytest.mark.clause("C-127")
async def test_a_repeated_batch_and_action(online: DomainServices) -> None:
    batch = [{"dsid": await dsid(online), "value": value} for value in (1, 2)]
    first = await ask(online, batch=batch, request_id=REQUEST)
    again = await ask(online, batch=batch, request_id=REQUEST)
    assert (again.ids, again.batch_id, len(online.sent)) == (first.ids, first.batch_id, 2)
    for _ in range(2):
        await online.commands.act(USER, 1, CommandAction.REBOOT, request_id="reboot-0001")
    assert [command.action for _, command in online.sent[2:]] == ["reboot"]


@pytest.mark.clause("C-127")
async def test_two_presses_of_one_moment(online: DomainServices, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both have looked before either was stored: the table decides."""
    first = await ask(online, request_id=REQUEST)
    looked = online.commands._repeated
    looks = 0

    async def blind_once(user: CurrentUser, asked: Any) -> Any:
        nonlocal looks
        looks += 1
        return None if looks == 1 else await looked(user, asked)

    monkeypatch.setattr(online.commands, "_repeated", blind_once)
    again = await ask(online, request_id=REQUEST)
    assert (again.id, again.repeated, len(online.sent)) == (first.id, True, 1)


# The audit


class Audited:
    """Commands whose audit is written, as the middleware does it."""

    def __init__(self, services: DomainServices) -> None:
        self.services = services
        self.recorder = Recorder(services.database, NAMED)
        self.audit = AuditService(services.database, self.recorder)
        services.commands = CommandService(
            services.database,
            services.devices,
            services._send,
            services._pushed,
            audit=AuditReporter(self.audit),
            clock=services.clock,
        )

    async def ask(self, **body: Any) -> Any:
        with listening() as heard:
            ref = await ask(self.services, **body)
        assert heard.change is not None
        self.recorder.put(row(heard.change.differences(), heard.reference))
        return ref

    async def after(self, at: int = 0) -> dict[str, Any]:
        await self.services.commands.report_to_audit()
        page = await self.audit.page(USER, AuditFilter(), 1, 9)
        found: dict[str, Any] = page.rows[at].changes["after"]
        return found


def row(changes: dict[str, Any], reference: str | None) -> dict[str, Any]:
    return {
        "at_ms": 1, "user_id": 7, "user_name": "operator", "user_path": "/", "address": "", "method": "POST",
        "path": "/api/v1/device/cmd", "operation": "sendCommand", "ids": {}, "query": {}, "changes": changes,
        "status": 200, "code": 0, "duration_ms": 1, "request_id": "x", "reference": reference,
    }  # fmt: skip


@pytest.fixture
def audited(online: DomainServices) -> Audited:
    return Audited(online)


async def test_the_row_names_target_value_and_outcome(audited: Audited) -> None:
    services = audited.services
    command = (await audited.ask()).id
    before = await audited.after()
    target = {
        "gateway_id": GATEWAY, "device_title": "Test gateway", "slave": "boiler", "slave_title": "Boiler",
        "point": "pressure", "ds_title": "pressure", "dsid": await dsid(services), "action": "W", "value": 5,
    }  # fmt: skip
    assert before == {**target, "status": "create"}
    await tell(services, command, "fail", code="no_answer", outcome=Outcome.UNKNOWN)
    assert await audited.after() == {**target, "status": "fail", "outcome": "unknown", "code": "no_answer"}
    words = {"code": "no_answer", "value": 5, "seen_ms": 77}
    await tell(services, command, "fail", outcome=Outcome.RESOLVED_WRITTEN, **words)
    settled = await audited.after()
    assert (settled["outcome"], settled["read_back"], settled["seen_ms"]) == ("settled_written", 5, 77)


async def test_the_row_of_a_batch_is_told_when_all_have_ended(audited: Audited) -> None:
    services = audited.services
    number = await dsid(services)
    ref = await audited.ask(batch=[{"dsid": number, "value": value} for value in (1, 2)])
    await tell(services, ref.ids[0], "resp", value=1, outcome=Outcome.DONE)
    assert (await audited.after())["outcomes"] == "create 2"
    await tell(services, ref.ids[1], "fail", code="no_answer", outcome=Outcome.UNKNOWN)
    after = await audited.after()
    assert (after["total"], after["outcomes"]) == (2, "done 1, unknown 1")
    assert after["write_1"] == f"{GATEWAY} boiler.pressure (pressure, {number}) = 2: unknown no_answer"
    assert after["write_2"] == f"{GATEWAY} boiler.pressure (pressure, {number}) = 1: done, 1"


async def test_a_row_that_comes_after_the_end_is_filled_in(audited: Audited) -> None:
    """Another process records it, or the queue is slow."""
    services = audited.services
    with listening() as heard:
        command = (await ask(services)).id
    await tell(services, command, "resp", value=5, outcome=Outcome.DONE)
    await services.commands.report_to_audit()
    assert heard.change is not None
    audited.recorder.put(row(heard.change.differences(), heard.reference))
    await audited.recorder.flush()
    assert (await audited.after())["outcome"] == "done"


async def test_a_rule_has_a_row_when_its_outcome_changes(audited: Audited) -> None:
    services = audited.services
    number = await dsid(services)
    for state, code, outcome in (
        ("resp", "", Outcome.DONE), ("resp", "", Outcome.DONE), ("fail", "no_answer", Outcome.UNKNOWN),
        ("fail", "no_answer", Outcome.UNKNOWN), ("resp", "", Outcome.DONE),
    ):  # fmt: skip
        body = CommandBody.model_validate({"dsid": number, "value": 3})
        ref = await services.commands.request(USER, body, "exchange 4")
        await tell(services, ref.id, state, code=code, outcome=outcome)
        await services.commands.report_to_audit()
    rows = (await audited.audit.page(USER, AuditFilter(), 1, 9)).rows
    assert [(one.operation, one.address, one.changes["after"]["outcome"]) for one in rows] == [
        ("exchangeWrite", "exchange 4", "done"),
        ("exchangeWrite", "exchange 4", "unknown"),
        ("exchangeWrite", "exchange 4", "done"),
    ]


def test_over_http_the_row_has_its_end(client: TestClient) -> None:
    headers = {"X-Token": token(client)}
    reply = client.get("/api/v1/device/reload/1", headers=headers)
    assert reply.json()["data"]["status"] == "networkError"
    deadline = time.monotonic() + 20
    while True:
        rows = client.get("/api/v1/audit?operation=reloadDevice", headers=headers).json()["data"]["rows"]
        (mine,) = [one for one in rows if one["request_id"] == reply.headers["X-Request-Id"]]
        after = mine["changes"]["after"]
        if after.get("outcome") or time.monotonic() > deadline:
            break
        time.sleep(0.05)
    assert (after["gateway_id"], after["action"]) == ("gw-1", "reload")
    assert (after["status"], after["outcome"], after["code"]) == ("networkError", "failed", "offline")
