"""A draft that was begun before its gateway ever spoke, and deployments that would lead a gateway away."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from cloud.domains.configuration.document import MAX_ROWS
from cloud.domains.configuration.drafts import Drafts
from cloud.domains.configuration.models import ConfigurationStateRow, ConfigurationVersion
from cloud.domains.configuration.reach import has_link, reach_of, refusal_of
from cloud.domains.configuration.rebase import rebased
from cloud.errors import Conflict
from edge_contract.deployment import Document, canonical, document_hash

from ...conftest import GATEWAY, SYSTEM, DomainServices
from .conftest import ALICE, BOB, Site, document

WAY = {
    "cloud": {"url": "mqtt://cloud.example"},
    "local_page": {"port": 9443},
    "storage": {"commit_interval_s": 0.5},
}
INSTALLED: Document = {"gateway": {"id": GATEWAY, "title": "On the wall"}, **WAY}


def installed(*points: str) -> Document:
    """As a gateway runs it: it has a way to the cloud."""
    return document(*points, **copy.deepcopy(WAY))


async def newest(services: DomainServices) -> tuple[str | None, str | None]:
    async with services.database.reading() as session:
        return await Drafts(session, ALICE, 0).newest(1)


async def connects(site: Site, content: Document) -> None:
    """As at a first start: hello names what runs, and the cloud asks for it."""
    await site.online()
    await site.runs(document_hash(content))
    await site.configurations.ask_unexplained()
    assert site.asked[-1] == 1
    await site.reports(content)


async def test_rows_of_before_go_onto_what_the_gateway_runs(services: DomainServices) -> None:
    site = Site(services)
    rows = document("Ua", "Ub")
    first = await site.save(rows, None, BOB, note="first floor")
    await connects(site, INSTALLED)
    state = await site.state()
    made = {**rows, **INSTALLED}
    assert (state.draft.hash, state.newest) == (document_hash(made), document_hash(made))
    assert (state.draft.base, state.accepted) == (state.running.hash, document_hash(INSTALLED))
    assert (state.draft.author, state.draft.behind, state.local_edit) == ("bob", False, False)
    version = next(each for each in state.versions if each.hash == state.draft.hash)
    assert (version.author, version.note, version.parent, version.points) == ("bob", "first floor", first, 2)
    assert (await newest(services))[0] == state.draft.hash, "what every editor begins with"
    found = await site.configurations.compare(SYSTEM, 1, None, None, 100)
    assert (found.link, found.link_lost, found.other) == ([], False, [])
    assert (found.counts.points.added, found.counts.points.removed) == (2, 0)
    await site.start()
    assert site.sent[0][1].document == made
    assert site.sent[0][1].base == document_hash(INSTALLED)


async def test_a_row_of_both_is_the_drafts_and_shown_as_changed(services: DomainServices) -> None:
    site = Site(services)
    rows = document("Ub", "Uc")
    rows["slaves"][0]["address"] = "7"
    await site.save(rows, None)
    await connects(site, installed("Ua", "Ub"))
    found = await site.configurations.compare(SYSTEM, 1, None, None, 100)
    assert (found.points.added, found.points.removed, found.ports.changed) == (["meter.Uc"], [], [])
    assert [(row.name, row.fields[0].field) for row in found.slaves.changed] == [("meter", "address")]
    assert not found.link


async def test_what_the_gateway_runs_already_is_no_draft(services: DomainServices) -> None:
    site = Site(services)
    await site.save(document("Ua"), None)
    await connects(site, installed("Ua", "Ub"))
    state = await site.state()
    assert (state.draft, state.newest) == (None, state.running.hash)


async def test_drafts_that_an_older_cloud_left_without_a_base_are_mended_once(
    services: DomainServices,
) -> None:
    site = Site(services)
    await connects(site, INSTALLED)
    rows = document("Ua")
    name = document_hash(rows)
    async with services.database.session() as session:
        session.add(
            ConfigurationVersion(
                device_id=1, hash=name, document=canonical(rows).decode(), size=1, points=1, origin="cloud",
                parent=None, author="bob", note="n", created_ms=1,
            )
        )  # fmt: skip
        standing = await session.get(ConfigurationStateRow, 1)
        assert standing is not None
        standing.draft, standing.draft_author, standing.draft_ms = name, "bob", 1
        await session.commit()
    site.changed.clear()
    await site.configurations.rebase_drafts()
    await site.configurations.rebase_drafts()
    state = await site.state()
    assert (state.draft.hash, state.draft.base) == (document_hash({**rows, **INSTALLED}), state.running.hash)
    assert (state.newest, state.draft.behind, site.changed) == (state.draft.hash, False, [1])


async def test_both_together_may_be_too_much(
    services: DomainServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = Site(services)
    name = await site.save(document("Ua", "Ub"), None)
    monkeypatch.setitem(MAX_ROWS, "points", 3)
    await connects(site, installed("Uc", "Ud"))
    await site.configurations.rebase_drafts()
    state = await site.state()
    assert (state.draft.hash, state.newest, state.draft.behind) == (name, name, True)
    with pytest.raises(Conflict):
        await site.start()
    with pytest.raises(Conflict) as error:
        await site.save(document("Uc", "Ud"), name)
    assert (error.value.reason, error.value.rule) == ("configuration.behind", state.running.hash)
    assert error.value.arguments["what"] == "document.points"


@pytest.mark.parametrize(
    ("change", "plain", "deliberate"),
    [
        ({"storage": {}}, None, None),
        ({"gateway": {"id": GATEWAY, "title": "x"}}, None, None),
        ({"cloud": {"url": "mqtts://other.example"}}, "link_changes", None),
        ({"local_page": {"port": 80}}, "link_changes", None),
        ({"local_page": None}, "link_changes", None),
        ({"cloud": None}, "link_lost", "link_lost"),
        ({"cloud": {"url": "mqtt://cloud.example", "enable": False}}, "link_lost", "link_lost"),
        ({"cloud": "mqtt://cloud.example"}, "link_lost", "link_lost"),
    ],
)
async def test_nothing_leads_a_gateway_away_unawares(
    services: DomainServices, change: dict[str, Any], plain: str | None, deliberate: str | None
) -> None:
    site = Site(services)
    await connects(site, INSTALLED)
    content = {name: value for name, value in (INSTALLED | change).items() if value is not None}
    await site.save(content, document_hash(INSTALLED))
    found = await site.configurations.compare(SYSTEM, 1, None, None, 100)
    assert found.link_lost is (deliberate is not None)
    assert bool(found.link) is (plain is not None)
    for options, rule in (({}, plain), ({"changes_link": True}, deliberate)):
        if rule is not None:
            with pytest.raises(Conflict) as error:
                await site.start(wait=True, **options)
            assert error.value.rule == rule
    if deliberate is None:
        await site.start(changes_link=plain is not None)


def test_what_is_no_row_is_as_it_runs_and_new_sections_come_along() -> None:
    draft = {**document("Ua"), "history": {"enable": True}, "cloud": {"url": "mqtt://other"}, "storage": {}}
    made = rebased(draft, {**INSTALLED, "points": ["broken"]})
    assert {name: made[name] for name in (*WAY, "gateway")} == INSTALLED
    assert made["history"] == {"enable": True}
    assert made["points"] == draft["points"]
    assert "scripts" not in made


def test_the_way_of_documents_without_any() -> None:
    nothing = reach_of('{"points": [1, 2]}')
    assert not has_link(nothing)
    assert refusal_of(nothing, nothing, deliberate=False) is None, "it never had one"
    assert refusal_of(None, nothing, deliberate=True) is not None
