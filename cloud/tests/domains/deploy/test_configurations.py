"""Versions, drafts, two editors, and edits made on the gateway."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from cloud.errors import Conflict, NotFound, ParameterError
from edge_contract.deployment import ConfigurationReport, Origin, Step, document_hash
from edge_contract.document.masking import MASK
from edge_contract.payloads import Running

from ...conftest import GATEWAY, SYSTEM, DomainServices
from .conftest import ALICE, BOB, EDITED, FOUND, WANTED, A, C, L, Site, document

BOTH = document_hash(document("Ua", "Uc", "Ub"))
VIEWER = replace(ALICE, permissions=frozenset({"Monitor.DeviceMonitor"}))


@pytest.mark.clause("C-090")
async def test_first_contact_adopts_what_the_gateway_was_installed_with(services: DomainServices) -> None:
    site = Site(services)
    await site.online()
    await site.runs(A)
    state = await site.state()
    assert (state.running.hash, state.running.origin, state.running.known) == (A, None, False)
    await site.configurations.ask_unexplained()
    await site.configurations.ask_unexplained()
    assert site.asked == [1]
    await site.reports(FOUND)
    state = await site.state()
    assert (state.running.hash, state.running.origin, state.running.since_ms) == (A, "file", 5)
    assert (state.running.known, state.accepted, state.newest, state.local_edit) == (True, A, A, False)
    assert [(version.hash, version.origin, version.points) for version in state.versions] == [(A, "file", 1)]
    await site.configurations.ask_unexplained()
    assert site.asked == [1]


async def test_asking_waits_for_the_gateway_and_is_repeated_at_leisure(services: DomainServices) -> None:
    site = Site(services)
    await site.online()
    await site.runs(A)
    await site.offline()
    await site.configurations.ask_unexplained()
    assert site.asked == []
    await site.online()
    for pause_s, asked in ((0, 1), (299, 1), (2, 2)):
        services.clock.pass_s(pause_s)
        await site.configurations.ask_unexplained()
        assert len(site.asked) == asked


async def test_a_report_that_is_not_what_its_hash_says_is_not_kept(services: DomainServices) -> None:
    site = Site(services)
    for gateway, name in ((GATEWAY, A), ("gw-unclaimed", C)):
        report = ConfigurationReport(hash=name, origin=Origin.LOCAL, t_ms=1, document=WANTED)
        await site.configurations.report(gateway, report)
    assert (await site.state()).versions == []


async def test_a_report_deeper_than_a_draft_may_be_is_not_kept(
    services: DomainServices, caplog: pytest.LogCaptureFixture
) -> None:
    site = Site(services)
    for depth, total in ((13, 0), (300, 0), (12, 1)):
        nested: object = []
        for _ in range(depth - 2):
            nested = [nested]
        await site.reports(document("Ua", x=[nested]))
        assert (await site.state()).total == total
    found = await site.configurations.document(VIEWER, 1, (await site.state()).running.hash)
    assert found.masked
    assert caplog.text.count("more than 12 levels deep") == 1


async def test_what_was_not_asked_for_is_taken_once_a_minute(services: DomainServices) -> None:
    """An edit on the gateway that is turned away is asked for, because its pulse names it."""
    site = Site(services)
    await site.online()

    async def say(*points: str) -> int:
        content = document(*points)
        report = ConfigurationReport(
            hash=document_hash(content), origin=Origin.LOCAL, t_ms=5, document=content
        )
        await site.configurations.report(GATEWAY, report)
        return int((await site.state()).total)

    assert [await say(f"p{number}") for number in range(5)] == [1] * 5
    services.clock.pass_s(59)
    assert await say("p5") == 1
    await site.runs(document_hash(document("p6")))
    await site.configurations.ask_unexplained()
    assert (await say("p6"), await say("p7")) == (2, 2)  # asked for once
    assert (await site.state()).running.known
    services.clock.pass_s(60)
    assert await say("p8") == 3


async def test_draft_keeps_author_note_and_exact_text(site: Site) -> None:
    content = document("Ua", x=7.0)
    name = await site.save(content, A, note="a new meter")
    state = await site.state()
    assert (state.draft.hash, state.draft.base, state.draft.author, state.draft.behind) == (
        name,
        A,
        "alice",
        False,
    )
    assert state.versions[0].model_dump(include={"hash", "parent", "author", "note", "origin"}) == {
        "hash": name,
        "parent": A,
        "author": "alice",
        "note": "a new meter",
        "origin": "cloud",
    }
    found = await site.configurations.document(ALICE, 1, name)
    assert document_hash(found.document) == name == document_hash(content)
    assert not found.masked
    assert site.changed.count(1) >= 2


async def test_secrets_are_for_managers_only(site: Site) -> None:
    shown = await site.configurations.document(VIEWER, 1, A)
    assert shown.masked
    assert shown.document["slaves"][0]["options"]["password"] == MASK
    with pytest.raises(ParameterError) as error:
        await site.save({**shown.document, "cloud": {"url": "mqtt://a", "password": MASK}}, A)
    assert error.value.field == "document.cloud.password", "there is no secret beneath"
    assert await site.save(shown.document, A) == A, "what is hidden stays as it is"


async def test_the_second_of_two_editors_is_told(site: Site) -> None:
    first = await site.save(WANTED, A, ALICE)
    with pytest.raises(Conflict) as error:
        await site.save(EDITED, A, BOB)
    assert (error.value.status, error.value.field, error.value.rule) == (409, "base", first)
    assert (await site.state()).draft.hash == first
    second = await site.save(EDITED, first, BOB)
    state = await site.state()
    assert (state.draft.hash, state.draft.author, state.draft.base) == (second, "bob", A)


async def test_of_editors_at_the_same_moment_one_wins(services: DomainServices) -> None:
    site = Site(services)
    saves = [site.save(document(f"p{number}"), None) for number in range(4)]
    found = await asyncio.gather(*saves, return_exceptions=True)
    kept = [each for each in found if isinstance(each, str)]
    assert len(kept) == 1
    assert sum(isinstance(each, Conflict) for each in found) == 3
    state = await site.state()
    assert (state.newest, state.draft.base, state.total) == (kept[0], None, 1)


async def test_editing_back_to_what_runs_leaves_no_draft(site: Site) -> None:
    await site.save(WANTED, A)
    assert await site.save(FOUND, C) == A
    state = await site.state()
    assert (state.draft, state.newest, state.total) == (None, A, 2)


async def test_discarded_draft_stays_in_the_history(site: Site) -> None:
    await site.save(WANTED, A)
    await site.configurations.discard(ALICE, 1)
    state = await site.state()
    assert (state.draft, state.newest) == (None, A)
    assert [version.hash for version in state.versions] == [C, A]
    with pytest.raises(NotFound):
        await site.configurations.discard(ALICE, 1)


@pytest.mark.clause("C-092")
async def test_an_edit_on_the_gateway_is_a_pending_difference(site: Site) -> None:
    await site.save(WANTED, A)
    await site.runs(L)
    state = await site.state()
    assert (state.local_edit, state.running.known, state.draft.behind) == (True, False, True)
    await site.reports(EDITED, Origin.LOCAL)
    state = await site.state()
    assert (state.local_edit, state.running.origin, state.accepted) == (True, "local", A)
    assert (state.newest, state.draft.hash, state.draft.behind, state.draft.carried) == (
        BOTH,
        BOTH,
        True,
        True,
    )
    found = await site.configurations.compare(SYSTEM, 1, A, L, 10)
    assert (found.points.added, found.counts.points.added) == (["meter.Uc"], 1)
    found = await site.configurations.compare(SYSTEM, 1, None, None, 10)
    assert (found.before, found.after, found.points.added) == (L, BOTH, ["meter.Ub"])
    assert (found.points.removed, found.points.changed) == ([], [])


async def test_editors_have_to_see_the_local_edit_first(site: Site) -> None:
    await site.save(WANTED, A)
    await site.runs(L)
    await site.reports(EDITED, Origin.LOCAL)
    for unseen in (C, L):
        with pytest.raises(Conflict) as error:
            await site.save(document("Ua", "Ub", "Ud"), unseen)
        assert (error.value.reason, error.value.rule) == ("configuration.moved", BOTH)
    name = await site.save(document("Ua", "Ub", "Uc", "Ud"), BOTH)
    state = await site.state()
    assert (state.draft.hash, state.draft.base, state.draft.behind) == (name, L, False)
    await site.runs(L)
    await site.reports(EDITED, Origin.LOCAL)  # told again: the draft that was made from it stands
    assert (await site.state()).newest == name


async def test_a_local_edit_that_was_taken_back_is_none(site: Site) -> None:
    await site.runs(L)
    await site.reports(EDITED, Origin.LOCAL)
    await site.runs(A)
    state = await site.state()
    assert (state.local_edit, state.running.origin, state.newest) == (False, "file", A)


async def test_what_a_gateway_says_while_it_is_the_same_changes_nothing(site: Site) -> None:
    before = len(site.changed)
    await site.runs(A)
    await site.runs(A, "unknown-deployment", Step.CONFIRMED)
    await site.deploy.running("gw-unclaimed", Running(hash=C))
    assert len(site.changed) == before


async def test_a_difference_is_cut_and_says_so(site: Site) -> None:
    name = await site.save(document(*(f"p{n}" for n in range(30))), A)
    found = await site.configurations.compare(SYSTEM, 1, A, name, 10)
    assert (len(found.points.added), found.counts.points.added, found.truncated) == (10, 30, True)
    with pytest.raises(NotFound):
        await site.configurations.compare(SYSTEM, 1, A, L, 10)


async def test_old_versions_go_and_needed_ones_stay(services: DomainServices) -> None:
    site = Site(services, keep=3)
    await site.runs(A)
    await site.reports(FOUND)
    base = A
    for number in range(8):
        base = await site.save(document(f"p{number}"), base)
    state = await site.state()
    kept = [version.hash for version in state.versions]
    assert len(kept) == 5  # the newest three beside the draft and what runs
    assert {A, base} <= set(kept)
    assert base == kept[0]
