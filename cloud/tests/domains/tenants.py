"""Users of two factories in the running application, and database rows of users without it."""

from __future__ import annotations

import contextlib
import time
from typing import Any
from weakref import WeakKeyDictionary

from fastapi.testclient import TestClient

from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.identity.models import User
from cloud.domains.identity.permissions import of_type
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.identity.service import IdentityService
from cloud.errors import Conflict

from ..application import PASSWORD

TREE = {
    "platform-x": (0, ""),
    "factory-x": (1, ""),
    "enterprise-x": (3, "factory-x"),
    "person-x": (4, "enterprise-x"),
    "factory-y": (1, ""),
}
"""Type and the user above."""

_TOKENS: WeakKeyDictionary[TestClient, dict[str, tuple[str, float]]] = WeakKeyDictionary()
"""Token, and until when on the monotonic clock it is used: tests may take longer than it lives."""


def signed_in(client: TestClient, name: str) -> dict[str, str]:
    """Headers of a user of TREE, who is made when missing."""
    tokens = _TOKENS.setdefault(client, {})
    if name not in tokens or tokens[name][1] < time.monotonic():
        user_type, above = TREE[name]
        if above:
            signed_in(client, above)
        identity: Any = client.app.state.services[IdentityService]  # type: ignore[attr-defined]
        with contextlib.suppress(Conflict):
            client.portal.call(identity.add_user, name, PASSWORD, user_type, above)  # type: ignore[union-attr]
        reply = client.post("/api/v1/login/login", json={"username": name, "password": PASSWORD})
        given = reply.json()["data"]
        tokens[name] = given["token"], time.monotonic() + given["expires_in"] / 2
    return {"X-Token": tokens[name][0]}


async def tree(database: Database) -> dict[str, CurrentUser]:
    """The users of TREE as rows, and as the signed-in users that they would be."""
    users: dict[str, CurrentUser] = {}
    async with database.session() as session:
        for number, (name, (user_type, above)) in enumerate(TREE.items(), 1):
            path = f"{users[above].scope.path if above else '/'}{number}/"
            row = User(
                id=number, user_name=name, password_hash="", user_type=user_type, path=path, created_ms=0
            )
            session.add(row)
            await session.flush()
            scope = Scope(number, path, everything=user_type == 0)
            users[name] = CurrentUser(number, name, user_type, of_type(user_type), "", scope)
        await session.commit()
    return users
