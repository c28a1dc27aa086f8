"""Deployments from request to end: order of receipts, offline, conflicts, checks, giving up."""

from __future__ import annotations

import asyncio

import pytest

from cloud.core.scope import Scope
from cloud.domains.deploy.schemas import DeployBody
from cloud.domains.devices.service import DeviceService
from cloud.errors import Conflict, NoPermission, NotFound
from edge_contract.deployment import Change, Missing, Origin, PortLoad, Step, document_hash

from ...conftest import GATEWAY, SYSTEM, DomainServices
from .conftest import ALICE, EDITED, FOUND, WANTED, A, C, L, Site, document, fault, receipt

NOBODY = "f" * 64


async def end(site: Site, deployment: str) -> tuple[str, str]:
    status = await site.deploy.status(SYSTEM, deployment)
    return status.state, status.code


async def test_a_draft_is_sent_on_its_base_and_followed_to_its_end(site: Site) -> None:
    await site.save(WANTED, A)
    deployment = await site.start(confirm_s=120, healthy_share=0.8)
    gateway, sent = site.sent[0]
    assert (gateway, sent.hash, sent.base, sent.check_only) == (GATEWAY, C, A, False)
    assert document_hash(sent.document) == C
    assert (sent.confirm_s, sent.healthy_share) == (120, 0.8)
    assert sent.expires_ms == site.services.clock.now + 60_000
    for step, running in ((Step.RECEIVED, A), (Step.STAGED, A), (Step.SWITCHED, C)):
        await site.step(deployment, step, running)
        assert not (await site.state()).local_edit
    await site.step(deployment, Step.CONFIRMED, C)
    state = await site.state()
    assert (state.accepted, state.running.hash, state.running.origin, state.newest) == (C, C, "cloud", C)
    assert (state.draft, state.local_edit, state.deployment.state) == (None, False, "confirmed")
    detail = await site.deploy.detail(SYSTEM, deployment)
    assert [step.step for step in detail.steps] == ["received", "staged", "switched", "confirmed"]
    assert (detail.user, detail.finished_ms) == ("alice", site.services.clock.now)
    states = [push.state for push in site.pushed]
    assert states == ["created", "sent", "received", "staged", "switched", "confirmed"]
    await site.configurations.ask_unexplained()
    assert site.asked == []


@pytest.mark.clause("C-096")
async def test_receipts_repeated_out_of_order_or_of_others_harm_nothing(site: Site) -> None:
    await site.services.claims.claim("gw-foreign", "Foreign")
    await site.save(WANTED, A)
    deployment = await site.start()
    await site.step(deployment, Step.CONFIRMED, C, gateway="gw-foreign")
    await site.step("unknown-deployment", Step.CONFIRMED, C)
    assert await end(site, deployment) == ("sent", "")
    for step, running in (
        (Step.SWITCHED, C),
        (Step.STAGED, A),
        (Step.SWITCHED, C),
        (Step.CONFIRMED, C),
        (Step.RECEIVED, A),
        (Step.CONFIRMED, C),
        (Step.REVERTED, A),
    ):
        await site.step(deployment, step, running)
    assert await end(site, deployment) == ("confirmed", "")
    state = await site.state()
    assert (state.running.hash, state.accepted) == (C, C)
    steps = [step.step for step in (await site.deploy.detail(SYSTEM, deployment)).steps]
    assert sorted(steps) == ["confirmed", "received", "reverted", "staged", "switched"]


async def test_reverted_says_why_and_keeps_the_draft(site: Site) -> None:
    await site.save(WANTED, A)
    deployment = await site.start()
    await site.step(deployment, Step.SWITCHED, C)
    answer = receipt(Step.REVERTED, A, deployment, code="points", detail="2 of 5 points are good again")
    await site.deploy.receipt(GATEWAY, answer)
    assert await end(site, deployment) == ("reverted", "points")
    state = await site.state()
    assert (state.running.hash, state.running.origin, state.accepted) == (A, "file", A)
    assert (state.draft.hash, state.draft.behind, state.newest, state.local_edit) == (C, False, C, False)


async def test_one_click_return_to_an_older_version(site: Site) -> None:
    await site.save(WANTED, A)
    await site.step(await site.start(), Step.CONFIRMED, C)
    back = await site.start(hash=A)
    assert (site.sent[-1][1].hash, site.sent[-1][1].base) == (A, C)
    await site.step(back, Step.CONFIRMED, A)
    state = await site.state()
    assert (state.running.hash, state.accepted, state.newest, state.draft) == (A, A, A, None)
    page = await site.deploy.page(SYSTEM, 1, 1, 1)
    assert (page.total, len(page.rows)) == (2, 1)
    tasks = await site.deploy.tasks(SYSTEM, 1, 10, GATEWAY.upper(), False)
    assert [(row.gateway_id, row.state) for row in tasks.rows] == [(GATEWAY, "confirmed")] * 2
    assert (await site.deploy.tasks(SYSTEM, 1, 10, "", True)).total == 0
    assert (await site.deploy.tasks(SYSTEM, 1, 10, "nobody", None)).total == 0
    assert (await site.deploy.tasks(Scope(9, "/9/"), 1, 10, "", None)).total == 0


async def test_nothing_to_deploy_and_unknown_versions(site: Site) -> None:
    with pytest.raises(Conflict) as error:
        await site.start()
    assert (error.value.status, error.value.rule) == (409, "nothing_to_deploy")
    for wrong in (site.start(hash=NOBODY), site.deploy.request(ALICE, 9, DeployBody())):
        with pytest.raises(NotFound):
            await wrong
    assert site.sent == []


@pytest.mark.clause("C-092")
async def test_a_local_edit_is_never_overwritten_unseen(site: Site) -> None:
    await site.save(WANTED, A)
    await site.runs(L)
    for body in ({}, {"hash": A}, {"hash": C, "base": A}):
        with pytest.raises(Conflict) as error:
            await site.start(**body)
        assert error.value.rule == "local_edit"
    await site.reports(EDITED, Origin.LOCAL)
    with pytest.raises(Conflict):
        await site.start()
    assert site.sent == []
    await site.step(await site.start(base=L), Step.REFUSED, L)
    assert site.sent[-1][1].base == L
    await site.start(force=True)
    assert site.sent[-1][1].base is None


async def test_deploying_what_was_edited_locally_accepts_it(site: Site) -> None:
    await site.runs(L)
    await site.reports(EDITED, Origin.LOCAL)
    deployment = await site.start(hash=L)
    assert site.sent[-1][1].base == L
    await site.step(deployment, Step.UNCHANGED, L)
    state = await site.state()
    assert (state.accepted, state.local_edit, state.running.origin) == (L, False, "local")


async def test_a_gateway_that_never_spoke_needs_force(services: DomainServices) -> None:
    site = Site(services)
    astray = await site.save(WANTED, None)
    await site.save(WANTED | {"cloud": {"url": "mqtt://cloud.example"}}, astray)
    with pytest.raises(Conflict) as error:
        await site.start(wait=True)
    assert error.value.rule == "unknown_running"
    with pytest.raises(Conflict) as error:
        await site.start(hash=astray, force=True, wait=True, changes_link=True)
    assert error.value.rule == "link_lost", "nobody could reach it any more"
    await site.start(force=True, wait=True)


async def test_only_the_owner_changes_how_a_gateway_is_reached(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It gives its secret to whoever answers there."""

    async def of_nobody(*_: object) -> set[int]:
        return set()

    monkeypatch.setattr(DeviceService, "owns", of_nobody)
    await site.save(WANTED | {"cloud": {"url": "mqtts://elsewhere.example"}}, A)
    for changes_link in (False, True):
        with pytest.raises(NoPermission) as error:
            await site.start(changes_link=changes_link)
        assert error.value.reason == "device.not_owner"
    assert site.sent == []


async def test_conflict_that_only_the_gateway_knew_is_asked_about(site: Site) -> None:
    await site.save(WANTED, A)
    deployment = await site.start()
    answer = receipt(Step.REFUSED, L, deployment, code="conflict", detail="it runs another one")
    await site.deploy.receipt(GATEWAY, answer)
    assert await end(site, deployment) == ("refused", "conflict")
    assert (await site.state()).local_edit
    await site.configurations.ask_unexplained()
    assert site.asked == [1]


async def test_one_deployment_at_a_time(site: Site) -> None:
    await site.save(WANTED, A)
    await site.start()
    with pytest.raises(Conflict) as error:
        await site.start()
    assert error.value.rule == "busy"


async def test_of_deployments_at_the_same_moment_one_is_sent(site: Site) -> None:
    await site.save(WANTED, A)
    asked = await asyncio.gather(*(site.start(wait=True) for _ in range(4)), return_exceptions=True)
    assert any(isinstance(each, str) for each in asked)
    await site.deploy.send_waiting()
    page = await site.deploy.page(SYSTEM, 1, 1, 20)
    sent = [row.id for row in page.rows if row.state == "sent"]
    assert sent == [message.id for _, message in site.sent]
    assert len(sent) == 1


async def test_offline_ends_at_once_or_waits(site: Site) -> None:
    await site.save(WANTED, A)
    await site.offline()
    assert await end(site, await site.start()) == ("networkError", "offline")
    first = await site.start(wait=True, expires_s=3600)
    kept = await site.start(wait=True, expires_s=3600)
    assert await end(site, first) == ("expired", "replaced")
    await site.deploy.send_waiting()
    assert site.sent == []
    await site.online()
    await site.deploy.send_waiting()
    await site.deploy.send_waiting()
    assert [message.id for _, message in site.sent] == [kept]
    assert await end(site, kept) == ("sent", "")


async def test_waiting_ends_with_its_expiry(site: Site) -> None:
    await site.save(WANTED, A)
    await site.offline()
    kept = await site.start(wait=True, expires_s=3600)
    site.services.clock.pass_s(3600)
    await site.deploy.expire()
    assert await end(site, kept) == ("created", "")
    site.services.clock.pass_s(1)
    await site.deploy.expire()
    assert await end(site, kept) == ("expired", "not_reached")
    await site.online()
    await site.deploy.send_waiting()
    assert site.sent == []


async def test_broker_away(site: Site) -> None:
    await site.save(WANTED, A)
    site.link_down = True
    assert await end(site, await site.start()) == ("networkError", "link_down")
    kept = await site.start(wait=True)
    assert await end(site, kept) == ("created", "")
    site.link_down = False
    await site.deploy.send_waiting()
    assert await end(site, kept) == ("sent", "")


async def test_without_a_final_receipt_the_cloud_gives_up_until_one_comes(site: Site) -> None:
    await site.save(WANTED, A)
    deployment = await site.start(confirm_s=100)
    await site.step(deployment, Step.SWITCHED, C)
    site.services.clock.pass_s(60 + 100 + 29)
    await site.deploy.expire()
    assert await end(site, deployment) == ("switched", "")
    site.services.clock.pass_s(2)
    await site.deploy.expire()
    assert await end(site, deployment) == ("networkError", "no_receipt")
    assert not (await site.state()).local_edit
    await site.step(deployment, Step.CONFIRMED, C)
    assert await end(site, deployment) == ("confirmed", "")
    assert (await site.state()).accepted == C


@pytest.mark.clause("C-090")
async def test_pulse_moves_a_deployment_whose_receipts_were_lost(site: Site) -> None:
    await site.save(WANTED, A)
    deployment = await site.start()
    await site.runs(C, deployment, Step.SWITCHED)
    assert await end(site, deployment) == ("switched", "")
    await site.runs(C, deployment, Step.CONFIRMED)
    state = await site.state()
    assert (state.accepted, state.running.origin, state.deployment.state) == (C, "cloud", "switched")
    await site.step(deployment, Step.CONFIRMED, C)
    assert await end(site, deployment) == ("confirmed", "")


async def test_pulse_corrects_a_receipt_of_before_an_outage(site: Site) -> None:
    await site.save(WANTED, A)
    deployment = await site.start()
    await site.runs(L, deployment, Step.CONFIRMED)
    await site.reports(EDITED, Origin.LOCAL)
    await site.step(deployment, Step.CONFIRMED, C)
    await site.runs(L, deployment, Step.CONFIRMED)
    state = await site.state()
    assert (state.running.hash, state.accepted, state.local_edit) == (L, C, True)


@pytest.mark.clause("C-098")
async def test_check_tells_faults_and_load_and_leaves_everything(site: Site) -> None:
    await site.save(WANTED, A)
    change = Change(
        points_added=1,
        points_removed=0,
        points_changed=0,
        ports=[PortLoad(port="lan", before=41.0, after=78.0)],
    )
    site.answers = [
        receipt(Step.CHECKED, A, faults=[fault("points[0].ratio", "a finite\0 number")], change=change)
    ]
    found = await site.deploy.check(ALICE, 1, None)
    assert (site.sent[0][1].check_only, site.sent[0][1].base, site.sent[0][1].hash) == (True, None, C)
    assert (found.state, found.check_only, found.user) == ("checked", True, "alice")
    assert [(each.field, each.rule) for each in found.faults] == [("points[0].ratio", "a finite number")]
    assert found.change is not None
    assert found.change.ports[0].model_dump() == {"port": "lan", "before": 41.0, "after": 78.0}
    state = await site.state()
    assert (state.draft.hash, state.accepted, state.deployment) == (C, A, None)
    assert (await site.deploy.page(SYSTEM, 1, 1, 20)).total == 0


async def test_check_of_an_unchanged_document_does_not_accept_it(site: Site) -> None:
    await site.runs(L)
    await site.reports(EDITED, Origin.LOCAL)
    site.answers = [receipt(Step.UNCHANGED, L)]
    assert (await site.deploy.check(ALICE, 1, L)).state == "unchanged"
    assert (await site.state()).local_edit


async def test_check_without_answer_ends_in_its_time(site: Site) -> None:
    found = await site.deploy.check(ALICE, 1, A)
    assert (found.state, found.code) == ("networkError", "no_receipt")
    await site.offline()
    found = await site.deploy.check(ALICE, 1, A)
    assert (found.state, found.code, len(site.sent)) == ("networkError", "offline", 1)
    with pytest.raises(NotFound):
        await site.deploy.check(ALICE, 1, NOBODY)


async def test_what_a_deployment_needs_is_not_forgotten(services: DomainServices) -> None:
    site = Site(services, keep=1)
    await site.online()
    await site.runs(A)
    await site.reports(FOUND)
    await site.save(WANTED, A)
    await site.offline()
    kept = await site.start(wait=True)
    base = C
    for number in range(4):
        base = await site.save(document(f"p{number}"), base)
    await site.online()
    await site.deploy.send_waiting()
    assert await end(site, kept) == ("sent", "")
    assert document_hash(FOUND) in {version.hash for version in (await site.state()).versions}


@pytest.mark.clause("C-099")
async def test_a_trial_tells_what_is_missing_until_it_ends(site: Site) -> None:
    await site.save(WANTED, A)
    deployment = await site.start()
    await site.step(deployment, Step.SWITCHED, C)
    assert (await site.deploy.detail(SYSTEM, deployment)).missing is None
    known = len(site.pushed)
    missing = Missing(slaves=["meter"], points=["meter.Ua"], slaves_all=1, points_all=30, link=True)
    for _ in range(2):  # told again, pushed once
        await site.deploy.receipt(GATEWAY, receipt(Step.SWITCHED, C, deployment, missing=missing))
    found = (await site.deploy.detail(SYSTEM, deployment)).missing
    assert found is not None
    assert (found.slaves, found.points, found.points_all, found.link) == (["meter"], ["meter.Ua"], 30, True)
    assert len(site.pushed) == known + 1
    await site.step(deployment, Step.SWITCHED, C)
    assert (await site.deploy.detail(SYSTEM, deployment)).missing is None
    left = Missing(slaves=["meter"], slaves_all=1)
    answer = receipt(Step.REVERTED, A, deployment, code="slaves", missing=left)
    await site.deploy.receipt(GATEWAY, answer)
    end_ = (await site.deploy.detail(SYSTEM, deployment)).missing
    assert end_ is not None
    assert (end_.slaves, end_.link) == (["meter"], False)
    await site.deploy.receipt(GATEWAY, receipt(Step.SWITCHED, C, deployment, missing=missing))
    assert (await site.deploy.detail(SYSTEM, deployment)).missing == end_  # an old word changes nothing


async def test_only_what_is_on_trial_can_be_returned(site: Site) -> None:
    await site.save(WANTED, A)
    deployment = await site.start()
    with pytest.raises(Conflict) as error:
        await site.deploy.on_trial(ALICE, deployment)
    assert (error.value.status, error.value.rule) == (409, "no_trial")
    await site.step(deployment, Step.SWITCHED, C)
    assert await site.deploy.on_trial(ALICE, deployment) == 1
    await site.step(deployment, Step.CONFIRMED, C)
    with pytest.raises(Conflict):
        await site.deploy.on_trial(ALICE, deployment)


async def test_a_draft_on_trial_is_not_behind_and_one_that_did_not_hold_says_so(site: Site) -> None:
    await site.save(WANTED, A)
    deployment = await site.start()
    await site.step(deployment, Step.SWITCHED, C)
    draft = (await site.state()).draft
    assert (draft.hash, draft.behind, draft.reverted) == (C, False, None)
    answer = receipt(Step.REVERTED, A, deployment, code="points", detail="2 of 5")
    await site.deploy.receipt(GATEWAY, answer)
    draft = (await site.state()).draft
    assert (draft.behind, draft.reverted.deployment, draft.reverted.code) == (False, deployment, "points")
    assert draft.reverted.finished_ms == site.services.clock.now
    await site.save(EDITED, C)
    assert (await site.state()).draft.reverted is None
