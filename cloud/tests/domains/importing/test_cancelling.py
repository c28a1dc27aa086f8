"""An import that somebody cancels while it runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from cloud.domains.inventory.models import Device
from cloud.domains.jobs.states import JobQueue, JobState
from cloud.errors import Conflict

from .conftest import ImportServices, confirmed, whole

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


async def test_an_import_is_cancelled_before_it_is_stored_or_not_at_all(
    importing: ImportServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    user, put, store = importing.users["factory-x"], importing.applier._put_gateways, importing.applier._store
    answers: list[str] = []

    async def cancelled() -> None:
        try:
            await importing.jobs.delete(user, job.id)
            answers.append("")
        except Conflict as refused:
            answers.append(refused.reason)

    async def telling(gateways: Mapping[str, str]) -> None:
        await put(gateways)
        await cancelled()

    async def storing(*words: Any) -> dict[str, Device]:
        await cancelled()
        return await store(*words)

    for place, called in (("_put_gateways", telling), ("_store", storing)):
        state = await importing.preview("factory-x", whole())
        job = await importing.imports.apply(user, state.id, confirmed(state))
        with monkeypatch.context() as patched:
            patched.setattr(importing.applier, place, called)
            assert await importing.jobs.runner.step(JobQueue.WORK)
        ended = (await importing.jobs.detail(user, job.id)).state
        there = await importing.device("gw-new") is not None
        if place == "_put_gateways":
            assert (ended, there, importing.disabled) == (JobState.CANCELLED, False, ["gw-new"])
            assert not (await importing.imports.state(user, state.id)).applied
        else:
            assert (ended, there) == (JobState.COMPLETED, True)
    assert answers == ["", "job.too_late"]
