"""Completeness: what is missing, repeated, contradictory, split, fetched."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import msgspec

from firmware_sim.hj212_platform.report import records, report
from firmware_sim.hj212_platform.store import ReceivedPacket

DAY = datetime.fromisoformat("2026-01-01")


def time_text(minutes: int) -> str:
    return f"{DAY + timedelta(minutes=minutes):%Y%m%d%H%M%S}"


def row(minutes: int, *, connection: int = 1, value: str = "1.0", **fields: Any) -> ReceivedPacket:
    data_time = time_text(minutes)
    area = f"DataTime={data_time};w01018-Avg={value},w01018-Flag=N"
    made = ReceivedPacket(
        t_ms=0,
        connection=connection,
        station="outlet",
        cn="2051",
        answer="9014",
        data_time=data_time,
        area=area,
    )
    return msgspec.structs.replace(made, **fields)


def numbered(*rows: ReceivedPacket | tuple[ReceivedPacket, int | None]) -> list[Any]:
    """Each answered before the next one came, where nothing else is said."""
    out = []
    for number, each in enumerate(rows, start=1):
        packet, answered_at = each if isinstance(each, tuple) else (each, number)
        out.append((number, packet, answered_at))
    return out


def minutes_of(rows: list[Any], **bounds: str) -> Any:
    return report(rows, {}, {}, {"outlet": 10}, **bounds)["stations"]["outlet"]["commands"]["2051"]


def test_every_record_once() -> None:
    made = minutes_of(numbered(*(row(10 * number) for number in range(6))))
    assert (made["packets"], made["records"], made["missing"], made["gaps"]) == (6, 6, 0, [])
    assert (made["first"], made["last"]) == (time_text(0), time_text(50))
    assert made["flags"] == {"N": 6}
    assert made["values"] == {"w01018": {"Avg": 6, "Flag": 6}}
    assert made["exactly_once"] is True


def test_gaps_are_joined_and_bounded_by_what_is_expected() -> None:
    rows = numbered(*(row(minutes) for minutes in (10, 20, 50, 80)))
    made = minutes_of(rows)
    assert made["gaps"] == [
        {"from": time_text(30), "to": time_text(50), "records": 2},
        {"from": time_text(60), "to": time_text(80), "records": 2},
    ]
    assert (made["missing"], made["exactly_once"]) == (4, False)
    made = minutes_of(rows, since=time_text(0), until=time_text(110))
    assert [(gap["from"], gap["records"]) for gap in made["gaps"]] == [
        (time_text(0), 1),
        (time_text(30), 2),
        (time_text(60), 2),
        (time_text(90), 2),
    ]
    assert minutes_of(rows, since=time_text(40), until=time_text(60))["records"] == 1


def test_hours_and_days() -> None:
    rows = numbered(
        *(row(minutes, cn="2061") for minutes in (0, 60, 180)),
        *(row(day * 1440, cn="2031") for day in (0, 2)),
    )
    commands = report(rows, {}, {}, {})["stations"]["outlet"]["commands"]
    assert [commands[cn]["missing"] for cn in ("2061", "2031")] == [1, 1]
    assert commands["2031"]["gaps"] == [{"from": time_text(1440), "to": time_text(2880), "records": 1}]


def test_why_a_record_came_again() -> None:
    answered_late = minutes_of(numbered((row(0), 2), row(0)))
    assert answered_late["repeats"] == {"unanswered": 1, "reconnected": 0, "needless": 0}
    assert answered_late["exactly_once"] is True
    never_answered = minutes_of(numbered((row(0), None), row(0, connection=2)))
    assert never_answered["repeats"]["unanswered"] == 1
    lost_answer = minutes_of(numbered(row(0), row(0, connection=2)))
    assert lost_answer["repeats"]["reconnected"] == 1
    assert lost_answer["exactly_once"] is True
    needless = minutes_of(numbered(row(0), row(0)))
    assert needless["repeats"]["needless"] == 1
    assert needless["exactly_once"] is False
    unasked = minutes_of(numbered((row(0, answer=None), None), (row(0, answer=None), None)))
    assert unasked["repeats"]["needless"] == 1


def test_a_record_that_contradicts_itself() -> None:
    made = minutes_of(numbered((row(0), None), row(0, value="2.0")))
    assert (made["conflicts"], made["exactly_once"]) == (1, False)
    fetched = minutes_of(numbered(row(0), row(0, value="2.0", fetched=True)))
    assert (fetched["conflicts"], fetched["fetched"]) == (1, 1)


def test_what_was_fetched_is_no_repetition() -> None:
    made = minutes_of(numbered(row(0), row(0, fetched=True), row(10, fetched=True)))
    assert (made["records"], made["fetched"], made["exactly_once"]) == (2, 2, True)
    assert not any(made["repeats"].values())


def test_parts_of_a_split_record() -> None:
    first = row(0, pnum=2, pno=1)
    second = row(0, pnum=2, pno=2, area=f"DataTime={time_text(0)};w21003-Avg=0.3,w21003-Flag=D", rf="1")
    made = minutes_of(numbered(first))
    assert (made["incomplete"], made["exactly_once"]) == ([time_text(0)], False)
    made = minutes_of(numbered(second, first))
    assert (made["incomplete"], made["records"], made["exactly_once"]) == ([], 1, True)
    assert (made["flags"], made["resent"]) == ({"N": 1, "D": 1}, 1)
    [record] = records(numbered(second, first))
    assert record["complete"] is True
    assert record["values"] == {
        "w01018": {"Avg": "1.0", "Flag": "N"},
        "w21003": {"Avg": "0.3", "Flag": "D"},
    }


def test_what_is_no_data_is_counted() -> None:
    made = report(
        numbered(
            row(0, cn="9015", data_time=None, area=""),
            row(0, refused="pw", words="PW of another station", disagreement="items of the area"),
            row(0, station="unknown", refused="mn", words="MN of no station"),
            row(0, data_time="20260101000000000"),
            row(0, data_time="today", cn="2061"),
        ),
        {},
        {"connections": 3},
        {},
    )
    outlet = made["stations"]["outlet"]
    assert outlet["others"] == {"9015": 1}
    assert outlet["refused"] == {"pw": 1}
    assert outlet["last_refusal"] == "pw: PW of another station"
    assert (outlet["disagreements"], outlet["last_disagreement"]) == (1, "items of the area")
    assert made["stations"]["unknown"]["refused"] == {"mn": 1}
    assert made["counters"] == {"connections": 3}
    assert outlet["commands"]["2051"]["first"] == time_text(0)
    assert outlet["commands"]["2061"]["records"] == 1
