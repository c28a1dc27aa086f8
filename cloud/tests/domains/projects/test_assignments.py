"""Who may put which gateway into which project."""

from __future__ import annotations

import pytest

from cloud.domains.projects.schemas import PreviousProject
from cloud.errors import NotFound, ParameterError

from .conftest import Site


async def test_what_may_not_go_is_skipped_with_its_reason(site: Site) -> None:
    project = await site.add("p", user="enterprise-x")
    mine = await site.gateway("mine", "enterprise-x")
    below = await site.gateway("below", "person-x")
    above = await site.gateway("above", "factory-x")
    shared = await site.gateway("shared", "factory-y")
    lent = await site.gateway("lent", "factory-y")
    await site.share(shared, "enterprise-x", writes=False)
    await site.share(lent, "enterprise-x", writes=True)
    done = await site.assign(project.id, mine, below, above, shared, lent, 999, mine, user="enterprise-x")
    assert done.changed == 2
    assert {(row.device_title, row.reason) for row in done.skipped} == {
        ("", "not_found"), ("shared", "read_only"), ("lent", "not_owner")
    }  # fmt: skip
    # the factory sees both, but the enterprise, whose project it is, would not see the gateway
    (row,) = (await site.assign(project.id, above, user="factory-x")).skipped
    assert (row.device_id, row.reason) == (above, "other_project")
    platform = await site.add("all", user="platform-x")
    assert (await site.assign(platform.id, above, shared, user="platform-x")).changed == 2


async def test_former_takes_everything_back(site: Site) -> None:
    a, b = await site.add("a"), await site.add("b")
    numbers = [await site.gateway(f"d{n}", "factory-x") for n in range(3)]
    await site.assign(a.id, numbers[0])
    before = await site.places()
    done = await site.assign(b.id, *numbers)
    assert done.former == [
        PreviousProject(project_id=a.id, device_ids=numbers[:1]),
        PreviousProject(project_id=None, device_ids=numbers[1:])
    ]  # fmt: skip
    for former in done.former:
        await site.assign(former.project_id, *former.device_ids)
    assert await site.places() == before
    again = await site.assign(a.id, numbers[0])
    assert (again.changed, again.unchanged, again.former) == (0, 1, [])


async def test_only_into_a_project_that_one_sees(site: Site) -> None:
    number = await site.gateway("d", "factory-x")
    group = await site.add("Group")
    foreign = await site.add("p", user="factory-y")
    with pytest.raises(NotFound, match="project not found"):
        await site.assign(foreign.id, number)
    with pytest.raises(ParameterError) as refused:
        await site.assign(group.id, number)
    assert refused.value.reason == "project.no_project"
    assert await site.places() == {"d": None}
