"""Signing in: with a password, or as the demo user.

Five failures of one name at an address lock the pair, five of any names the address, but nobody who signed
in there of late (his last 20 entries in the log). Ten passwords of a name and ten more a minute, from
wherever, but of those known addresses. Every wrong sign-in gets the same 10009; above the rates, and with
more than 100 passwords waiting, 429. An IPv6 address counts as its /64. The demo sign-in is denied unless
EDGE_DEMO_USER names a usable user who is not the platform's. Who stands below a disabled or expired user
gets 10001 with sign_in.above, when the password is right.
"""

from __future__ import annotations

import logging
import secrets

from prometheus_client import Counter

from cloud.core.addresses import network_of
from cloud.core.clock import NowMs, now_ms
from cloud.core.text import storable
from cloud.db import Database
from cloud.domains.identity.attempts import Attempts
from cloud.domains.identity.lockout import Lockout
from cloud.domains.identity.models import LoginLog, User
from cloud.domains.identity.names import USER_NAME, name_key
from cloud.domains.identity.permissions import PLATFORM
from cloud.domains.identity.repository import IdentityRepository
from cloud.domains.identity.schemas import Tokens
from cloud.domains.identity.service import REFUSED_TYPE, IdentityService
from cloud.errors import Busy, NoPermission, WrongCredentials

log = logging.getLogger(__name__)

OK, WRONG, LOCKED, DISABLED, EXPIRED, TYPE = "ok", "wrong", "locked", "disabled", "expired", "refused_type"
ABOVE = "above"
RESULTS = (OK, WRONG, LOCKED, DISABLED, EXPIRED, TYPE, ABOVE)
REASONS = {TYPE: "sign_in.no_portal", ABOVE: "sign_in.above"}
"""Told only to who knows the password."""

NAME_AT_ONCE, NAME_PER_S = 10, 10 / 60
"""Passwords of one name that are looked at, wherever they come from: ten, and ten more a minute."""

DEMO_AT_ONCE, DEMO_PER_S = 10, 10 / 60
"""Demo sign-ins of one address: each leaves a session and a row in the log."""

KNOWN_ADDRESSES = 20
"""The last sign-ins of a user whose addresses failures from elsewhere do not lock."""

SIGN_INS = Counter("edge_sign_ins", "Attempts to sign in", ["result"])


class SignInService:
    """Every attempt leaves a row in the sign-in log, but those of an address that tries too often: these are
    counted only, because a flood must not push the rows of others out. demo_user: "" for no demo sign-in.
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
        self._pairs = Lockout()
        self._addresses = Lockout()
        self._names = Attempts(NAME_AT_ONCE, NAME_PER_S)
        self._attempts = attempts or Attempts()
        self._demos = Attempts(DEMO_AT_ONCE, DEMO_PER_S)

    async def login(self, username: str, password: str, address: str, agent: str = "") -> Tokens:
        """New tokens; WrongCredentials whatever is wrong, NoPermission for users who have no portal."""
        network = network_of(address)
        self._count(self._attempts, network)
        name = username.strip()
        pair = f"{name_key(name)} {network}"
        user = await self._named(name)
        known = await self._known(user, network)
        if self._locked(pair, network, known) or not (self._admitted(name) or known):
            await self._note(name, user, address, agent, LOCKED)
            raise WrongCredentials
        right = await self._identity.passwords.matches(user.password_hash if user else None, password)
        if self._locked(pair, network, known):  # others that ran beside this one have failed meanwhile
            await self._note(name, user, address, agent, LOCKED)
            raise WrongCredentials
        result = await self._result(user) if right else WRONG
        if user is None or result not in {OK, *REASONS}:
            now_s = self._clock() / 1000
            self._pairs.failed([pair], now_s)
            self._addresses.failed([network], now_s)
            await self._note(name, user, address, agent, result)
            raise WrongCredentials
        if result in REASONS:
            await self._note(name, user, address, agent, result)
            raise NoPermission(reason=REASONS[result])
        self._pairs.succeeded(pair)
        return await self._enter(user, address, agent)

    async def demo(self, address: str, agent: str = "") -> Tokens:
        """Tokens of the demo user; NoPermission when there is none. The platform's own staff is never one."""
        network = network_of(address)
        self._count(self._attempts, network)
        self._count(self._demos, network)
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
        usable = user is not None and await self._result(user) == OK and user.user_type != PLATFORM
        return user if usable else None

    def _count(self, attempts: Attempts, network: str) -> None:
        if not attempts.take(network, self._clock() / 1000):
            SIGN_INS.labels("too_many").inc()
            raise Busy("too many attempts to sign in from this address", reason="sign_in.too_many")

    def _locked(self, pair: str, network: str, known: bool) -> bool:
        """known: not locked by what others did at the same address."""
        now_s = self._clock() / 1000
        return self._pairs.locked([pair], now_s) or (not known and self._addresses.locked([network], now_s))

    def _admitted(self, name: str) -> bool:
        return self._names.take(name_key(name), self._clock() / 1000)

    async def _known(self, user: User | None, network: str) -> bool:
        """Did the user sign in from there of late?"""
        user_id = user.id if user else 0  # unknown names are looked up too: they take as long
        async with self._database.reading() as session:
            addresses = await IdentityRepository(session).addresses(user_id, KNOWN_ADDRESSES)
        return network in map(network_of, addresses)

    async def _result(self, user: User | None) -> str:
        if user is None:
            return WRONG
        if user.status != 1:
            return DISABLED
        if user.expire_ms is not None and user.expire_ms <= self._clock():
            return EXPIRED
        if user.user_type == REFUSED_TYPE:
            return TYPE
        async with self._database.reading() as session:
            above = await IdentityRepository(session).refused_above(user, self._clock())
        return ABOVE if above else OK

    async def _named(self, name: str) -> User | None:
        if not USER_NAME.fullmatch(name):
            return None
        async with self._database.reading() as session:
            return await IdentityRepository(session).user_named(name)

    async def _enter(self, user: User, address: str, agent: str) -> Tokens:
        async with self._database.session() as session:
            repository = IdentityRepository(session)
            tokens = self._identity.open(repository, user.id, secrets.token_hex(16))
            stored = await repository.user(user.id)
            if stored is None:  # deleted since it was read
                raise WrongCredentials
            stored.last_login_ms = self._clock()
            self._write(repository, user.user_name, user, address, agent, OK)
            ended = await self._identity.end_oldest(repository, user.id)
            await session.commit()
        self._identity.ended(ended)
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
