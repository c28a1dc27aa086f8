"""Why somebody may or may not: the pure rules, and who may ask about whom."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloud.domains.access.answers import WhyService
from cloud.domains.access.schemas import WhyQuery
from cloud.domains.access.why import GatewayAccess, Person, Question, explain
from cloud.domains.identity.grants import Rules
from cloud.domains.identity.permissions import CODES, CloudFlags, of_user
from cloud.domains.identity.user_schemas import UserChange
from cloud.domains.inventory.models import DeviceShare
from cloud.errors import NotFound, ParameterError

from ..identity.conftest import AccountServices

ALL = CloudFlags(1, 1, 1, 1)
codes = st.sampled_from(sorted(CODES))


def rules(flags: CloudFlags = ALL, types: dict[str, frozenset[int]] | None = None, *disabled: str) -> Rules:
    return Rules(0, flags, {}, types or {}, frozenset(disabled), {})


def person(user_type: int = 3, group: frozenset[str] | None = None) -> Person:
    return Person(7, user_type, "/1/7/", group=group, group_title="Operators")


def of(gateway: GatewayAccess, *, writes: bool = False) -> Question:
    return Question(gateway=gateway, asks_gateway=True, writes=writes)


@given(
    st.sampled_from([0, 1, 2, 3, 4, 6]),
    st.none() | st.frozensets(codes),
    st.builds(CloudFlags, *(st.integers(0, 1) for _ in range(4))),
    st.dictionaries(codes, st.frozensets(st.integers(0, 6)), max_size=10),
    st.frozensets(codes, max_size=10),
    st.none() | st.frozensets(codes),
    codes,
)
def test_answer_is_what_counts(
    user_type: int,
    group: frozenset[str] | None,
    flags: CloudFlags,
    types: dict[str, frozenset[int]],
    disabled: frozenset[str],
    above: frozenset[str] | None,
    code: str,
) -> None:
    """The explanation never differs from the decision."""
    who = Person(7, user_type, "/1/7/", group=group, above=above)
    answer = explain(who, Rules(0, flags, {}, types, disabled, {}), Question((code,)))
    assert answer.allowed == (code in of_user(user_type, group, flags, types, disabled, above))
    assert answer.reasons


@pytest.mark.parametrize(
    ("who", "given_rules", "query", "allowed", "reasons"),
    [
        (person(), rules(), Question(("Event",)), True, ["allowed_by_type"]),
        (person(3, frozenset({"Event"})), rules(), Question(("Event",)), True,
         ["allowed_by_type", "allowed_by_group"]),
        (person(4), rules(types={"Fee": frozenset({4})}), Question(("Fee",)), True, ["allowed_by_rule"]),
        (person(4), rules(), Question(("auth.User",)), False, ["type_lacks"]),
        (person(3), rules(types={"Fee": frozenset({0})}), Question(("Fee",)), False, ["rule_lacks"]),
        (person(3, frozenset()), rules(), Question(("Event",)), False, ["group_lacks"]),
        (Person(7, 3, "/1/7/", above=frozenset({"Fee"})), rules(), Question(("Event",)), False,
         ["above_lacks"]),
        (Person(7, 3, "/1/7/", above=frozenset({"Fee"})), rules(), Question(("Fee",)), True,
         ["allowed_by_type"]),
        (person(3), rules(ALL, None, "Event"), Question(("Event",)), False, ["rule_off"]),
        (person(1), rules(CloudFlags()), Question(("ota.Sim",)), False, ["flag_off"]),
        (person(4, frozenset()), rules(CloudFlags(), None, "ota.Sim"), Question(("ota.Sim",)), False,
         ["type_lacks", "group_lacks", "rule_off", "flag_off"]),
        (person(3), rules(), Question(("auth.Rule", "Event")), True, ["allowed_by_type"]),
        (person(4), rules(), Question(("auth.Rule", "auth.User")), False, ["type_lacks", "type_lacks"]),
        (person(3), rules(), Question(types=frozenset({0, 1})), False, ["type_lacks"]),
        (person(3), rules(CloudFlags()), Question(flag="ss"), False, ["flag_off"]),
        (person(3), rules(), Question(types=frozenset({3}), flag="ss"), True, []),
        (Person(7, 3, "/7/", True, 5), rules(), Question(("Event",)), False, ["disabled", "expired"]),
        (person(5), rules(), Question(("Event",)), False, ["no_portal"]),
        (person(), rules(), Question(asks_gateway=True), False, ["not_yours"]),
        (person(), rules(), of(GatewayAccess(7, "x", "/1/7/")), True, ["owner"]),
        (person(), rules(), of(GatewayAccess(8, "x", "/1/7/8/")), True, ["below"]),
        (person(), rules(), of(GatewayAccess(1, "x", "/1/")), False, ["not_yours"]),
        (person(), rules(), of(GatewayAccess(70, "x", "/1/70/")), False, ["not_yours"]),
        (person(), rules(), of(GatewayAccess()), False, ["not_yours"]),
        (person(0), rules(), of(GatewayAccess()), True, ["platform"]),
        (person(), rules(), of(GatewayAccess(1, "x", "/1/", False)), True, ["shared"]),
        (person(), rules(), of(GatewayAccess(1, "x", "/1/", False), writes=True), False,
         ["shared_read_only"]),
        (person(), rules(), of(GatewayAccess(1, "x", "/1/", True), writes=True), True,
         ["shared"]),
    ],
)  # fmt: skip
def test_reasons(who: Person, given_rules: Rules, query: Question, allowed: bool, reasons: list[str]) -> None:
    answer = explain(who, given_rules, query)
    assert (answer.allowed, [reason.code for reason in answer.reasons]) == (allowed, reasons)


def test_reasons_carry_what_the_words_need() -> None:
    answer = explain(person(4, frozenset()), rules(), Question(("auth.User",), frozenset({0, 2})))
    assert [reason.args for reason in answer.reasons] == [
        {"user_type": 4, "types": "02"},
        {"permission": "auth.User", "user_type": 4},
        {"permission": "auth.User", "group": "Operators"},
    ]


@pytest.fixture
def why(accounts: AccountServices) -> WhyService:
    operations = {"listUsers": "auth.User", "getProfile": None}
    return WhyService(accounts.database, accounts.grants, operations, clock=accounts.clock)


async def ask(
    accounts: AccountServices, why: WhyService, asker: str, about: str = "", **words: object
) -> list[str]:
    user_id = accounts.ids[about] if about else None
    answer = await why.why(await accounts.as_(asker), WhyQuery(user_id=user_id, **words))  # type: ignore[arg-type]
    return [("+" if answer.allowed else "-") + reason.code for reason in answer.reasons]


async def test_about_oneself_and_about_who_stands_below(accounts: AccountServices, why: WhyService) -> None:
    assert await ask(accounts, why, "person", operation="listUsers") == ["-type_lacks"]
    assert await ask(accounts, why, "person", "person", permissions=("Event",)) == ["+allowed_by_type"]
    assert await ask(accounts, why, "agent", "person", operation="listUsers") == ["-type_lacks"]
    assert await ask(accounts, why, "agent", "person", operation="getProfile") == []
    root, group = await accounts.as_("root"), await accounts.group("agent", 4)
    change = UserChange(group_id=group, user_expire=accounts.clock())
    await accounts.users.edit(root, accounts.ids["person"], change)
    assert await ask(accounts, why, "agent", "person", permissions=("Event",)) == ["-expired", "-group_lacks"]


async def test_nobody_asks_about_others_out_of_sight(accounts: AccountServices, why: WhyService) -> None:
    for asker, about in (("agent", "factory-a"), ("agent", "stranger"), ("person", "enterprise")):
        with pytest.raises(NotFound):
            await ask(accounts, why, asker, about, permissions=("Event",))
    await accounts.users.edit(
        await accounts.as_("root"),
        accounts.ids["enterprise"],
        UserChange(group_id=await accounts.group("agent", 3)),
    )
    with pytest.raises(NotFound):  # sees him, but keeps no users
        await ask(accounts, why, "enterprise", "person", permissions=("Event",))


async def test_unknown_words_name_the_field(accounts: AccountServices, why: WhyService) -> None:
    for words, field in (
        ({"operation": "nothing"}, "operation"),
        ({"permissions": ("Nothing",)}, "permission"),
    ):
        with pytest.raises(ParameterError) as caught:
            await ask(accounts, why, "root", **words)
        assert caught.value.field == field


async def test_gateways(accounts: AccountServices, why: WhyService) -> None:
    device = await accounts.device("gw-1", "agent")
    async with accounts.database.session() as session:
        session.add(
            DeviceShare(device_id=device, user_id=accounts.ids["stranger"], role="visitor", created_ms=0)
        )
        await session.commit()
    assert await ask(accounts, why, "agent", device_id=device) == ["+owner"]
    assert await ask(accounts, why, "factory-a", device_id=device) == ["+below"]
    assert await ask(accounts, why, "root", device_id=device) == ["+platform"]
    assert await ask(accounts, why, "agent", "person", device_id=device) == ["-not_yours"]
    assert await ask(accounts, why, "stranger", device_id=device, writes=True) == ["-shared_read_only"]
    assert await ask(accounts, why, "factory-b", "stranger", device_id=device) == [
        "-not_yours"
    ]  # out of its sight
    assert await ask(accounts, why, "root", "stranger", device_id=device) == ["+shared"]
    assert await ask(accounts, why, "person", device_id=device) == await ask(
        accounts, why, "person", device_id=999
    )
