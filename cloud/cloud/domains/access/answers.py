"""Gathers what why needs from the database."""

from __future__ import annotations

from collections.abc import Mapping

from cloud.core.clock import NowMs, now_ms
from cloud.db import Database
from cloud.domains.access.repository import AccessRepository
from cloud.domains.access.schemas import WhyAnswer, WhyQuery, WhyReason
from cloud.domains.access.why import GatewayAccess, Person, Question, explain
from cloud.domains.identity.grants import Grants, Rules
from cloud.domains.identity.models import User
from cloud.domains.identity.permissions import CODES
from cloud.domains.identity.schemas import CurrentUser
from cloud.errors import NotFound, ParameterError

ABOUT_OTHERS = "auth.User"
"""Who manages users may ask about those below him; everybody may ask about himself."""


class WhyService:
    """operations: to the permission that each requires, None where signing in is enough."""

    def __init__(
        self,
        database: Database,
        grants: Grants,
        operations: Mapping[str, str | None],
        *,
        clock: NowMs = now_ms,
    ) -> None:
        self._database = database
        self._grants = grants
        self._operations = operations
        self._clock = clock

    async def why(self, asker: CurrentUser, query: WhyQuery) -> WhyAnswer:
        """May a user do this, and why. Raises NotFound for a user whom the asker does not see, ParameterError
        for a permission or operation that this cloud does not have.
        """
        permissions = self._permissions(query)
        rules = await self._grants.rules()
        user_id = asker.id if query.user_id is None else query.user_id
        if user_id != asker.id and not asker.may(ABOUT_OTHERS):
            raise NotFound("user")
        async with self._database.reading() as session:
            repository = AccessRepository(session, asker.scope)
            user_row = await repository.user(user_id)
            if user_row is None:
                raise NotFound("user")
            refused = await repository.refused_above(user_row[0], self._clock())
            person = self._person(*user_row, rules, refused)
            gateway = None
            if query.device_id is not None:
                gateway = await self._gateway(repository, asker, person, query.device_id)
        question = Question(
            permissions,
            frozenset(map(int, query.types)) if query.types else None,
            query.flag,
            gateway,
            query.device_id is not None,
            query.writes,
        )
        allowed, reasons = explain(person, rules, question)
        return WhyAnswer(
            allowed=allowed, reasons=[WhyReason(code=reason.code, args=reason.args) for reason in reasons]
        )

    def _permissions(self, query: WhyQuery) -> tuple[str, ...]:
        unknown = [code for code in query.permissions if code not in CODES]
        if unknown:
            raise ParameterError("permission", f"{unknown[0]} is no permission")
        if not query.operation:
            return query.permissions
        if query.operation not in self._operations:
            raise ParameterError("operation", "an operation of this cloud")
        required = self._operations[query.operation]
        return () if required is None else (required,)

    def _person(self, user: User, group_title: str, rules: Rules, refused_above: bool) -> Person:
        expired = user.expire_ms is not None and user.expire_ms <= self._clock()
        return Person(
            user.id,
            user.user_type,
            user.path or f"/{user.id}/",
            user.status != 1,
            user.expire_ms if expired else None,
            None if user.group_id is None else rules.groups.get(user.group_id, frozenset()),
            group_title,
            rules.above(user.path),
            refused_above,
        )

    async def _gateway(
        self, repository: AccessRepository, asker: CurrentUser, person: Person, device_id: int
    ) -> GatewayAccess | None:
        """None for one that the asker may not see, as if it did not exist."""
        device_row = await repository.device(device_id)
        if device_row is None:
            return None
        device, owner = device_row
        gateway = GatewayAccess(
            device.owner_id, owner.user_name if owner else "", owner.path if owner else ""
        )
        shared = await repository.share(device_id, asker.id)
        sees = asker.scope.everything or gateway.owner_path.startswith(asker.scope.path) or shared is not None
        if not sees:
            return None
        of_person = (
            shared if person.user_id == asker.id else await repository.share(device_id, person.user_id)
        )
        return GatewayAccess(
            gateway.owner_id,
            gateway.owner_name,
            gateway.owner_path,
            None if of_person is None else of_person.writes,
        )
