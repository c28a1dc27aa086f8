"""Tokens, the signed-in user, and the users that the command line makes.

A sign-in that ends (logout, re-use, disabled, expired, deleted, new password or type) ends its WebSockets
at once in this process, within 30 s in another; calls are refused at once everywhere. A refresh looks the
tokens up before it writes. expires_in is in seconds.
"""

from __future__ import annotations

import hashlib
import logging
import re
import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterable

from cloud.core.addresses import network_of
from cloud.core.clock import NowMs, now_ms
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.identity import passwords as rules
from cloud.domains.identity.attempts import Attempts
from cloud.domains.identity.grants import Grants
from cloud.domains.identity.models import User, UserSession
from cloud.domains.identity.names import check_name
from cloud.domains.identity.passwords import Passwords
from cloud.domains.identity.permissions import PLATFORM
from cloud.domains.identity.repository import IdentityRepository
from cloud.domains.identity.schemas import CurrentUser, Tokens, UserInfo
from cloud.errors import Busy, Conflict, NotFound, ParameterError, SessionExpired

log = logging.getLogger(__name__)

TOKEN_S = 30 * 60
REFRESH_S = 14 * 24 * 3600

REUSE_GRACE_MS = 10_000
"""Two tabs may refresh at once: within this time the old refresh token gets the same successor."""

REMEMBERED_SUCCESSORS = 1000

MAX_PAIRS = 1000
"""Token pairs of one sign-in that are stored to notice re-use; a portal makes 672 while they live."""

MAX_SIGN_INS = 50
"""Of one user at the same time: one more ends the one that was refreshed longest ago."""

REFUSED_TYPE = 5  # APP users have no portal
TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")
"""What a token looks like; nothing else is looked up."""

END_REFUSED_S = 5.0
"""How often disabled and expired users are looked for; each of their calls is refused at once."""


def name_taken(name: str) -> Conflict:
    return Conflict(f"user {name} exists", field="user_name", rule="must be new", reason="user.exists")


def may_be_below(user_type: int, above: int) -> bool:
    """A user's type is greater than that of everybody above him; platform staff may stand below staff."""
    return user_type > above or user_type == above == PLATFORM


def _nobody_listens(sign_in: str) -> None:
    """For a process without browsers."""


class IdentityService:
    """Tokens are opaque random words; only their SHA-256 is stored. ended: called with a sign-in that has
    ended.
    """

    def __init__(
        self,
        database: Database,
        ended: Callable[[str], None] = _nobody_listens,
        permissions: Grants | None = None,
        passwords: Passwords | None = None,
        *,
        clock: NowMs = now_ms,
    ) -> None:
        self._database = database
        self._ended = ended
        self._clock = clock
        self.passwords = passwords or Passwords()
        self.permissions = permissions or Grants(database)
        self._misses = Attempts()
        self._successors: OrderedDict[str, Tokens] = OrderedDict()

    async def refresh(self, token: str, refresh_token: str, address: str = "") -> Tokens:
        """Rotate. A refresh token used twice ends every session that came from its sign-in.

        SessionExpired; Busy for an address that had too many of these. Only for both tokens it writes.
        """
        if not await self._refreshable(token, refresh_token):
            if not self._misses.take(network_of(address), self._clock() / 1000):
                raise Busy("too many attempts from this address", reason="sign_in.too_many")
            raise SessionExpired
        return await self._rotate(token, refresh_token)

    async def _refreshable(self, token: str, refresh_token: str) -> bool:
        if not (TOKEN.fullmatch(token) and TOKEN.fullmatch(refresh_token)):
            return False
        async with self._database.reading() as session:
            repository = IdentityRepository(session)
            pair = await repository.by_refresh(_hash(refresh_token), lock=False)
            return pair is not None and await self._fits(repository, *pair, token)

    async def _fits(self, repository: IdentityRepository, row: UserSession, user: User, token: str) -> bool:
        return (
            row.refresh_expires_ms >= self._clock()
            and secrets.compare_digest(row.token_hash, _hash(token))
            and await self._active(repository, user)
        )

    async def _rotate(self, token: str, refresh_token: str) -> Tokens:
        old = _hash(refresh_token)
        async with self._database.session() as session:
            repository = IdentityRepository(session)
            pair = await repository.by_refresh(old, lock=True)
            now = self._clock()
            if pair is None or not await self._fits(repository, *pair, token):
                raise SessionExpired
            row, user = pair
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
            tokens = self.open(repository, user.id, row.family)
            await repository.forget_rotated(row.family, MAX_PAIRS)
            self._successors[old] = tokens  # before the commit, because who waits for this row reads it then
            await session.commit()
        while len(self._successors) > REMEMBERED_SUCCESSORS:
            self._successors.popitem(last=False)
        return tokens

    async def logout(self, token: str) -> None:
        """End everything that came from this sign-in; no error when it has ended."""
        async with self._database.session() as session:
            repository = IdentityRepository(session)
            pair = await repository.by_token(_hash(token))
            if pair is not None:
                family = pair[0].family
                await repository.end_family(family)
                await session.commit()
                self._ended(family)

    async def current(self, token: str) -> CurrentUser:
        """Who this token belongs to; SessionExpired otherwise."""
        async with self._database.reading() as session:
            repository = IdentityRepository(session)
            pair = await repository.by_token(_hash(token)) if token else None
            if pair is None:
                raise SessionExpired
            row, user = pair
            rotated = row.rotated_ms is not None and self._clock() - row.rotated_ms > REUSE_GRACE_MS
            if rotated or row.expires_ms < self._clock() or not await self._active(repository, user):
                raise SessionExpired
        return await self._with_permissions(user, row.family)

    async def user_now(self, user_id: int) -> CurrentUser | None:
        """In whose name the cloud acts, with the rights that he has now; None when he may not sign in."""
        async with self._database.reading() as session:
            repository = IdentityRepository(session)
            user = await repository.user(user_id)
            if user is None or not await self._active(repository, user):
                return None
        return await self._with_permissions(user, "")

    async def _with_permissions(self, user: User, family: str) -> CurrentUser:
        scope = Scope(user.id, user.path or f"/{user.id}/", everything=user.user_type == PLATFORM)
        permissions = await self.permissions.of(user.user_type, user.group_id, user.path)
        return CurrentUser(user.id, user.user_name, user.user_type, permissions, family, scope)

    async def info(self, user_id: int) -> UserInfo:
        """The user's own data. Raises NotFound when he was deleted meanwhile."""
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

    async def add_user(self, name: str, password: str, user_type: int, parent: str = "") -> int:
        """Make a user of any type, below another when one is named. Returns his number. Raises ParameterError
        for a name, type or password that breaks its rule, NotFound for an unknown parent, Conflict for a name
        that is taken.
        """
        check_name(name)
        if not 0 <= user_type <= 6:
            raise ParameterError("user_type", "0 to 6")
        rules.check(password)
        hashed = await self.passwords.hash(password)
        async with self._database.session() as session:
            repository = IdentityRepository(session)
            above = await repository.user_named(parent) if parent else None
            if parent and above is None:
                raise NotFound("user", parent)
            if above is not None and not may_be_below(user_type, above.user_type):
                raise ParameterError("user_type", f"greater than {above.user_type}, the type of {parent}")
            if await repository.user_named(name) is not None:
                raise name_taken(name)
            user = User(user_name=name, password_hash=hashed, user_type=user_type, created_ms=self._clock())
            user.parent_id = above.id if above else None
            repository.add(user)
            await session.flush()
            user.path = f"{above.path if above else '/'}{user.id}/"
            await session.commit()
            return user.id

    async def set_password(self, name: str, password: str) -> None:
        """Change a password and end the user's sessions. Raises NotFound for an unknown name, ParameterError
        for a password that breaks the rule.
        """
        rules.check(password)
        hashed = await self.passwords.hash(password)
        async with self._database.session() as session:
            repository = IdentityRepository(session)
            user = await repository.user_named(name)
            if user is None:
                raise NotFound("user", name)
            user.password_hash = hashed
            families = await repository.end_sessions_of(user.id)
            await session.commit()
        self.ended(families)

    async def end_refused(self) -> None:
        """Periodic: end the sessions of users who were disabled or have expired, and of all below them."""
        async with self._database.reading() as session:
            families = await IdentityRepository(session).families_of_refused(self._clock())
        if not families:
            return
        async with self._database.session() as session:
            for family in families:
                await IdentityRepository(session).end_family(family)
            await session.commit()
        self.ended(families)

    async def forget_expired(self) -> None:
        """Periodic: delete sessions that nobody can refresh any more."""
        async with self._database.session() as session:
            await IdentityRepository(session).delete_expired(self._clock())
            await session.commit()

    async def _active(self, repository: IdentityRepository, user: User) -> bool:
        now = self._clock()
        own = user.status == 1 and (user.expire_ms is None or user.expire_ms > now)
        return own and not await repository.refused_above(user, now)

    def open(self, repository: IdentityRepository, user_id: int, family: str) -> Tokens:
        """New tokens in the caller's transaction."""
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

    async def end_oldest(self, repository: IdentityRepository, user_id: int) -> set[str]:
        """Delete what a user has beyond MAX_SIGN_INS, in the caller's transaction; what has ended."""
        families = await repository.beyond(user_id, MAX_SIGN_INS)
        for family in families:
            await repository.end_family(family)
        return families

    def ended(self, families: Iterable[str]) -> None:
        """Sign-ins whose sessions were deleted: their sockets are ended."""
        for family in families:
            self._ended(family)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
