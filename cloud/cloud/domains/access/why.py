"""Why a user may or may not do something. Pure: everything that counts is given."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from cloud.domains.identity.grants import Rules
from cloud.domains.identity.permissions import BY_FLAG, PERMISSIONS

NO_PORTAL = 5
_BY_CODE = {permission.code: permission for permission in PERMISSIONS}

Argument = int | str


class Reason(NamedTuple):
    """A code for which the portal has words, and what they need."""

    code: str
    args: dict[str, Argument]


class Answer(NamedTuple):
    """allowed, and why; when refused every reason that refuses."""

    allowed: bool
    reasons: list[Reason]


@dataclass(frozen=True)
class Person:
    """The user in question. expired_ms: when he expired, None while he has not. group: None without one.

    refused_above: a user above him is disabled or expired.

    above: what the groups of everybody above him have in common, None where nobody has one.
    """

    user_id: int
    user_type: int
    path: str
    disabled: bool = False
    expired_ms: int | None = None
    group: frozenset[str] | None = None
    group_title: str = ""
    above: frozenset[str] | None = None
    refused_above: bool = False


@dataclass(frozen=True)
class GatewayAccess:
    """A gateway. owner_path: empty for the platform's own. share: of the person, may it write?"""

    owner_id: int | None = None
    owner_name: str = ""
    owner_path: str = ""
    share_writes: bool | None = None


@dataclass(frozen=True)
class Question:
    """Any of the permissions; user types and switch of a screen; a gateway, to change it when writes.

    gateway: None with asks_gateway for one that the asker may not see.
    """

    permissions: tuple[str, ...] = ()
    types: frozenset[int] | None = None
    flag: str = ""
    gateway: GatewayAccess | None = None
    asks_gateway: bool = False
    writes: bool = False


def explain(person: Person, rules: Rules, question: Question) -> Answer:
    """Every part has to allow it."""
    parts = [
        _account(person),
        _screen(person, rules, question),
        _any_of(person, rules, question.permissions),
        _gateway(person, question),
    ]
    refused = [reason for allowed, reasons in parts for reason in reasons if not allowed]
    if refused:
        return Answer(False, refused)
    return Answer(True, [reason for _, reasons in parts for reason in reasons])


def _account(person: Person) -> Answer:
    reasons = []
    if person.disabled:
        reasons.append(Reason("disabled", {}))
    if person.expired_ms is not None:
        reasons.append(Reason("expired", {"at_ms": person.expired_ms}))
    if person.refused_above:
        reasons.append(Reason("refused_above", {}))
    if person.user_type == NO_PORTAL:
        reasons.append(Reason("no_portal", {"user_type": person.user_type}))
    return Answer(not reasons, reasons)


def _screen(person: Person, rules: Rules, question: Question) -> Answer:
    reasons = []
    if question.types is not None and person.user_type not in question.types:
        types = "".join(map(str, sorted(question.types)))
        reasons.append(Reason("type_lacks", {"user_type": person.user_type, "types": types}))
    if question.flag and not getattr(rules.flags, question.flag):
        reasons.append(Reason("flag_off", {"flag": question.flag}))
    return Answer(not reasons, reasons)


def _any_of(person: Person, rules: Rules, permissions: Iterable[str]) -> Answer:
    answers = [_permission(person, rules, code) for code in permissions]
    allowed = [answer for answer in answers if answer.allowed]
    chosen = allowed[:1] or answers
    reasons = [reason for answer in chosen for reason in answer.reasons]
    return Answer(bool(allowed) or not answers, reasons)


def _permission(person: Person, rules: Rules, code: str) -> Answer:
    """The same answer as permissions.of_user, with the steps."""
    ruled = rules.types.get(code)
    types = _BY_CODE[code].types if ruled is None else ruled
    of_type: dict[str, Argument] = {"permission": code, "user_type": person.user_type}
    of_group: dict[str, Argument] = {"permission": code, "group": person.group_title}
    refused = []
    if person.user_type not in types:
        refused.append(Reason("type_lacks" if ruled is None else "rule_lacks", of_type))
    if person.group is not None and code not in person.group:
        refused.append(Reason("group_lacks", of_group))
    if person.above is not None and code not in person.above:
        refused.append(Reason("above_lacks", {"permission": code}))
    if code in rules.disabled:
        refused.append(Reason("rule_off", {"permission": code}))
    for flag, codes in BY_FLAG.items():
        if code in codes and not getattr(rules.flags, flag):
            refused.append(Reason("flag_off", {"permission": code, "flag": flag}))
    if refused:
        return Answer(False, refused)
    granted = [Reason("allowed_by_type" if ruled is None else "allowed_by_rule", of_type)]
    if person.group is not None:
        granted.append(Reason("allowed_by_group", of_group))
    return Answer(True, granted)


def _gateway(person: Person, question: Question) -> Answer:
    if not question.asks_gateway:
        return Answer(True, [])
    gateway = question.gateway
    if gateway is None:
        return Answer(False, [Reason("not_yours", {})])
    if person.user_type == 0:
        return Answer(True, [Reason("platform", {})])
    if gateway.owner_id == person.user_id:
        return Answer(True, [Reason("owner", {})])
    if gateway.owner_path and gateway.owner_path.startswith(person.path):
        return Answer(True, [Reason("below", {"owner": gateway.owner_name})])
    if gateway.share_writes is None:
        return Answer(False, [Reason("not_yours", {})])
    if question.writes and not gateway.share_writes:
        return Answer(False, [Reason("shared_read_only", {})])
    return Answer(True, [Reason("shared", {"writes": int(gateway.share_writes)})])
