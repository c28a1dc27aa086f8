"""What the signed-in user may change of himself."""

from __future__ import annotations

from cloud.core.changes import record_change
from cloud.core.clock import NowMs, now_ms
from cloud.db import Database
from cloud.domains.identity import passwords as rules
from cloud.domains.identity.lockout import Lockout
from cloud.domains.identity.models import AuthGroup, User
from cloud.domains.identity.names import name_key
from cloud.domains.identity.repository import IdentityRepository
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.identity.service import IdentityService
from cloud.domains.identity.user_schemas import OwnPassword, Profile, ProfileChange
from cloud.errors import Busy, NoPermission, NotFound, ParameterError

TITLE = "CustomizeBigscreenTitle"


class ProfileService:
    """demo_user: whose data stays as it is, because everybody is him."""

    def __init__(
        self, database: Database, identity: IdentityService, demo_user: str = "", *, clock: NowMs = now_ms
    ) -> None:
        self._database = database
        self._identity = identity
        self._demo_user = demo_user
        self._clock = clock
        self._lockout = Lockout()

    async def profile(self, asker: CurrentUser) -> Profile:
        """One's own profile. Raises NotFound when the user was deleted meanwhile."""
        async with self._database.reading() as session:
            user = await session.get(User, asker.id)
            if user is None:
                raise NotFound("user")
            group = await session.get(AuthGroup, user.group_id) if user.group_id else None
        return Profile(
            user_id=user.id,
            user_name=user.user_name,
            nick_name=user.nick_name,
            user_type=user.user_type,
            user_expire=user.expire_ms,
            phone=user.phone,
            email=user.email,
            group_title=group.title if group else None,
            bigscreen_title=user.bigscreen_title,
            created_ms=user.created_ms,
            last_login_ms=user.last_login_ms,
            demo=self._is_demo(asker),
        )

    async def edit(self, asker: CurrentUser, body: ProfileChange) -> Profile:
        """Change what the body names; a title of the big screen needs its permission. Raises NoPermission
        without it and for the demo user, NotFound when the user was deleted meanwhile.
        """
        self._refuse_demo(asker)
        changes = body.model_dump(exclude_unset=True)
        async with self._database.session() as session:
            user = await session.get(User, asker.id)
            if user is None:
                raise NotFound("user")
            title = changes.get("bigscreen_title", user.bigscreen_title)
            if title != user.bigscreen_title and not asker.may(TITLE):
                raise NoPermission(TITLE)
            before = {name: getattr(user, name) for name in changes}
            for name, value in changes.items():
                setattr(user, name, value)
            await session.commit()
        record_change(before, changes)
        return await self.profile(asker)

    async def set_password(self, asker: CurrentUser, body: OwnPassword) -> None:
        """Change one's password, which ends one's other sessions. Raises ParameterError for a wrong old
        password or a new one that breaks the rule, Busy after too many wrong ones, NoPermission for the demo
        user, NotFound when the user was deleted meanwhile.
        """
        self._refuse_demo(asker)
        rules.check(body.new, "new")
        keys = [f"user {asker.id}"]
        if self._lockout.locked(keys, self._clock() / 1000):
            raise Busy("too many wrong passwords", reason="user.password_locked")
        async with self._database.reading() as session:
            user = await session.get(User, asker.id)
        right = await self._identity.passwords.matches(user.password_hash if user else None, body.old)
        if self._lockout.locked(keys, self._clock() / 1000):
            raise Busy("too many wrong passwords", reason="user.password_locked")
        if not right:
            self._lockout.failed(keys, self._clock() / 1000)
            raise ParameterError("old", "the present password", reason="user.old_password")
        self._lockout.succeeded(keys[0])
        hashed = await self._identity.passwords.hash(body.new)
        async with self._database.session() as session:
            user = await session.get(User, asker.id)
            if user is None:
                raise NotFound("user")
            user.password_hash = hashed
            families = await IdentityRepository(session).end_sessions_of(user.id, but=asker.sign_in)
            await session.commit()
        self._identity.ended(families)

    def _is_demo(self, asker: CurrentUser) -> bool:
        return bool(self._demo_user) and name_key(asker.name) == name_key(self._demo_user)

    def _refuse_demo(self, asker: CurrentUser) -> None:
        if self._is_demo(asker):
            raise NoPermission(reason="user.demo_fixed")
