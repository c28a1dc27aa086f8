"""Sign-in, tokens and users."""

from __future__ import annotations

import hashlib
import logging
import re
import secrets
from collections import OrderedDict
from collections.abc import Callable

from cloud.db import Database
from cloud.domains.identity.grants import Grants
from cloud.domains.identity.lockout import Lockout
from cloud.domains.identity.models import User, UserSession
from cloud.domains.identity.passwords import LEAST_LENGTH, Passwords
from cloud.domains.identity.permissions import PLATFORM
from cloud.domains.identity.repository import IdentityRepository
from cloud.domains.identity.schemas import CurrentUser, Tokens, UserInfo
from cloud.domains.identity.scope import Scope
from cloud.errors import Conflict, NoPermission, NotFound, ParameterError, SessionExpired, WrongCredentials
from cloud.kit.clock import NowMs, now_ms

log = logging.getLogger(__name__)

TOKEN_S = 30 * 60
REFRESH_S = 14 * 24 * 3600

REUSE_GRACE_MS = 10_000
"""Two tabs may refresh at once: within this time the old refresh token gets the same successor."""

REMEMBERED_SUCCESSORS = 1000
REFUSED_TYPE = 5  # APP users have no portal
USER_NAME = re.compile(r"[A-Za-z0-9_.\u4e00-\u9fff-]{2,64}")


def _nobody_listens(sign_in: str) -> None:
    """For a process without browsers."""


class IdentityService:
    """Tokens are opaque random words; only their SHA-256 is stored. ended: told a sign-in that has ended."""

    def __init__(
        self,
        database: Database,
        ended: Callable[[str], None] = _nobody_listens,
        permissions: Grants | None = None,
        *,
        clock: NowMs = now_ms,
    ) -> None:
        self._database = database
        self._ended = ended
        self._clock = clock
        self._passwords = Passwords()
        self._lockout = Lockout()
        self._permissions = permissions or Grants(database)
        self._successors: OrderedDict[str, Tokens] = OrderedDict()

    async def login(self, username: str, password: str, address: str) -> Tokens:
        """New tokens; WrongCredentials whatever is wrong, NoPermission for users who have no portal."""
        name, now_s = username.strip(), self._clock() / 1000
        keys = [f"user {name}", f"address {address}"]
        if self._lockout.locked(keys, now_s):
            log.warning("sign-in refused: locked", extra={"user": name, "address": address})
            raise WrongCredentials
        user = None
        if USER_NAME.fullmatch(name):
            async with self._database.reading() as session:
                user = await IdentityRepository(session).user_named(name)
        right = await self._passwords.matches(user.password_hash if user else None, password)
        now_s = self._clock() / 1000
        if self._lockout.locked(keys, now_s):  # others that ran beside this one have failed meanwhile
            raise WrongCredentials
        if user is None or not right or not self._active(user):
            self._lockout.failed(keys, now_s)
            log.warning("sign-in failed", extra={"user": name, "address": address})
            raise WrongCredentials
        if user.user_type == REFUSED_TYPE:
            raise NoPermission
        self._lockout.succeeded(keys[0])
        log.info("signed in", extra={"user": name, "address": address})
        async with self._database.session() as session:
            tokens = self._open(IdentityRepository(session), user.id, secrets.token_hex(16))
            await session.commit()
        return tokens

    async def refresh(self, token: str, refresh_token: str) -> Tokens:
        """Rotate. A refresh token used twice ends every session that came from its sign-in."""
        old = _hash(refresh_token)
        async with self._database.session() as session:
            repository = IdentityRepository(session)
            found = await repository.by_refresh(old)
            now = self._clock()
            if found is None or found[0].refresh_expires_ms < now or not self._active(found[1]):
                raise SessionExpired
            row, user = found
            if row.token_hash != _hash(token):
                raise SessionExpired
            if row.rotated_ms is not None:
                if now - row.rotated_ms <= REUSE_GRACE_MS and old in self._successors:
                    return self._successors[old]
                await repository.end_family(row.family)
                await session.commit()
                self._ended(row.family)
                log.warning(
                    "refresh token used again: its sessions are ended", extra={"user": user.user_name}
                )
                raise SessionExpired
            row.rotated_ms = now
            tokens = self._open(repository, user.id, row.family)
            self._successors[old] = tokens  # before the commit, because who waits for this row reads it then
            await session.commit()
        while len(self._successors) > REMEMBERED_SUCCESSORS:
            self._successors.popitem(last=False)
        return tokens

    async def logout(self, token: str) -> None:
        """End everything that came from this sign-in; no error when it has ended."""
        async with self._database.session() as session:
            repository = IdentityRepository(session)
            found = await repository.by_token(_hash(token))
            if found is not None:
                family = found[0].family
                await repository.end_family(family)
                await session.commit()
                self._ended(family)

    async def current(self, token: str) -> CurrentUser:
        """Who this token belongs to; SessionExpired otherwise."""
        async with self._database.reading() as session:
            found = await IdentityRepository(session).by_token(_hash(token)) if token else None
        if found is None:
            raise SessionExpired
        row, user = found
        rotated = row.rotated_ms is not None and self._clock() - row.rotated_ms > REUSE_GRACE_MS
        if rotated or row.expires_ms < self._clock() or not self._active(user):
            raise SessionExpired
        scope = Scope(user.id, user.path, everything=user.user_type == PLATFORM)
        permissions = await self._permissions.of(user.user_type, user.group_id)
        return CurrentUser(user.id, user.user_name, user.user_type, permissions, row.family, scope)

    async def info(self, user_id: int) -> UserInfo:
        async with self._database.reading() as session:
            user = await IdentityRepository(session).user(user_id)
        if user is None:
            raise NotFound("user")
        return UserInfo(
            user_id=user.id,
            user_name=user.user_name,
            nick_name=user.nick_name,
            status=user.status,
            user_type=user.user_type,
            bigscreen_title=user.bigscreen_title,
            user_expire=user.expire_ms,
        )

    async def add_user(self, name: str, password: str, user_type: int) -> int:
        """Make a user; ParameterError or Conflict. Returns its number."""
        if not USER_NAME.fullmatch(name):
            raise ParameterError("user_name", "2 to 64 letters, digits, '_', '.', '-' or Chinese characters")
        if not 0 <= user_type <= 6:
            raise ParameterError("user_type", "0 to 6")
        self._check_password(password)
        hashed = await self._passwords.hash(password)
        async with self._database.session() as session:
            repository = IdentityRepository(session)
            if await repository.user_named(name) is not None:
                raise Conflict(f"user {name} exists", field="user_name", rule="must be new")
            user = User(user_name=name, password_hash=hashed, user_type=user_type, created_ms=self._clock())
            repository.add(user)
            await session.flush()
            user.path = f"/{user.id}/"
            await session.commit()
            return user.id

    async def set_password(self, name: str, password: str) -> None:
        """Change a password and end the user's sessions."""
        self._check_password(password)
        hashed = await self._passwords.hash(password)
        async with self._database.session() as session:
            repository = IdentityRepository(session)
            user = await repository.user_named(name)
            if user is None:
                raise NotFound(f"user {name}")
            user.password_hash = hashed
            await repository.end_sessions_of(user.id)
            await session.commit()

    async def forget_expired(self) -> None:
        """Periodic: delete sessions that nobody can refresh any more."""
        async with self._database.session() as session:
            await IdentityRepository(session).delete_expired(self._clock())
            await session.commit()

    def _check_password(self, password: str) -> None:
        if not LEAST_LENGTH <= len(password) <= 200:
            raise ParameterError("password", f"{LEAST_LENGTH} to 200 characters")

    def _active(self, user: User) -> bool:
        return user.status == 1 and (user.expire_ms is None or user.expire_ms > self._clock())

    def _open(self, repository: IdentityRepository, user_id: int, family: str) -> Tokens:
        tokens = Tokens(
            token=secrets.token_urlsafe(32), refresh_token=secrets.token_urlsafe(32), expires_in=TOKEN_S
        )
        now = self._clock()
        repository.add(
            UserSession(
                user_id=user_id,
                family=family,
                token_hash=_hash(tokens.token),
                refresh_hash=_hash(tokens.refresh_token),
                expires_ms=now + TOKEN_S * 1000,
                refresh_expires_ms=now + REFRESH_S * 1000,
            )
        )
        return tokens


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
