"""Who is listened to, whatever process changed it, and whose session is ended until it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from cloud.domains.devices.admissions import MAX_ENDED, Admissions
from cloud.domains.devices.authentication import Authenticator
from cloud.domains.devices.metrics import TO_END
from cloud.link import LinkDown
from edge_contract.topics import Message

from ...conftest import GATEWAY, DomainServices

SENT = [message for message in Message if message.from_gateway and message is not Message.HELLO]


class Broker:
    """Ends sessions, or is away."""

    def __init__(self) -> None:
        self.is_away = False
        self.ended: list[str] = []
        self.revoked: list[str] = []

    async def end(self, gateway: str) -> None:
        if self.is_away:
            raise LinkDown("away")
        self.ended.append(gateway)

    async def told(self, gateway: str) -> None:
        self.revoked.append(gateway)


@pytest.fixture
def broker() -> Broker:
    TO_END.set(0)
    return Broker()


@pytest.fixture
async def admissions(services: DomainServices, broker: Broker) -> Admissions:
    made = Admissions(services.database, True, broker.told)
    assert not any(made.admits(GATEWAY, message) for message in SENT), "before it has looked"
    await made.refresh(broker.end)
    broker.ended.clear()
    return made


def taken(admissions: Admissions, gateway: str = GATEWAY) -> list[Message]:
    return [message for message in Message if message.from_gateway and admissions.admits(gateway, message)]


ALL = [Message.HELLO, *SENT]


async def test_who_is_claimed_is_listened_to(admissions: Admissions, broker: Broker) -> None:
    assert sorted(taken(admissions)) == sorted(ALL)
    assert taken(admissions, "gw-unknown") == [Message.HELLO], "its answer says why"
    await admissions.refresh(broker.end)
    assert (broker.ended, broker.revoked) == (["gw-unknown"], [])
    assert sorted(taken(admissions)) == sorted(ALL)


@pytest.mark.clause("C-083")
async def test_a_disabled_gateway_is_not_listened_to(
    services: DomainServices, admissions: Admissions, broker: Broker
) -> None:
    await services.claims.disable(GATEWAY)
    await admissions.refresh(broker.end)
    assert (broker.ended, broker.revoked) == ([GATEWAY], [GATEWAY])
    assert taken(admissions) == [Message.HELLO], "its answer says that it is disabled"
    await admissions.refresh(broker.end)
    assert broker.ended == [GATEWAY, GATEWAY], "what spoke after its end has a session: it is ended too"
    await services.claims.enable(GATEWAY)
    await admissions.refresh(broker.end)
    assert sorted(taken(admissions)) == sorted(ALL)
    await admissions.refresh(broker.end)
    assert broker.ended == [GATEWAY, GATEWAY]


@pytest.mark.clause("C-083")
async def test_another_secret_ends_the_session_of_the_old_one(
    services: DomainServices, admissions: Admissions, broker: Broker
) -> None:
    await services.claims.claim(GATEWAY, rotate=True)
    broker.is_away = True
    await admissions.refresh(broker.end)
    assert (taken(admissions), broker.revoked, _waiting()) == ([], [GATEWAY], 1.0)
    await admissions.refresh(broker.end)
    assert (taken(admissions), broker.revoked, _waiting()) == ([], [GATEWAY], 1.0)
    broker.is_away = False
    await admissions.refresh(broker.end)
    assert (broker.ended, _waiting()) == ([GATEWAY], 0.0)
    assert sorted(taken(admissions)) == sorted(ALL)


@pytest.mark.clause("C-083")
async def test_who_proves_the_new_secret_is_listened_to_at_once(
    services: DomainServices, broker: Broker
) -> None:
    made = Admissions(services.database, True, broker.told)
    authenticator = Authenticator(services.database, entered=made.entered)
    await made.refresh(broker.end)
    old = await services.claims.claim(GATEWAY, rotate=True)
    assert await authenticator.authenticate(GATEWAY, old) is not None
    await made.refresh(broker.end)
    assert broker.ended == [], "it came in by what it has now"
    new = await services.claims.claim(GATEWAY, rotate=True)
    broker.is_away = True
    await made.refresh(broker.end)
    assert taken(made) == []
    assert await authenticator.authenticate(GATEWAY, old) is None
    assert taken(made) == []
    assert await authenticator.authenticate(GATEWAY, new) is not None
    assert sorted(taken(made)) == sorted(ALL)
    broker.is_away = False
    await made.refresh(broker.end)
    assert broker.ended == []


async def test_a_gateway_of_another_process_is_known_by_its_hello(
    services: DomainServices, admissions: Admissions, broker: Broker
) -> None:
    await services.claims.claim("gw-2", "Second")
    await admissions.welcomed("gw-2")
    assert sorted(taken(admissions, "gw-2")) == sorted(ALL)
    await services.claims.disable("gw-2")
    await admissions.refresh(broker.end)
    await services.claims.enable("gw-2")
    await admissions.welcomed("gw-2")
    assert sorted(taken(admissions, "gw-2")) == sorted(ALL)
    await admissions.welcomed("gw-never")
    assert taken(admissions, "gw-never") == [Message.HELLO]
    await admissions.refresh(broker.end)
    assert broker.ended == ["gw-2", "gw-never"]


async def test_a_deleted_gateway_is_not_listened_to_at_once(admissions: Admissions, broker: Broker) -> None:
    admissions.deleted(GATEWAY)
    assert taken(admissions) == []
    assert broker.ended == []


@pytest.mark.clause("C-083")
async def test_a_restart_forgets_no_session_that_has_to_end(
    services: DomainServices, broker: Broker, tmp_path: Path
) -> None:
    """Changed while the cloud was down, or not ended before it went."""

    async def start() -> Admissions:
        made = Admissions(services.database, True, broker.told, tmp_path / "new" / "sessions.json")
        await made.refresh(broker.end)
        return made

    for name in ("gw-2", "gw-3", "gw-4"):
        await services.claims.claim(name)
    await start()
    await start()
    assert broker.ended == []
    await services.claims.claim("gw-2", rotate=True)
    await services.claims.disable("gw-3")
    broker.is_away = True
    assert taken(await start(), "gw-2") == []
    await services.claims.claim("gw-4", rotate=True)
    broker.is_away = False
    again = await start()
    assert sorted(broker.ended) == ["gw-2", "gw-3", "gw-4"]
    assert sorted(taken(again, "gw-2")) == sorted(ALL)
    await start()
    assert len(broker.ended) == 3
    (tmp_path / "new" / "sessions.json").write_text("half of a fi")
    await start()
    assert len(broker.ended) == 3


async def test_where_the_broker_has_a_list_nothing_is_ended(services: DomainServices, broker: Broker) -> None:
    made = Admissions(services.database, False, broker.told)
    await made.refresh(broker.end)
    await services.claims.disable(GATEWAY)
    await made.refresh(broker.end)
    assert (taken(made), broker.revoked, _waiting()) == ([Message.HELLO], [GATEWAY], 0.0)
    await services.claims.enable(GATEWAY)
    await made.refresh(broker.end)
    assert sorted(taken(made)) == sorted(ALL)


async def test_a_round_ends_so_many_sessions(
    services: DomainServices, admissions: Admissions, broker: Broker
) -> None:
    names = [f"gw-far-{number}" for number in range(MAX_ENDED + 7)]
    for name in names:
        assert not admissions.admits(name, Message.LIVE)
    await admissions.refresh(broker.end)
    assert len(broker.ended) == MAX_ENDED
    await admissions.refresh(broker.end)
    assert broker.ended == names


def _waiting() -> float:
    return TO_END.collect()[0].samples[0].value
