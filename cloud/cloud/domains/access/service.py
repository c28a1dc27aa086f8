"""Groups and rules. A change counts at once in this process and within 2 s in another."""

from __future__ import annotations

import logging
from collections.abc import Collection

from cloud.core.changes import record_change
from cloud.core.clock import NowMs, now_ms
from cloud.core.envelope import Page
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.access.repository import AccessRepository, GroupWithUsers
from cloud.domains.access.schemas import GroupBody, GroupRow, PermissionRow, RuleBody, RuleRow
from cloud.domains.identity.grants import Grants
from cloud.domains.identity.models import AuthGroup, AuthRule
from cloud.domains.identity.permissions import CODES, PERMISSIONS, PLATFORM, Permission, off
from cloud.domains.identity.schemas import CurrentUser
from cloud.errors import Conflict, NoPermission, NotFound, ParameterError

log = logging.getLogger(__name__)

KEY = "auth.Rule"
"""Without this permission nobody could take a rule back: no rule touches it."""


class AccessService:
    """A group is seen by its owner and everybody above him; rules are the platform's."""

    def __init__(self, database: Database, grants: Grants, *, clock: NowMs = now_ms) -> None:
        self._database = database
        self._grants = grants
        self._clock = clock

    async def groups(
        self, scope: Scope, search: str, user_type: int | None, page: int, limit: int
    ) -> Page[GroupRow]:
        """A page of groups that the scope sees, by title."""
        async with self._database.reading() as session:
            rows, total = await AccessRepository(session, scope).groups(search, user_type, page, limit)
        return Page(rows=[_group_row(row) for row in rows], total=total)

    async def make_group(self, asker: CurrentUser, body: GroupBody) -> GroupRow:
        """Create a group of the asker. Raises ParameterError for a user type that is not greater than the
        asker's and for a permission that does not exist or that he may not give.
        """
        await self._check(asker, body, ())
        async with self._database.session() as session:
            repository = AccessRepository(session, asker.scope)
            group = AuthGroup(owner_id=asker.id, created_ms=self._clock(), **_columns(body))
            repository.add(group)
            await session.flush()
            row = await self._stored(repository, group.id)
            await session.commit()
        self._grants.forget()
        return _group_row(row)

    async def change_group(self, asker: CurrentUser, group_id: int, body: GroupBody) -> GroupRow:
        """Replace a group; permissions that others gave it may stay. Raises NotFound, ParameterError as
        make_group, Conflict when users have the group and its type would change.
        """
        async with self._database.reading() as session:
            present = await self._stored(AccessRepository(session, asker.scope), group_id)
        await self._check(asker, body, present.group.permissions)
        async with self._database.session() as session:
            repository = AccessRepository(session, asker.scope)
            stored = await self._stored(repository, group_id)
            if stored.users and body.user_type != stored.group.user_type:
                raise _in_use(stored.users)
            after = _columns(body)
            before = {name: getattr(stored.group, name) for name in after}
            for name, value in after.items():
                setattr(stored.group, name, value)
            await session.flush()
            row = await self._stored(repository, group_id)
            await session.commit()
        record_change(before, after)
        self._grants.forget()
        return _group_row(row)

    async def delete_group(self, asker: CurrentUser, group_id: int) -> None:
        """Delete a group. Raises NotFound; Conflict while users have it: without it they would have
        everything of their type.
        """
        async with self._database.session() as session:
            repository = AccessRepository(session, asker.scope)
            stored = await self._stored(repository, group_id)
            if stored.users:
                raise _in_use(stored.users)
            before = _group_row(stored).model_dump(include={"title", "user_type", "permissions", "remark"})
            await repository.delete_group(stored.group)
            await session.commit()
        record_change(before, {})
        self._grants.forget()

    async def permissions(self) -> list[PermissionRow]:
        """Every permission with its names, parents before children, for whoever picks or shows some."""
        rules = await self._rules()
        return [_permission_row(permission, rules) for permission in PERMISSIONS]

    async def rules(self, asker: CurrentUser) -> list[RuleRow]:
        """Every permission with its rule. Raises NoPermission when the asker is not the platform."""
        _platform_only(asker)
        rules = await self._rules()
        return [_rule_row(permission, rules) for permission in PERMISSIONS]

    async def change_rule(self, asker: CurrentUser, code: str, body: RuleBody) -> RuleRow:
        """Replace the rule of a permission. Raises NoPermission when the asker is not the platform, NotFound
        for an unknown code, Conflict when it would switch off or retype auth.Rule itself.
        """
        _platform_only(asker)
        permission = next((one for one in PERMISSIONS if one.code == code), None)
        if permission is None:
            raise NotFound("permission")
        if code == KEY and (not body.enabled or body.types is not None):
            raise Conflict(f"{KEY} stays as it is", reason="rule.key")
        types = None if body.types is None else "".join(map(str, sorted(set(body.types))))
        async with self._database.session() as session:
            repository = AccessRepository(session, asker.scope)
            rule = await repository.rule(code)
            before = _rule_fields(rule) if rule else {}
            if rule is None:
                rule = AuthRule(code=code)
                repository.add(rule)
            rule.zh, rule.en, rule.types, rule.enabled = body.zh, body.en, types, body.enabled
            await session.commit()
        record_change(before, _rule_fields(rule))
        self._grants.forget()
        log.info("rule changed", extra={"permission": code, "by": asker.name})
        return _rule_row(permission, await self._rules())

    async def _rules(self) -> dict[str, AuthRule]:
        async with self._database.reading() as session:
            return await AccessRepository(session, Scope.system()).rules()

    async def _stored(self, repository: AccessRepository, group_id: int) -> GroupWithUsers:
        stored = await repository.group(group_id)
        if stored is None:
            raise NotFound("group")
        return stored

    async def _check(self, asker: CurrentUser, body: GroupBody, present: Collection[str]) -> None:
        if body.user_type <= asker.user_type:
            rule = f"greater than {asker.user_type}"
            raise ParameterError("user_type", rule, reason="user.type_not_greater")
        unknown = set(body.permissions) - CODES
        if unknown:
            raise ParameterError("permissions", f"{min(unknown)} is no permission", reason="group.unknown")
        rules = await self._grants.rules()
        nobody_has = off(rules.flags) | rules.disabled
        beyond = set(body.permissions) - asker.permissions - nobody_has - set(present)
        if beyond:
            raise ParameterError(
                "permissions", f"{min(beyond)} is not yours to give", reason="group.not_yours"
            )


def _platform_only(asker: CurrentUser) -> None:
    if asker.user_type != PLATFORM:
        raise NoPermission(KEY)


def _in_use(users: int) -> Conflict:
    return Conflict(f"{users} users have this group", reason="group.has_users", arguments={"users": users})


def _columns(body: GroupBody) -> dict[str, object]:
    return {
        "title": body.title,
        "user_type": body.user_type,
        "permissions": sorted(set(body.permissions)),
        "remark": body.remark,
    }


def _rule_fields(rule: AuthRule) -> dict[str, object]:
    return {"zh": rule.zh, "en": rule.en, "types": rule.types, "enabled": rule.enabled}


def _group_row(stored: GroupWithUsers) -> GroupRow:
    group = stored.group
    return GroupRow(
        group_id=group.id,
        title=group.title,
        user_type=group.user_type,
        permissions=group.permissions,
        remark=group.remark,
        users=stored.users,
        owner_id=group.owner_id,
        owner_name=stored.owner_name,
        created_ms=group.created_ms,
    )


def _permission_row(permission: Permission, rules: dict[str, AuthRule]) -> PermissionRow:
    rule = rules.get(permission.code)
    types = permission.types if rule is None or rule.types is None else map(int, rule.types)
    return PermissionRow(
        code=permission.code,
        parent=permission.parent,
        zh=(rule and rule.zh) or permission.zh,
        en=(rule and rule.en) or permission.en,
        types=sorted(types),
        kind=permission.kind,
        enabled=rule is None or rule.enabled,
        announced=permission.announced,
    )


def _rule_row(permission: Permission, rules: dict[str, AuthRule]) -> RuleRow:
    return RuleRow(
        **_permission_row(permission, rules).model_dump(),
        default_zh=permission.zh,
        default_en=permission.en,
        default_types=sorted(permission.types),
    )
