"""One status out of three layers: pure."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from cloud.domains.devices.states import (
    STATUSES,
    BusLayer,
    GatewayPresence,
    LinkLayer,
    ValueLayer,
    is_due,
    presence,
    silent_since,
    status_of,
)

NOW = 1_790_000_000_000
LINK = LinkLayer(True, NOW - 5000, "ok")
BUS = BusLayer(total=6)
SILENT = BusLayer(2, 6, "meter7", "Meter 7", "no_answer", NOW - 60_000, NOW - 840_000, answering=4)
WELL = ValueLayer()
WRONG = ValueLayer(False, 3.0, 40, 9, NOW - 1, 2, NOW - 1)


@pytest.mark.parametrize(
    "reason", ["never_connected", "link_lost", "stopped", "silent", "disabled", "version"]
)
def test_the_link_speaks_first(reason: str) -> None:
    found = presence(LinkLayer(False, NOW - 7, reason), SILENT, WRONG, NOW)
    assert found == GatewayPresence("offline", "link", reason, NOW - 7)


@pytest.mark.parametrize(
    ("since_ms", "reason", "code"),
    [
        (None, "never_connected", "wrong_secret"),
        (NOW - 8, "link_lost", "wrong_secret"),
        (NOW - 7, "link_lost", "link_lost"),  # it was here after that
        (None, "disabled", "disabled"),  # a secret would not help
    ],
)
def test_a_wrong_secret_is_told_while_the_gateway_is_away(
    since_ms: int | None, reason: str, code: str
) -> None:
    found = presence(LinkLayer(False, since_ms, reason, NOW - 7), BUS, WELL, NOW)
    told: dict[str, object] = {"tried_ms": NOW - 7} if code == "wrong_secret" else {}
    assert (found.code, found.since_ms, found.arguments) == (code, since_ms, told)
    assert presence(replace(LINK, refused_ms=NOW), BUS, WELL, NOW).code == "ok"
    assert presence(LinkLayer(False, None, reason, None), BUS, WELL, NOW).code == reason
    assert presence(LinkLayer(False, None, "link_lost", 1), BUS, WELL, NOW).code == "wrong_secret"


def test_then_the_bus() -> None:
    found = presence(LINK, SILENT, WRONG, NOW)
    assert (found.status, found.layer, found.code) == ("partly", "bus", "slave_silent")
    assert found.since_ms == NOW - 840_000  # its last good frame: silent for 14 min
    assert found.arguments == {
        "slave": "meter7", "title": "Meter 7", "reason": "no_answer", "last_good_ms": NOW - 840_000,
        "count": 2, "total": 6,
    }  # fmt: skip
    assert presence(LINK, replace(SILENT, last_good_ms=0), WELL, NOW).since_ms == NOW - 60_000
    alone = presence(LINK, replace(SILENT, answering=0), WELL, NOW)
    assert (alone.status, alone.code, alone.arguments) == ("silent", "no_slave_answers", found.arguments)


def test_an_alarm_is_one_that_is_open() -> None:
    found = presence(LINK, SILENT, WRONG, NOW, open_alarms=3)
    assert found == GatewayPresence("alarm", "alarm", "alarm_open", None, {"count": 3, "silent": 2})
    assert presence(LinkLayer(False, NOW, "link_lost"), SILENT, WRONG, NOW, 3).status == "offline"
    statuses = {
        status_of(online=online, open_alarms=alarms, silent=silent, answering=answering)
        for online, alarms, silent, answering in product((False, True), (0, 1), (False, True), (False, True))
    }
    assert statuses == set(STATUSES)


@pytest.mark.parametrize(
    ("value", "code", "arguments"),
    [
        (WRONG, "clock_not_set", {}),
        (replace(WRONG, clock_set=True), "samples_dropped", {"count": 9}),
        (replace(WRONG, clock_set=True, dropped_ms=NOW - 3_600_000), "store_full", {"count": 2}),
        (
            ValueLayer(hours_left=3.0, backlog_batches=40),
            "store_filling",
            {"hours_left": 3.0, "backlog_batches": 40},
        ),
    ],
)
def test_then_what_keeps_values_away(value: ValueLayer, code: str, arguments: dict[str, object]) -> None:
    found = presence(LINK, BUS, value, NOW)
    assert (found.status, found.layer, found.code, found.arguments) == ("online", "value", code, arguments)


@pytest.mark.parametrize("value", [WELL, ValueLayer(hours_left=24.0), ValueLayer(dropped_samples=9)])
def test_all_is_well(value: ValueLayer) -> None:
    assert presence(LINK, BUS, value, NOW) == GatewayPresence("online", "none", "ok", NOW - 5000)


def test_since_when() -> None:
    assert silent_since(NOW - 9, 1000, NOW) == NOW - 9
    assert silent_since(0, 1000, NOW) == silent_since(NOW + 1, 1000, NOW) == NOW
    assert is_due(NOW, 0, NOW) and is_due(NOW - 2000, 2, NOW)
    assert not is_due(NOW - 1999, 2, NOW) and not is_due(None, 0, NOW)


@pytest.mark.clause("C-066")
def test_a_lent_port_is_no_alarm_and_speaks_after_what_is_silent() -> None:
    lent = replace(BUS, locked=2, locked_port="com1", locked_by="li", locked_ms=NOW - 90_000)
    found = presence(LINK, lent, WRONG, NOW)
    assert (found.status, found.layer, found.code, found.since_ms) == (
        "online",
        "bus",
        "port_lent",
        NOW - 90_000,
    )
    assert found.arguments == {"port": "com1", "user": "li", "count": 2, "total": 6}
    assert presence(LINK, replace(lent, silent=1, answering=1), WELL, NOW).code == "slave_silent"


def test_nothing_is_wrong_where_nothing_is_known() -> None:
    assert ValueLayer() == ValueLayer(True, None, 0, 0, None, 0, None)
    assert BusLayer() == BusLayer(0, 0, "", "", "", None, 0, 0, "", "", None, 0)
    assert LinkLayer(True, None, "ok") == LinkLayer(True, None, "ok", None, None)
