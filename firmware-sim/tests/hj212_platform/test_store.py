"""The platform's store: all of a transaction or nothing, secrets apart, readers while it is written."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_sim.errors import StartError
from firmware_sim.hj212_platform.request_exchange import Outcome, RequestRecord
from firmware_sim.hj212_platform.store import (
    FILE,
    MAX_REQUESTS,
    GivenValues,
    ReceivedPacket,
    ReceivedReader,
    ReceivedStore,
)

PACKET = ReceivedPacket(t_ms=1, connection=1, station="outlet", cn="2011", data_time="20260101000000")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ReceivedStore]:
    opened = ReceivedStore(tmp_path, 1000)
    opened.open()
    yield opened
    opened.close()


def test_a_transaction_that_fails_leaves_nothing_and_stops_nothing(
    store: ReceivedStore, tmp_path: Path
) -> None:
    def failing() -> None:
        with store.transaction():
            store.add(PACKET)
            raise OSError("no space")

    with pytest.raises(OSError, match="no space"):
        failing()
    with store.transaction():
        number = store.add(PACKET)
    assert list(ReceivedReader(tmp_path).packets()) == [(number, PACKET, None)]


def test_when_a_sound_answer_left(store: ReceivedStore, tmp_path: Path) -> None:
    first, second = store.add(PACKET), store.add(PACKET)
    store.note("outlet", [("9014", first)])
    store.add(PACKET)
    store.note("outlet", [("9014", first)])
    assert [at for _, _, at in ReceivedReader(tmp_path).packets()] == [second, None, None], (
        "the first one counts"
    )


def test_what_a_station_was_given_is_for_the_owner_only(store: ReceivedStore, tmp_path: Path) -> None:
    store.add_station("outlet", 10)
    store.give("outlet", GivenValues("654321", None))
    store.add_station("outlet", 5)
    assert store.given("outlet") == GivenValues("654321", None)
    assert store.given("nobody") == GivenValues()
    assert ReceivedReader(tmp_path).minute_intervals() == {"outlet": 5}
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600


def test_requests_are_bounded(store: ReceivedStore, tmp_path: Path) -> None:
    record = RequestRecord("outlet", "1011", "", "control")
    first = store.add_request(record)
    with store.transaction():
        for _ in range(MAX_REQUESTS):
            last = store.add_request(record)
    record.outcome = Outcome.DONE
    store.update_request(last, record)
    requests = ReceivedReader(tmp_path).requests()
    assert first not in requests
    assert len(requests) == MAX_REQUESTS
    assert requests[last].outcome == "done"


def test_a_file_that_is_no_store(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("this is not a database, it is a text of some length" * 100)
    with pytest.raises(StartError, match=r"platform\.sqlite"):
        ReceivedStore(tmp_path, 1000).open()
