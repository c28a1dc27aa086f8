"""What it costs that a gateway comes back: thousands do at once, after an outage of the broker."""

from __future__ import annotations

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import event
from sqlalchemy.engine import Engine

from cloud.link import Link
from edge_contract.payloads import Hello

from .conftest import hello

TRIES = 5
"""Periodic jobs write meanwhile."""


@pytest.mark.parametrize("takes", [True, False])
def test_a_hello_that_says_nothing_new_is_one_transaction(
    app: FastAPI, client: TestClient, takes: bool
) -> None:
    come = app.state.services[Link]._control._hooks.on_hello
    begun: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        begun.append(statement)

    async def commits(message: Hello) -> int:
        begun.clear()
        await come("gw-1", message)
        return begun.count("BEGIN IMMEDIATE")

    words = dict.fromkeys(("takes_rules", "takes_exchange", "takes_tasks"), takes)
    event.listen(Engine, "before_cursor_execute", note)
    try:
        first = client.portal.call(commits, hello(**words))  # type: ignore[union-attr]
        again = min(client.portal.call(commits, hello(**words)) for _ in range(TRIES))  # type: ignore[union-attr]
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    assert first >= 4  # presence, rules, exchange, tasks: of each what it takes now; jobs may write beside it
    assert again == 1
