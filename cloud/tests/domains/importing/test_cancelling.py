"""An import that somebody cancels while it runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from cloud.domains.inventory.models import Device
from cloud.domains.jobs.states import Lane, State
from cloud.errors import Conflict

from .test_import import Desk, confirmed, desk, whole

__all__ = ["desk"]
pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


async def test_an_import_is_cancelled_before_it_is_stored_or_not_at_all(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    user, put, store = desk.users["factory-x"], desk.applier._put_gateways, desk.applier._store
    answers: list[str] = []

    async def cancelled() -> None:
        try:
            await desk.jobs.delete(user, job.id)
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
        state = await desk.preview("factory-x", whole())
        job = await desk.imports.apply(user, state.id, confirmed(state))
        with monkeypatch.context() as patched:
            patched.setattr(desk.applier, place, called)
            assert await desk.jobs.runner.step(Lane.WORK)
        ended = (await desk.jobs.detail(user, job.id)).state
        there = await desk.device("gw-new") is not None
        if place == "_put_gateways":
            assert (ended, there, desk.disabled) == (State.CANCELLED, False, ["gw-new"])
            assert not (await desk.imports.state(user, state.id)).applied
        else:
            assert (ended, there) == (State.COMPLETED, True)
    assert answers == ["", "job.too_late"]
