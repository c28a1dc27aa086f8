"""Forwarding targets as rows of a gateway's draft."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from cloud.domains.forwarding.forwarders import ForwarderBody, ForwarderFields, ForwarderService
from cloud.domains.points.editing import Editing
from cloud.errors import Conflict, NotFound, ParameterError
from edge_contract.document.masking import MASK
from edge_contract.targets import MAX_TARGETS

from ..points.conftest import ALICE, Site
from ..points.conftest import site as site


@pytest.fixture
def forwarders(site: Site) -> ForwarderService:
    return ForwarderService(
        Editing(site.services.database, site.services.devices, site._tell, site.services.clock)
    )


def body(name: str = "bureau", was: str | None = None, **more: Any) -> ForwarderBody:
    given = {"name": name, "kind": "hj212", "options": {"mn": "A1", "pw": "123456"}, **more}
    return ForwarderBody(was=was, forwarder=ForwarderFields(**given))


async def test_a_target_is_added_changed_renamed_and_deleted(
    site: Site, forwarders: ForwarderService
) -> None:
    base = await site.begin()
    await forwarders.save(ALICE, 1, body().model_copy(update={"base": base}))
    kept = (await site.document())["forwarders"]
    assert kept == [{"name": "bureau", "kind": "hj212", "options": {"mn": "A1", "pw": "123456"}}]
    await forwarders.save(ALICE, 1, body("city", was="bureau", enable=False, max_mb=5))
    (row,) = (await forwarders.forwarders(ALICE, 1)).rows
    assert (row.at, row.fields["name"], row.fields["enable"], row.fields["max_mb"]) == (0, "city", False, 5)
    await forwarders.delete(ALICE, 1, "city")
    assert (await site.document())["forwarders"] == []


async def test_what_cannot_be_kept(site: Site, forwarders: ForwarderService) -> None:
    await site.begin()
    await forwarders.save(ALICE, 1, body())
    with pytest.raises(Conflict, match="bureau"):
        await forwarders.save(ALICE, 1, body())
    with pytest.raises(NotFound, match="forwarding target"):
        await forwarders.save(ALICE, 1, body(was="none"))
    with pytest.raises(NotFound):
        await forwarders.delete(ALICE, 1, "none")
    with pytest.raises(ParameterError, match=r"options\.password"):
        await forwarders.save(ALICE, 1, body("third", options={"password": "x"}))
    with pytest.raises(ParameterError, match="masked"):
        await forwarders.save(ALICE, 1, body("copy", options={"pw": MASK}))
    for number in range(1, MAX_TARGETS):
        await forwarders.save(ALICE, 1, body(f"t{number}"))
    with pytest.raises(ParameterError, match="at most"):
        await forwarders.save(ALICE, 1, body("more"))
    with pytest.raises(ValidationError):
        body("a b")


async def test_a_masked_secret_stays_what_it_was(site: Site, forwarders: ForwarderService) -> None:
    await site.begin()
    await forwarders.save(ALICE, 1, body())
    await forwarders.save(ALICE, 1, body(was="bureau", options={"mn": "B2", "pw": MASK}))
    assert (await site.document())["forwarders"][0]["options"] == {"mn": "B2", "pw": "123456"}
    await forwarders.save(ALICE, 1, body("city", was="bureau", options={"mn": "B2", "pw": MASK}))
    assert (await site.document())["forwarders"][0]["options"] == {"mn": "B2", "pw": "123456"}


@pytest.mark.parametrize("place", [{"server": "own.example", "port": 1}, {"server": "a.example", "port": 2}])
async def test_a_masked_secret_goes_to_no_other_place(
    site: Site, forwarders: ForwarderService, place: dict[str, Any]
) -> None:
    await site.begin()
    options = {"mn": "A1", "pw": "123456", "server": "a.example", "port": 1}
    await forwarders.save(ALICE, 1, body(options=options))
    with pytest.raises(ParameterError, match="masked") as refused:
        await forwarders.save(ALICE, 1, body(was="bureau", options=options | place | {"pw": MASK}))
    assert refused.value.field == "document.forwarders[0].options.pw"
    await forwarders.save(ALICE, 1, body(was="bureau", options=options | {"mn": "B2", "pw": MASK}))
    assert (await site.document())["forwarders"][0]["options"] == options | {"mn": "B2"}


async def test_a_secret_comes_back_to_nobody(site: Site, forwarders: ForwarderService) -> None:
    await site.begin()
    await forwarders.save(ALICE, 1, body())
    opened = await forwarders.forwarders(ALICE, 1)
    assert opened.changeable, "it is her own gateway"
    assert opened.rows[0].fields["options"] == {"mn": "A1", "pw": MASK}


async def test_a_copy_and_one_that_comes_back_have_their_secrets(
    site: Site, forwarders: ForwarderService
) -> None:
    await site.begin()
    base = await begun(forwarders)
    given = {"mn": "A1", "pw": MASK}
    copy = body("copy", options=given).model_copy(update={"base": base, "like": "bureau"})
    await forwarders.save(ALICE, 1, copy)
    await forwarders.delete(ALICE, 1, "bureau", base)
    again = body(options=given).model_copy(update={"base": base, "like": "bureau"})
    await forwarders.save(ALICE, 1, again)
    rows = (await site.document())["forwarders"]
    assert {row["name"]: row["options"]["pw"] for row in rows} == {"copy": "123456", "bureau": "123456"}
    stranger = body("third", options=given).model_copy(update={"base": base, "like": "none"})
    with pytest.raises(ParameterError, match="masked"):
        await forwarders.save(ALICE, 1, stranger)


async def begun(forwarders: ForwarderService) -> str:
    """A target, and the version that two editors of it begin with."""
    return (await forwarders.save(ALICE, 1, body(max_mb=5))).base


def on(base: str, **more: Any) -> ForwarderBody:
    return body(was="bureau", **more).model_copy(update={"base": base})


async def test_the_second_of_two_editors_is_told_what_the_first_changed(
    site: Site, forwarders: ForwarderService
) -> None:
    await site.begin()
    base = await begun(forwarders)
    options = {"mn": "A1", "pw": "654321", "server": "new.example.cn"}
    first = await forwarders.save(ALICE, 1, on(base, options=options, max_mb=9))
    for attempt in (
        forwarders.save(ALICE, 1, on(base, max_age_h=24, max_mb=5)),
        forwarders.delete(ALICE, 1, "bureau", base),
    ):
        with pytest.raises(Conflict, match="bureau was changed") as refused:
            await attempt
        assert refused.value.reason == "forwarder.changed"
        assert refused.value.arguments == {
            "name": "bureau", "fields": "max_mb, options.pw, options.server", "author": ALICE.name,
        }  # fmt: skip
        assert "654321" not in str(refused.value)
    (kept,) = (await site.document())["forwarders"]
    assert (kept["options"], kept["max_mb"]) == (options, 9)
    await forwarders.save(ALICE, 1, on(first.base, options=options, max_mb=9, max_age_h=24))
    (both,) = (await site.document())["forwarders"]
    assert both == {**kept, "max_age_h": 24}


async def test_so_is_who_edits_what_the_first_removed(site: Site, forwarders: ForwarderService) -> None:
    await site.begin()
    base = await begun(forwarders)
    await forwarders.save(ALICE, 1, body("city", was="bureau"))
    await forwarders.save(ALICE, 1, body("other"))
    with pytest.raises(Conflict, match="removed or renamed") as refused:
        await forwarders.save(ALICE, 1, on(base, max_mb=7))
    assert refused.value.reason == "forwarder.removed"
    assert refused.value.arguments == {"name": "bureau", "author": ""}, "two edits came since: no one's name"


async def test_who_edits_other_rows_is_no_conflict(site: Site, forwarders: ForwarderService) -> None:
    await site.begin()
    base = await begun(forwarders)
    await forwarders.save(ALICE, 1, body("other").model_copy(update={"base": base}))
    await forwarders.save(ALICE, 1, body("third").model_copy(update={"base": base}))
    await forwarders.save(ALICE, 1, on(base, max_mb=7))
    rows = (await site.document())["forwarders"]
    assert [(row["name"], row.get("max_mb")) for row in rows] == [
        ("bureau", 7),
        ("other", None),
        ("third", None),
    ]


async def test_of_a_version_that_is_forgotten_nothing_can_be_compared(
    site: Site, forwarders: ForwarderService
) -> None:
    await site.begin()
    await begun(forwarders)
    with pytest.raises(Conflict) as refused:
        await forwarders.save(ALICE, 1, on("f" * 64, max_mb=7))
    assert refused.value.reason == "configuration.moved"
