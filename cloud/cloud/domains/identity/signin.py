"""Signing in: with a password, or as the demo user."""

from __future__ import annotations

import logging
import secrets

from prometheus_client import Counter

from cloud.db import Database
from cloud.domains.identity.attempts import Attempts
from cloud.domains.identity.lockout import Lockout
from cloud.domains.identity.models import LoginLog, User
from cloud.domains.identity.permissions import PLATFORM
from cloud.domains.identity.repository import IdentityRepository
from cloud.domains.identity.schemas import Tokens
from cloud.domains.identity.service import REFUSED_TYPE, USER_NAME, IdentityService
from cloud.errors import Busy, NoPermission, WrongCredentials
from cloud.kit.clock import NowMs, now_ms
from cloud.kit.text import storable

log = logging.getLogger(__name__)

OK, WRONG, LOCKED, DISABLED, EXPIRED, TYPE = "ok", "wrong", "locked", "disabled", "expired", "refused_type"
RESULTS = (OK, WRONG, LOCKED, DISABLED, EXPIRED, TYPE)

SIGN_INS = Counter("edge_sign_ins", "Attempts to sign in", ["result"])


class SignInService:
    """Every attempt leaves a row in the sign-in log, but those of an address that tries too often: these are
    counted only, because a flood must not push the evidence out. demo_user: "" for no demo sign-in.
    """

    def __init__(
        self,
        database: Database,
        identity: IdentityService,
        demo_user: str = "",
        attempts: Attempts | None = None,
        *,
        clock: NowMs = now_ms,
    ) -> None:
        self._database = database
        self._identity = identity
        self._demo_user = demo_user
        self._clock = clock
        self._lockout = Lockout()
        self._attempts = attempts or Attempts()

    async def login(self, username: str, password: str, address: str, agent: str = "") -> Tokens:
        """New tokens; WrongCredentials whatever is wrong, NoPermission for users who have no portal."""
        self._count(address)
        name = username.strip()
        keys = [f"user {name}", f"address {address}"]
        user = await self._named(name)
        if self._locked(keys):
            await self._note(name, user, address, agent, LOCKED)
            raise WrongCredentials
        right = await self._identity.passwords.matches(user.password_hash if user else None, password)
        if self._locked(keys):  # others that ran beside this one have failed meanwhile
            await self._note(name, user, address, agent, LOCKED)
            raise WrongCredentials
        result = self._result(user) if right else WRONG
        if user is None or result not in {OK, TYPE}:
            self._lockout.failed(keys, self._clock() / 1000)
            await self._note(name, user, address, agent, result)
            raise WrongCredentials
        if result == TYPE:
            await self._note(name, user, address, agent, result)
            raise NoPermission(reason="sign_in.no_portal")
        self._lockout.succeeded(keys[0])
        return await self._enter(user, address, agent)

    async def demo(self, address: str, agent: str = "") -> Tokens:
        """Tokens of the demo user; NoPermission when there is none. The platform's own staff is never one."""
        self._count(address)
        user = await self._demo()
        if user is None:
            await self._note(self._demo_user or "demo", None, address, agent, WRONG)
            raise NoPermission(reason="sign_in.no_demo")
        return await self._enter(user, address, agent)

    async def demo_offered(self) -> bool:
        """Would the demo sign-in succeed? For the page that shows its button."""
        return await self._demo() is not None

    async def _demo(self) -> User | None:
        user = await self._named(self._demo_user) if self._demo_user else None
        usable = user is not None and self._result(user) == OK and user.user_type != PLATFORM
        return user if usable else None

    def _count(self, address: str) -> None:
        if not self._attempts.take(address, self._clock() / 1000):
            SIGN_INS.labels("too_many").inc()
            raise Busy("too many attempts to sign in from this address", reason="sign_in.too_many")

    def _locked(self, keys: list[str]) -> bool:
        return self._lockout.locked(keys, self._clock() / 1000)

    def _result(self, user: User | None) -> str:
        if user is None:
            return WRONG
        if user.status != 1:
            return DISABLED
        if user.expire_ms is not None and user.expire_ms <= self._clock():
            return EXPIRED
        return TYPE if user.user_type == REFUSED_TYPE else OK

    async def _named(self, name: str) -> User | None:
        if not USER_NAME.fullmatch(name):
            return None
        async with self._database.reading() as session:
            return await IdentityRepository(session).user_named(name)

    async def _enter(self, user: User, address: str, agent: str) -> Tokens:
        async with self._database.session() as session:
            repository = IdentityRepository(session)
            tokens = self._identity.open(repository, user.id, secrets.token_hex(16))
            found = await repository.user(user.id)
            if found is None:  # deleted since it was read
                raise WrongCredentials
            found.last_login_ms = self._clock()
            self._write(repository, user.user_name, user, address, agent, OK)
            await session.commit()
        return tokens

    async def _note(self, name: str, user: User | None, address: str, agent: str, result: str) -> None:
        async with self._database.session() as session:
            self._write(IdentityRepository(session), name, user, address, agent, result)
            await session.commit()

    def _write(
        self,
        repository: IdentityRepository,
        name: str,
        user: User | None,
        address: str,
        agent: str,
        result: str,
    ) -> None:
        SIGN_INS.labels(result).inc()
        level = logging.INFO if result == OK else logging.WARNING
        log.log(level, "sign-in: %s", result, extra={"user": storable(name, 64), "address": address})
        repository.add(
            LoginLog(
                at_ms=self._clock(),
                user_id=user.id if user else None,
                user_name=storable(name, 64),
                address=storable(address, 64),
                agent=storable(agent, 200),
                result=result,
            )
        )
