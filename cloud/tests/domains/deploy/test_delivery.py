"""Deployments that were sent and did not arrive: they go out again, or somebody takes them back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from cloud.core.changes import listening
from cloud.domains.deploy.deliveries import MAX_REMEMBERED, Deliveries
from cloud.errors import Conflict
from edge_contract.deployment import Step
from edge_contract.payloads import Running

from ...conftest import SYSTEM
from .conftest import ALICE, WANTED, A, C, Site

WEEK = {"wait": True, "expires_s": 604_800}


async def deployed(site: Site, *steps: Step, **body: Any) -> str:
    """A draft that was sent, and of which the gateway has told these steps."""
    await site.save(WANTED, A)
    deployment = await site.start(**(body or WEEK))
    for step in steps:
        await site.step(deployment, step, C if step is Step.SWITCHED else A)
    return deployment


async def end(site: Site, deployment: str) -> tuple[str, str]:
    status = await site.deploy.status(SYSTEM, deployment)
    return status.state, status.code


def sent(site: Site) -> list[str]:
    return [message.id for _, message in site.sent]


@pytest.mark.clause("C-096")
@pytest.mark.parametrize(
    "steps", [(), (Step.RECEIVED,), (Step.RECEIVED, Step.STAGED), (Step.SWITCHED,)], ids=str
)
async def test_what_a_gateway_does_not_name_when_it_comes_goes_out_again(
    site: Site, steps: Sequence[Step]
) -> None:
    deployment = await deployed(site, *steps, expires_s=60)
    before = await end(site, deployment)
    await site.deploy.send_waiting()
    assert sent(site) == [deployment]
    await site.offline()
    await site.deploy.send_waiting()
    assert sent(site) == [deployment]
    await site.online(Running(hash=A, deployment="deploy-before", step=Step.CONFIRMED))
    site.link_down = True
    await site.deploy.send_waiting()
    site.link_down = False
    await site.deploy.send_waiting()
    await site.deploy.send_waiting()
    assert sent(site) == [deployment] * 2
    assert site.sent[0] == site.sent[1]
    assert await end(site, deployment) == before
    await site.step(deployment, Step.CONFIRMED, C)
    await site.online()
    await site.deploy.send_waiting()
    assert sent(site) == [deployment] * 2


@pytest.mark.clause("C-096")
async def test_what_it_names_or_what_has_expired_does_not(site: Site) -> None:
    deployment = await deployed(site, expires_s=60)
    await site.online(Running(hash=A, deployment=deployment, step=Step.RECEIVED))
    await site.deploy.send_waiting()
    await site.online()
    await site.runs(C, deployment, Step.SWITCHED)  # a pulse
    await site.deploy.send_waiting()
    site.services.clock.pass_s(61)
    await site.online()
    await site.deploy.send_waiting()
    assert sent(site) == [deployment]


async def test_what_was_written_down_and_not_published_is_found_by_the_next_start(site: Site) -> None:
    deployment = await deployed(site)
    again = Site(site.services)
    await again.deploy.send_waiting()
    await again.deploy.send_waiting()
    assert sent(again) == [deployment]
    await again.step(deployment, Step.RECEIVED, A)
    told = Site(site.services)
    await told.online(Running(hash=C, deployment=deployment, step=Step.SWITCHED))
    await told.deploy.send_waiting()
    assert sent(told) == []


async def test_a_version_that_is_gone_ends_it(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    deployment = await deployed(site)

    async def none(*_: object) -> None:
        return None

    monkeypatch.setattr("cloud.domains.deploy.service.DeployRepository.document", none)
    await site.online()
    await site.deploy.send_waiting()
    assert await end(site, deployment) == ("networkError", "no_document")


async def test_a_round_goes_on_where_the_one_before_ended(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cloud.domains.deploy.service.AT_ONCE", 1)
    deployment = await deployed(site)
    for _ in range(2):
        await site.online()
        for _ in range(2):  # the second one finds nothing behind the first, and begins anew
            await site.deploy.send_waiting()
    assert sent(site) == [deployment] * 3


@pytest.mark.parametrize("steps", [(), (Step.RECEIVED, Step.STAGED)], ids=str)
async def test_what_is_unanswered_can_be_cancelled_and_the_next_one_is_sent(
    site: Site, steps: Sequence[Step]
) -> None:
    deployment = await deployed(site, *steps)
    with pytest.raises(Conflict):
        await site.start(force=True)
    told = await site.deploy.cancel(ALICE, deployment)
    assert (told.state, told.code, told.finished_ms) == ("cancelled", "may_run", site.services.clock.now)
    assert site.pushed[-1].state == "cancelled"
    await site.online()
    await site.deploy.send_waiting()
    assert sent(site) == [deployment]
    following = await site.start()
    assert sent(site) == [deployment, following]
    with pytest.raises(Conflict) as error:
        await site.deploy.cancel(ALICE, deployment)
    assert (error.value.status, error.value.rule) == (409, "not_waiting")


async def test_what_waits_can_be_cancelled_and_is_never_sent(site: Site) -> None:
    await site.offline()
    deployment = await deployed(site)
    assert (await site.deploy.cancel(ALICE, deployment)).code == ""
    await site.online()
    await site.deploy.send_waiting()
    assert sent(site) == []
    assert (await site.state()).draft.hash == C


async def test_the_audit_is_told_whose_deployment_was_ended(site: Site) -> None:
    deployment = await deployed(site)
    with listening() as heard:
        await site.deploy.cancel(ALICE, deployment)
    assert heard.touched == {"device_id": "1"}
    following = await site.start()
    await site.step(following, Step.SWITCHED, C)
    with listening() as heard:
        await site.deploy.on_trial(ALICE, following)
    assert heard.touched == {"device_id": "1"}


@pytest.mark.clause("C-096")
async def test_a_cancelled_one_that_the_gateway_carries_out_is_shown_as_that(site: Site) -> None:
    deployment = await deployed(site, Step.RECEIVED)
    await site.deploy.cancel(ALICE, deployment)
    await site.step(deployment, Step.RECEIVED, A)  # repeated: no news
    assert await end(site, deployment) == ("cancelled", "may_run")
    following = await site.start()
    await site.step(deployment, Step.SWITCHED, C)
    state = await site.state()
    assert (state.running.hash, state.running.origin, state.local_edit) == (C, "cloud", False)
    await site.step(following, Step.REFUSED, C)
    state = await site.state()
    assert (state.deployment.id, state.deployment.state, state.local_edit) == (deployment, "switched", False)
    assert (state.deployment.finished_ms, state.deployment.code) == (None, "")
    assert await site.deploy.on_trial(ALICE, deployment) == 1
    with pytest.raises(Conflict):
        await site.deploy.cancel(ALICE, deployment)
    await site.step(deployment, Step.CONFIRMED, C)
    state = await site.state()
    assert (state.accepted, state.running.hash, state.local_edit) == (C, C, False)


async def test_a_pulse_tells_of_a_cancelled_one_too(site: Site) -> None:
    deployment = await deployed(site)
    await site.deploy.cancel(ALICE, deployment)
    await site.runs(C, deployment, Step.SWITCHED)
    assert await end(site, deployment) == ("switched", "")
    await site.step(deployment, Step.REVERTED, A)
    assert await end(site, deployment) == ("reverted", "")


def test_a_few_are_remembered_of_each_gateway() -> None:
    deliveries = Deliveries()
    for number in range(MAX_REMEMBERED + 1):
        deliveries.note("gw-1", f"deploy-{number}")
        deliveries.note("gw-1", f"deploy-{number}")
    found = [deliveries.has("gw-1", f"deploy-{number}") for number in range(MAX_REMEMBERED + 1)]
    assert found == [False] + [True] * MAX_REMEMBERED
    assert not deliveries.has("gw-2", f"deploy-{MAX_REMEMBERED}")
    deliveries.lost("gw-2", "deploy-1")
