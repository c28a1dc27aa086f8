"""A draft that nobody has deployed yet outlives whatever its gateway runs meanwhile."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from random import Random
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.domains.configuration.document import written
from cloud.domains.configuration.draft_batches import BatchDraft, DraftBatch
from cloud.domains.configuration.models import ConfigurationStateRow
from cloud.domains.deploy.configurations import ConfigurationService
from cloud.domains.deploy.renames import Renaming
from cloud.errors import Conflict
from edge_contract.deployment import Document, Origin, Step, document_hash

from ...conftest import GATEWAY, SYSTEM, DomainServices
from .conftest import ALICE, BOB, EDITED, FOUND, WANTED, A, C, L, Site, document

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

BOTH = document_hash(document("Ua", "Uc", "Ub"))
OTHERWISE: Document = {
    **FOUND, "points": [{"slave": "meter", "name": "Ua", "ratio": 1}, *WANTED["points"][1:]],
}  # fmt: skip
DRILLED: Document = {**FOUND, "points": [{"slave": "meter", "name": "Ua", "ratio": 7}]}


async def edited_at_the_gateway(site: Site, content: Document = EDITED) -> None:
    await site.runs(document_hash(content))
    await site.reports(content, Origin.LOCAL)


async def shown(site: Site) -> tuple[Any, list[str]]:
    """The draft, and the sorted points of the version that everybody sees and edits next."""
    state = await site.state()
    assert state.draft is None or state.newest == state.draft.hash
    found = await site.configurations.document(ALICE, 1, state.newest)
    return state.draft, sorted(row["name"] for row in found.document["points"])


async def test_a_local_edit_comes_under_the_draft_and_deploying_it_needs_a_look(site: Site) -> None:
    await site.save(WANTED, A, BOB, note="a second meter")
    await edited_at_the_gateway(site)
    draft, rows = await shown(site)
    assert rows == ["Ua", "Ub", "Uc"]
    assert (draft.hash, draft.base, draft.author, draft.carried) == (BOTH, A, "bob", True)
    state = await site.state()
    version = next(each for each in state.versions if each.hash == draft.hash)
    assert (version.parent, version.author, version.note) == (C, "bob", "a second meter")
    with pytest.raises(Conflict) as error:
        await site.start()
    assert error.value.rule == "local_edit", "nobody has looked at it yet"
    deployment = await site.start(base=L)
    assert (site.sent[-1][1].base, site.sent[-1][1].hash) == (L, draft.hash)
    await site.step(deployment, Step.SWITCHED, draft.hash)
    await site.step(deployment, Step.REVERTED, L)
    await site.configurations.rebase_drafts()
    again, _ = await shown(site)
    assert (again.hash, again.base, again.behind, again.reverted.deployment) == (
        draft.hash,
        L,
        False,
        deployment,
    )
    await site.step(await site.start(), Step.CONFIRMED, draft.hash)
    assert ((await site.state()).accepted, (await shown(site))[0]) == (draft.hash, None)


async def test_whatever_runs_in_turn_nothing_that_was_saved_is_lost(site: Site) -> None:
    await site.save(WANTED, A)
    for content, rows in (
        (EDITED, ["Ua", "Ub", "Uc"]),
        (document("Ua", "Ub", "Ud"), ["Ua", "Ub", "Ud"]),  # has what the draft adds
        (EDITED, ["Ua", "Ub", "Uc"]),
        (document("Uc"), ["Ub", "Uc"]),
    ):
        await edited_at_the_gateway(site, content)
        assert (await shown(site))[1] == rows
    await site.runs(A)
    draft, rows = await shown(site)
    assert (draft.hash, draft.base, draft.behind, draft.carried, rows) == (C, A, False, False, ["Ua", "Ub"])
    await site.runs(L)
    assert (await site.state()).draft.hash == C
    await site.configurations.rebase_drafts()
    assert ((await shown(site))[0].hash, (await site.state()).running.origin) == (BOTH, None), (
        "known of before"
    )


@pytest.mark.parametrize("seed", [2, 3])
async def test_in_any_order_what_waits_is_in_what_everybody_sees(site: Site, seed: int) -> None:
    """Points that somebody added and nobody deployed, while the gateway is edited and goes back and forth."""
    dice, waits, ran, at = Random(seed), set[str](), [["Ua"]], ["Ua"]
    for number in range(30):
        state = await site.state()
        _, rows = await shown(site)
        what = dice.choice(["edit", "edit", "local", "known", "deploy", "revert", "back"])
        if what == "edit":
            waits.add(f"w{number}")
            await site.save(document(*rows, f"w{number}"), state.newest)
        elif what == "local":
            at = [name for name in at if not name.startswith("l") or dice.random() < 0.5] + [f"l{number}"]
            ran.append(at)
            await edited_at_the_gateway(site, document(*at))
        elif what == "known":
            at = dice.choice(ran)
            await site.runs(document_hash(document(*at)))
            await site.configurations.rebase_drafts()
        elif what == "back" or state.draft is not None:
            wanted = document_hash(document(*dice.choice(ran))) if what == "back" else state.draft.hash
            trial = await site.start(hash=wanted, base=state.running.hash)
            await site.step(trial, Step.SWITCHED, wanted)
            await site.configurations.rebase_drafts()
            if what == "revert":
                await site.step(trial, Step.REVERTED, state.running.hash)
            else:
                await site.step(trial, Step.CONFIRMED, wanted)
                at = [row["name"] for row in site.sent[-1][1].document["points"]]
                ran.append(at)
                waits -= set(at)
            await site.configurations.rebase_drafts()
        assert waits <= set((await shown(site))[1]), f"{what} {number}"


async def test_what_was_edited_on_both_stands_on_what_ran(site: Site) -> None:
    await site.save(WANTED, A)
    await edited_at_the_gateway(site)
    name = await site.save(document("Ua", "Ub", "Uc", "Ud"), BOTH, BOB)
    draft, _ = await shown(site)
    assert (draft.hash, draft.base, draft.author, draft.behind, draft.carried) == (
        name,
        L,
        "bob",
        False,
        False,
    )
    await site.runs(A)
    await site.configurations.rebase_drafts()
    assert (await shown(site))[1] == ["Ua", "Ub", "Ud"], "what was taken back at the gateway is not deployed"
    await site.configurations.discard(ALICE, 1)
    assert (await site.state()).newest == A


async def test_an_accepted_local_edit_is_what_the_draft_was_made_from(site: Site) -> None:
    await site.save(WANTED, A)
    await edited_at_the_gateway(site)
    await site.step(await site.start(hash=L), Step.UNCHANGED, L)
    draft, rows = await shown(site)
    assert (draft.base, draft.behind, draft.carried, rows) == (L, False, False, ["Ua", "Ub", "Uc"])
    await site.start()
    assert site.sent[-1][1].base == L


async def test_an_older_version_comes_under_the_draft_and_its_way_back_too(site: Site) -> None:
    await site.save(EDITED, A)
    await site.step(await site.start(), Step.CONFIRMED, L)
    await site.save(document("Ua", "Uc", "Ud"), L)
    back = await site.start(hash=A)
    await site.step(back, Step.SWITCHED, A)
    await site.configurations.rebase_drafts()
    assert (await shown(site))[1] == ["Ua", "Ud"]
    await site.step(back, Step.REVERTED, L)
    assert (await shown(site))[1] == ["Ua", "Uc", "Ud"]
    back = await site.start(hash=A)
    await site.step(back, Step.SWITCHED, A)
    await site.configurations.rebase_drafts()
    await site.step(back, Step.CONFIRMED, A)
    draft, rows = await shown(site)
    assert (draft.base, draft.behind, rows) == (A, False, ["Ua", "Ud"])


async def test_changes_of_the_same_row_have_to_be_looked_at(site: Site) -> None:
    name = await site.save(OTHERWISE, A)
    await edited_at_the_gateway(site, DRILLED)
    running = document_hash(DRILLED)
    state = await site.state()
    assert (state.newest, state.draft.hash, state.draft.behind, state.draft.carried) == (
        name,
        name,
        True,
        False,
    )
    more = {**OTHERWISE, "points": [*OTHERWISE["points"], {"slave": "meter", "name": "Ud"}]}
    with pytest.raises(Conflict) as error:
        await site.save(more, name)
    assert (error.value.reason, error.value.field, error.value.rule) == (
        "configuration.behind",
        "base",
        running,
    )
    told = error.value.arguments
    assert (told["base"], told["origin"], told["what"]) == (A, "local", "points meter.Ua")
    async with site.services.database.session() as session:
        content = written(more, GATEWAY)
        with pytest.raises(Conflict) as error:
            await DraftBatch(session, ALICE, 1).keep({1: BatchDraft(name, document_hash(more), content, 3)})
        assert error.value.reason == "configuration.behind"
    await site.configurations.rebase_drafts()
    assert (await site.state()).draft.hash == name
    with pytest.raises(Conflict) as error:
        await site.save(more, A)
    assert error.value.reason == "configuration.moved", "neither the draft nor what runs was looked at"
    resolved = await site.save(more, running)
    draft, _ = await shown(site)
    assert (draft.hash, draft.base, draft.behind) == (resolved, running, False)
    assert {name, running} <= {version.hash for version in (await site.state()).versions}


async def test_a_discarded_draft_leaves_what_runs(site: Site) -> None:
    for content in (EDITED, DRILLED):
        await site.save(OTHERWISE, (await site.state()).newest)
        await edited_at_the_gateway(site, content)
        await site.configurations.discard(ALICE, 1)
        state = await site.state()
        assert (state.draft, state.newest) == (None, document_hash(content))


async def test_a_draft_of_before_the_first_report_outlives_a_trial_of_itself(
    services: DomainServices,
) -> None:
    site = Site(services)
    name = await site.save(WANTED | {"cloud": {"url": "mqtt://cloud.example"}}, None)
    await site.online()
    trial = await site.start(force=True)
    await site.step(trial, Step.SWITCHED, name)
    await site.configurations.rebase_drafts()
    await site.step(trial, Step.REVERTED, A)
    await site.reports(FOUND)
    draft, rows = await shown(site)
    assert (draft.base, rows) == (A, ["Ua", "Ub"])


async def test_what_an_older_cloud_showed_instead_of_a_draft_is_mended(site: Site) -> None:
    await site.save(WANTED, A)
    await edited_at_the_gateway(site)
    async with site.services.database.session() as session:
        standing = await session.get(ConfigurationStateRow, 1)
        assert standing is not None
        standing.newest = L
        await session.commit()
    with pytest.raises(Conflict):
        await site.save(document("Ua", "Uc", "Ud"), L)
    site.changed.clear()
    await site.configurations.rebase_drafts()
    await site.configurations.rebase_drafts()
    assert ((await site.state()).newest, site.changed) == (BOTH, [1])


async def test_what_uses_a_slave_goes_along_under_its_name_at_the_gateway(site: Site) -> None:
    told: list[Renaming] = []

    async def follow(_: AsyncSession, renaming: Renaming) -> None:
        told.append(renaming)

    site.configurations = followed(site, follow)
    await site.save({**FOUND, "ports": [*FOUND["ports"], {"name": "com1", "type": "COM"}]}, A)
    renamed = {
        **FOUND,
        "slaves": [{**FOUND["slaves"][0], "name": "counter"}],
        "points": [{**FOUND["points"][0], "slave": "counter"}],
    }
    await edited_at_the_gateway(site, renamed)
    draft = (await site.state()).draft
    assert [(each.name, dict(each.slaves), each.again) for each in told] == [
        (document_hash(renamed), {"meter": "counter"}, False),
        (draft.hash, {"meter": "counter"}, True),
    ]
    found = await site.configurations.compare(SYSTEM, 1, None, None, 10)
    assert (found.ports.added, found.slaves.removed, found.points.removed) == (["com1"], [], [])


def followed(site: Site, follow: Callable[[AsyncSession, Renaming], Awaitable[None]]) -> ConfigurationService:
    async def nothing(_: int) -> None:
        return None

    services = site.services
    return ConfigurationService(
        services.database, services.devices, nothing, nothing, follow=(follow,), clock=services.clock
    )
