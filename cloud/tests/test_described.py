"""The API does what its OpenAPI document says: no 5xx, no status that is not documented, shapes as described.

schemathesis makes the requests, of good and of bad input, and judges the replies.
"""

from __future__ import annotations

import asyncio
import copy
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from cloud.db import Database
from cloud.domains.identity.service import IdentityService

from .application import PASSWORD, make_app
from .databases import migrated_settings
from .real_server import serving

schemathesis = pytest.importorskip(
    "schemathesis", reason="schemathesis is not installed (requirements-dev.txt)"
)

BUDGET_S = 30.0
"""Of all operations together; each gets one request at least."""

EXAMPLES = 12
NO_HTTP = b"Invalid HTTP request received."
"""The server's own words for an address of 64 KiB and more: the application never sees it."""

USER = "describer"

ENDS_THE_SESSION = {"logout", "changeOwnPassword"}
"""Everything after them would be 401."""


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> FastAPI:
    settings = migrated_settings(tmp_path_factory.mktemp("described"), sqlite_template)
    asyncio.run(make_user(settings.database))
    return make_app(settings)


async def make_user(url: str) -> None:
    database = Database(url)
    await IdentityService(database).add_user(USER, PASSWORD, 0)
    await database.close()


@pytest.fixture(scope="module")
def base(app: FastAPI) -> Iterator[str]:
    with serving(app) as port:
        yield f"http://127.0.0.1:{port}"


def test_every_operation_does_what_the_document_says(app: FastAPI, base: str) -> None:
    from hypothesis import HealthCheck, Phase, given, settings
    from schemathesis.checks import not_a_server_error
    from schemathesis.core.failures import FailureGroup
    from schemathesis.specs.openapi.checks import (
        content_type_conformance,
        response_schema_conformance,
        status_code_conformance,
    )

    checks = [
        not_a_server_error,
        status_code_conformance,
        content_type_conformance,
        response_schema_conformance,
    ]
    headers = {"X-Token": sign_in(base)}
    schema = schemathesis.openapi.from_dict(copy.deepcopy(app.openapi()))
    end_s = time.monotonic() + BUDGET_S
    failures: list[str] = []
    tried = 0
    for result in schema.get_all_operations():
        operation = result.ok()
        name = operation.definition.raw["operationId"]
        if name in ENDS_THE_SESSION:
            continue
        asked = 0

        @settings(
            max_examples=EXAMPLES if time.monotonic() < end_s else 1,
            deadline=None,
            database=None,
            derandomize=True,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=any_input(operation))
        def ask(case: schemathesis.Case) -> None:
            nonlocal asked
            if asked and time.monotonic() > end_s:
                return
            asked += 1
            reply = case.call(base_url=base, headers=headers, timeout=60)
            if reply.content != NO_HTTP:
                case.validate_response(reply, checks=checks)

        try:
            ask()
        except FailureGroup as group:
            failures.append(f"{name}: {group}")
        tried += asked
    print(f"{tried} requests")
    assert failures == [], "\n\n".join(failures)
    assert tried > len(app.openapi()["paths"])


def any_input(operation: Any) -> Any:
    """Cases of good input and, where there is any input at all, of bad."""
    from hypothesis import strategies
    from schemathesis import GenerationMode

    good = operation.as_strategy(generation_mode=GenerationMode.POSITIVE)
    raw = operation.definition.raw
    if not raw.get("parameters") and "requestBody" not in raw:
        return good
    return strategies.one_of(good, operation.as_strategy(generation_mode=GenerationMode.NEGATIVE))


def sign_in(base: str) -> str:
    """A session of a platform user, who may do everything."""
    body = {"username": USER, "password": PASSWORD}
    reply = httpx.post(f"{base}/api/v1/login/login", json=body, timeout=60)
    return str(reply.json()["data"]["token"])
