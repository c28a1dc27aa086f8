"""A tree of users on a real database: root, two factories; below one an agent, an enterprise, a person."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest
from argon2 import PasswordHasher
from sqlalchemy import select

from cloud.db import Database
from cloud.domains.all import DOMAINS
from cloud.domains.identity.grants import Grants
from cloud.domains.identity.models import AuthGroup, User
from cloud.domains.identity.passwords import Passwords, transformed
from cloud.domains.identity.profile import ProfileService
from cloud.domains.identity.repository import IdentityRepository
from cloud.domains.identity.schemas import CurrentUser, Tokens
from cloud.domains.identity.service import IdentityService
from cloud.domains.identity.signin import SignInService
from cloud.domains.identity.signin_log import SignInLog
from cloud.domains.identity.users import UserService
from cloud.domains.inventory.models import Device

from ...conftest import Clock

PASSWORD = "correct!horse1"
QUICK = PasswordHasher(time_cost=1, memory_cost=1024, parallelism=1)
HASHED = QUICK.hash(transformed(PASSWORD))
OWNED = tuple(table for domain in DOMAINS for table in domain.owned)
ADDRESS = "192.0.2.7"
TREE = (
    ("root", 0, None),
    ("factory-a", 1, None),
    ("agent", 2, "factory-a"),
    ("enterprise", 3, "agent"),
    ("person", 4, "enterprise"),
    ("factory-b", 1, None),
    ("stranger", 3, "factory-b"),
)


@dataclass
class AccountServices:
    """Services around one database, who is in the tree, and which sign-ins have ended."""

    database: Database
    clock: Clock = field(default_factory=Clock)
    ids: dict[str, int] = field(default_factory=dict)
    ended: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.grants = Grants(self.database, clock=self.clock)
        self.identity = IdentityService(
            self.database, self.ended.append, self.grants, Passwords(QUICK), clock=self.clock
        )
        self.users = UserService(self.database, self.identity, OWNED, clock=self.clock)
        self.profiles = ProfileService(self.database, self.identity, "person", clock=self.clock)
        self.log = SignInLog(self.database)
        self.sign_in = SignInService(self.database, self.identity, "person", clock=self.clock)

    async def plant(self) -> None:
        """The tree; everybody has the same password."""
        async with self.database.session() as session:
            paths = {"": "/"}
            for name, user_type, parent in TREE:
                user = User(
                    user_name=name, password_hash=HASHED, user_type=user_type, created_ms=self.clock()
                )
                user.parent_id = self.ids[parent] if parent else None
                session.add(user)
                await session.flush()
                user.path = paths[name] = f"{paths[parent or '']}{user.id}/"
                self.ids[name] = user.id
            await session.commit()

    async def tokens(self, name: str, sign_in: str = "") -> Tokens:
        """Tokens without a password."""
        async with self.database.session() as session:
            made = self.identity.open(IdentityRepository(session), self.ids[name], sign_in or f"of {name}")
            await session.commit()
        return made

    async def as_(self, name: str) -> CurrentUser:
        return await self.identity.current((await self.tokens(name)).token)

    async def user(self, name: str) -> User:
        async with self.database.reading() as session:
            return (await session.scalars(select(User).where(User.user_name == name))).one()

    async def group(self, owner: str, user_type: int, *permissions: str) -> int:
        async with self.database.session() as session:
            group = AuthGroup(
                owner_id=self.ids[owner],
                title=f"group of {owner}",
                user_type=user_type,
                permissions=list(permissions),
                created_ms=0,
            )
            session.add(group)
            await session.commit()
            self.grants.forget()
            return group.id

    async def device(self, gateway: str, owner: str) -> int:
        async with self.database.session() as session:
            row = Device(
                gateway_id=gateway, title=gateway, owner_id=self.ids[owner], secret_hash="", created_ms=0
            )
            session.add(row)
            await session.commit()
            return row.id


@pytest.fixture
async def accounts(database_url: str) -> AsyncIterator[AccountServices]:
    database = Database(database_url)
    made = AccountServices(database)
    await made.plant()
    yield made
    await database.close()
