"""Which gateways are told what is watched, when, and when again. A simulated clock."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from cloud.domains.telemetry.watching import AGAIN_S, WatchAnnouncer
from cloud.link import LinkDown
from edge_contract.fields import ControlMessage
from edge_contract.limits import OFFLINE_AFTER_S, WATCH_S, WATCHED_POINTS
from edge_contract.watch import Watch

CATALOG = "00000000000000aa"


class Site:
    """Gateways a and b with the points 1 to 9 each, as data points 101 and 201 upwards."""

    def __init__(self) -> None:
        self.now_s = 1000.0
        self.changes = 0
        self.dsids: set[int] = set()
        self.away: set[str] = set()
        self.catalogs = {"a": CATALOG, "b": CATALOG}
        self.offline: set[str] = set()
        self.said: list[tuple[str, str, list[int]]] = []
        self.questions = 0
        self.announcer = WatchAnnouncer(self, self.numbers_of, self.send, clock=lambda: self.now_s)

    def watched(self) -> set[int]:
        return set(self.dsids)

    def watch(self, *dsids: int) -> None:
        self.dsids = set(dsids)
        self.changes += 1

    async def numbers_of(self, dsids: Sequence[int]) -> dict[str, tuple[str, list[int]]]:
        self.questions += 1
        found: dict[str, tuple[str, list[int]]] = {}
        for dsid in dsids:
            gateway, number = ("a", dsid - 100) if dsid < 200 else ("b", dsid - 200)
            if gateway not in self.offline:
                found.setdefault(gateway, (self.catalogs[gateway], []))[1].append(number)
        return found

    async def send(self, gateway: str, message: ControlMessage) -> None:
        if gateway in self.away:
            raise LinkDown("no broker")
        assert isinstance(message, Watch)
        assert message.seconds == WATCH_S
        self.said.append((gateway, message.catalog, message.points))

    async def told(self) -> list[tuple[str, list[int]]]:
        """What is said by a look now."""
        self.said.clear()
        await self.announcer.announce()
        return [(gateway, points) for gateway, _, points in self.said]


@pytest.fixture
def site() -> Site:
    made = Site()
    made.announcer.taken("a")
    made.announcer.taken("b")
    return made


@pytest.mark.clause("C-152")
async def test_each_gateway_hears_of_its_own_points_and_when_nobody_looks(site: Site) -> None:
    assert await site.told() == []
    site.watch(103, 101, 209)
    assert sorted(await site.told()) == [("a", [1, 3]), ("b", [9])]
    site.watch(103, 101)
    assert await site.told() == [("b", [])]
    site.watch(104)
    assert await site.told() == [("a", [4])]
    site.watch()
    assert await site.told() == [("a", [])]
    assert {catalog for _, catalog, _ in site.said} == {CATALOG}


async def test_without_a_change_nothing_is_asked_until_it_is_time_to_say_it_again(site: Site) -> None:
    site.watch(101)
    assert await site.told() == [("a", [1])]
    asked = site.questions
    site.now_s += AGAIN_S - 0.1
    assert await site.told() == []
    assert site.questions == asked
    site.watch(101)  # another browser has the same page
    assert await site.told() == []
    site.now_s += 0.1
    assert await site.told() == []  # said again AGAIN_S after that look
    site.now_s += AGAIN_S
    assert await site.told() == [("a", [1])]
    assert 2 * AGAIN_S < WATCH_S


async def test_only_who_says_that_it_takes_it_is_told_and_not_after_its_silence(site: Site) -> None:
    site.announcer.forget("a")
    site.watch(101, 201)
    assert await site.told() == [("b", [1])]
    site.now_s += OFFLINE_AFTER_S + 1
    assert await site.told() == []
    site.announcer.taken("a")
    assert await site.told() == [("a", [1])]


async def test_who_connects_anew_hears_it_with_its_first_pulse(site: Site) -> None:
    site.watch(101)
    assert await site.told() == [("a", [1])]
    site.announcer.forget("a")
    assert await site.told() == []
    site.announcer.taken("a")
    assert await site.told() == [("a", [1])]
    site.announcer.taken("a")  # every pulse says it
    assert await site.told() == []


async def test_another_catalog_is_announced_anew_and_who_is_offline_is_not_told(site: Site) -> None:
    site.watch(101)
    assert await site.told() == [("a", [1])]
    site.catalogs["a"] = "00000000000000bb"
    site.watch(101)
    assert await site.told() == [("a", [1])]
    assert site.said[0][1] == "00000000000000bb"
    site.offline = {"a"}
    site.watch(101, 201)
    assert ("b", [1]) in await site.told()


async def test_without_a_broker_it_is_tried_again(site: Site) -> None:
    site.away = {"a"}
    site.watch(101, 201)
    assert await site.told() == [("b", [1])]
    site.away = set()
    site.now_s += 0.2
    assert await site.told() == [("a", [1])]


async def test_points_are_bounded(site: Site) -> None:
    site.watch(*range(201, 202 + WATCHED_POINTS))
    assert await site.told() == [("b", list(range(1, WATCHED_POINTS + 1)))]
