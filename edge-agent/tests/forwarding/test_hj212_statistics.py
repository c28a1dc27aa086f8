"""Minutes, values and flags of records, parameters and times: pure, without a store."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from edge_agent.forwarding.hj212.channels import Rules, rules_of
from edge_agent.forwarding.hj212.kind import HJ212
from edge_agent.forwarding.hj212.minutes import Carry, Minute, Samples, minute_of
from edge_agent.forwarding.hj212.packet import Area
from edge_agent.forwarding.hj212.parameters import Parameters
from edge_agent.forwarding.hj212.records import period_area, realtime_area, run_time_area, states_area
from edge_agent.forwarding.hj212.times import Numbers, begin_of, time_ms, time_text
from edge_agent.model import Quality, Sample

from .hj212_station import BEGIN_MS, CATALOG, COD, FLOW, MODE, OPTIONS, PH

MINUTE_MS = 60_000
BAD, ERROR, RANGE = Quality.DEVICE_OFFLINE, Quality.DEVICE_ERROR, Quality.OUT_OF_RANGE


def rules(**options: Any) -> Rules:
    return rules_of(HJ212.options_of({**OPTIONS, "port": 9001, **options}), CATALOG)


def held(*samples: Sample) -> dict[int, Samples]:
    made: dict[int, Samples] = {}
    for sample in samples:
        made.setdefault(sample.point, Samples()).add(sample)
    return made


def sample(point: int, second: int, value: Any, quality: Quality = Quality.GOOD) -> Sample:
    return Sample(point, BEGIN_MS + second * 1000, value, quality)


def minute(
    *samples: Sample, carry: Carry | None = None, made: Rules | None = None
) -> tuple[dict[str, Minute], Carry]:
    return minute_of(BEGIN_MS, held(*samples), made or rules(), carry or Carry())


def test_load_is_value_times_the_flow_that_holds() -> None:
    minutes, carry = minute(
        sample(FLOW, 30, 4.0),
        sample(COD, 0, 10.0),
        sample(COD, 20, 20.0),
        sample(COD, 40, 30.0),
        carry=Carry(flows={FLOW: 2.0}),
    )
    one = minutes["w01018"]
    assert (one.good, one.total, one.low, one.high) == (3, 60.0, 10.0, 30.0)
    assert one.volume == pytest.approx((2 + 2 + 4) / 3 * 60)
    assert one.load == pytest.approx((20 + 40 + 120) / 3 * 60)
    assert carry.flows == {FLOW: 4.0}


def test_what_was_not_read_adds_nothing_to_amounts() -> None:
    minutes, _ = minute(sample(FLOW, 0, 3.0))
    assert minutes["w00000"].volume == pytest.approx(3.0 * 20), "one of three readings"
    assert minutes["w00000"].flag == "D"


@pytest.mark.parametrize(
    ("quality", "version", "flag"),
    [(BAD, "2017", "B"), (BAD, "2005", "D"), (BAD, "2025", "D"), (ERROR, "2017", "D"), (RANGE, "2017", "D"),
     (Quality.PORT_DOWN, "2017", "B"), (Quality.BAD_FRAME, "2017", "B")],
)  # fmt: skip
def test_a_trouble_holds_until_a_value_comes(quality: Quality, version: str, flag: str) -> None:
    made = rules(version=version, report_interval_min=1)
    first, carry = minute(sample(PH, 0, 7.0), sample(PH, 20, None, quality), made=made)
    assert (first["w01001"].flag, first["w01001"].good) == (flag, 1)
    second, carry = minute(made=made, carry=carry)
    assert second == {"w01001": Minute(flag, False, 0)}
    third, carry = minute(*(sample(PH, second, 7.0) for second in (0, 20, 40)), made=made, carry=carry)
    assert third["w01001"].flag == "N"
    assert carry == Carry()
    fourth, _ = minute(made=made, carry=carry)
    assert fourth == {}, "nothing is known of it"


def test_three_of_four_readings_make_a_normal_minute() -> None:
    made = rules()
    catalog_period = 20_000
    assert made.channels[0].period_ms == catalog_period
    two, _ = minute(sample(PH, 0, 7.0), sample(PH, 20, 7.0))
    three, _ = minute(sample(PH, 0, 7.0), sample(PH, 20, 7.0), sample(PH, 40, 7.0))
    assert (two["w01001"].flag, three["w01001"].flag) == ("D", "N")


def test_a_state_marks_the_minute_and_holds() -> None:
    values = [sample(COD, second, 9.0) for second in (0, 20, 40)]
    marked, carry = minute(*values, sample(MODE, 30, 1))
    assert (marked["w01018"].flag, marked["w01018"].marked) == ("M", True)
    again, carry = minute(*values, carry=carry)
    assert again["w01018"].flag == "M"
    over, carry = minute(*values, sample(MODE, 0, 0.0), carry=carry)
    assert over["w01018"].flag == "N", "it ended with the minute before"
    assert carry.states == {MODE: "0"}


def test_above_the_measuring_limit() -> None:
    mapping = [{"factor": "w01001", "point": "site.ph", "upper": 14.0}]
    made = rules(mapping=mapping)
    normal, _ = minute(*(sample(PH, second, 14.0) for second in (0, 20, 40)), made=made)
    over, _ = minute(*(sample(PH, second, 14.5) for second in (0, 20, 40)), made=made)
    assert (normal["w01001"].flag, over["w01001"].flag) == ("N", "T")
    assert over["w01001"].high == 14.5, "the value stays"


def hour(flags: str, *, any_abnormal: bool) -> str:
    """Flag of an hour of 12 records of 5 minutes; flags: one a record, - for none."""
    minutes = {
        BEGIN_MS + (number * 5 + at) * MINUTE_MS: {"w01001": Minute(flag, flag == "M", 3, 3.0, 1.0, 1.0)}
        for number, flag in enumerate(flags)
        for at in range(5)
        if flag != "-"
    }
    made = rules(validity="any" if any_abnormal else "share")
    return dict(period_area("2061", BEGIN_MS, minutes, made, 5)[1])["w01001-Flag"]


@pytest.mark.parametrize(
    ("flags", "share", "any_abnormal"),
    [
        ("NNNNNNNNNNNN", "N", "N"),
        ("NNNNNNNNNBBB", "N", "B"),
        ("NNNNNNNNBBBB", "D", "B"),
        ("NNNNNNNNN---", "N", "D"),
        ("NNNNNNNN----", "D", "D"),
        ("NNNNNNNNNNTM", "N", "T"),
        ("MMMMMMMMMMMM", "D", "M"),
    ],
)
def test_flags_of_an_hour(flags: str, share: str, any_abnormal: str) -> None:
    assert hour(flags, any_abnormal=False) == share
    assert hour(flags, any_abnormal=True) == any_abnormal


def test_values_without_marked_minutes_and_amounts_of_water_and_gas() -> None:
    minutes = {
        BEGIN_MS: {"w01018": Minute("N", False, 3, 60.0, 10.0, 30.0, 120.0, 3600.0)},
        BEGIN_MS + MINUTE_MS: {"w01018": Minute("M", True, 3, 900.0, 300.0, 300.0, 120.0, 36000.0)},
    }
    water = dict(period_area("2051", BEGIN_MS, minutes, rules(), 2)[1])
    assert water == {
        "w01018-Cou": "0.004", "w01018-Min": "10.000", "w01018-Avg": "30.000", "w01018-Max": "30.000",
        "w01018-Flag": "M",
    }  # fmt: skip
    gas = dict(period_area("2051", BEGIN_MS, minutes, rules(st="31"), 2)[1])
    assert gas["w01018-Avg"] == "20.000", "arithmetic"
    assert gas["w01018-Cou"] == "0.004", "mg/m3 times m3/s times s, in kg"
    still = {BEGIN_MS: {"w01018": Minute("N", False, 3, 60.0, 10.0, 30.0, 0.0, 0.0)}}
    assert dict(period_area("2051", BEGIN_MS, still, rules(), 1)[1])["w01018-Avg"] == "20.000"


def test_a_period_of_which_nothing_is_known_is_no_record() -> None:
    assert period_area("2061", BEGIN_MS, {}, rules(), 10) == ()
    minutes = {BEGIN_MS: {"w01001": Minute("B", False, 0)}}
    area = period_area("2051", BEGIN_MS, minutes, rules(), 1)
    assert area == ((("DataTime", "20251010000000"),), (("w01001-Flag", "B"),))


def test_only_mapped_types_and_units_are_sent_and_converted_values_join_their_factor() -> None:
    mapping = [
        {"factor": "a21026", "point": "site.cod", "types": ["rtd", "avg"], "units": ["m"]},
        {"factor": "a21026", "point": "site.ph", "types": ["rtd", "avg"], "units": ["m"], "converted": True},
    ]
    made = rules(mapping=mapping, st="31")
    one = Minute("N", False, 3, 60.0, 10.0, 30.0)
    minutes = {BEGIN_MS: {"a21026": one, "a21026-Zs": msgspec.structs.replace(one, flag="D")}}
    [_, group] = period_area("2051", BEGIN_MS, minutes, made, 1)
    assert group == (("a21026-Avg", "20.000"), ("a21026-ZsAvg", "20.000"), ("a21026-Flag", "D"))
    assert period_area("2061", BEGIN_MS, minutes, made, 1) == ()
    newest = {COD: sample(COD, 0, 1.25), PH: sample(PH, 1, 2.5)}
    t_ms, area = realtime_area(newest, Carry(), made, BEGIN_MS + 2000)
    assert t_ms == BEGIN_MS + 1000
    assert area[1] == (("a21026-Rtd", "1.250"), ("a21026-ZsRtd", "2.500"), ("a21026-Flag", "N"))


def now(*samples: Sample, carry: Carry | None = None, after_s: int = 60) -> Area:
    made = rules(mapping=[{"factor": "w01001", "point": "site.ph", "upper": 14.0, "state": "site.mode"}])
    newest = {one.point: one for one in samples}
    return realtime_area(newest, carry or Carry(), made, BEGIN_MS + after_s * 1000)[1]


def test_real_time_values_are_never_made_up() -> None:
    assert now() == ()
    assert now(sample(PH, 0, 7.5))[1] == (("w01001-Rtd", "7.500"), ("w01001-Flag", "N"))
    assert now(sample(PH, 0, 15.0))[1] == (("w01001-Rtd", "15.000"), ("w01001-Flag", "T"))
    assert now(sample(PH, 0, 7.5), after_s=71)[1] == (("w01001-Flag", "B"),), "three readings and 10 s"
    assert now(sample(PH, 0, 7.5), after_s=70)[1][0] == ("w01001-Rtd", "7.500")
    assert now(sample(PH, 0, None, BAD))[1] == (("w01001-Flag", "B"),)
    assert now(sample(PH, 0, None, ERROR))[1] == (("w01001-Flag", "D"),)
    assert now(carry=Carry(troubles={PH: int(BAD)}))[1] == (("w01001-Flag", "B"),)
    assert now(sample(PH, 0, 7.5), sample(MODE, 0, 1))[1][1] == ("w01001-Flag", "M")
    assert now(sample(PH, 0, 7.5), carry=Carry(states={MODE: "2"}))[1][1] == ("w01001-Flag", "C")


def test_local_times() -> None:
    offset_ms = 8 * 3_600_000
    assert time_text(BEGIN_MS, offset_ms) == "20251010000000"
    assert time_ms("20251010000000", offset_ms) == BEGIN_MS
    assert time_ms("20251010000000123", offset_ms) == BEGIN_MS
    assert time_ms("20251310000000", offset_ms) is None
    assert begin_of(BEGIN_MS + 86_399_999, 86_400_000, offset_ms) == BEGIN_MS
    assert begin_of(BEGIN_MS - 1, 86_400_000, offset_ms) == BEGIN_MS - 86_400_000
    numbers = Numbers(offset_ms)
    assert [numbers.next(BEGIN_MS + 5) for _ in range(2)] == ["20251010000000005", "20251010000000006"]
    assert numbers.next(BEGIN_MS) == "20251010000000007", "a clock that was put back repeats no number"
    assert numbers.next(BEGIN_MS + 999) == "20251010000000999"


def test_changes_of_a_platform_give_way_to_another_configuration() -> None:
    options = HJ212.options_of({**OPTIONS, "port": 9001})
    parameters = Parameters(options, None)
    changes = parameters.with_change("timeout_s", 7)
    assert parameters.timeout_s == 10, "only after it is kept"
    parameters.take(changes)
    parameters.take(parameters.with_change("report_interval_min", 5, from_ms=1000))
    note = msgspec.json.encode(parameters.with_realtime(wanted=False))
    assert b"123456" not in note, "only a digest of the configured password"
    again = Parameters(options, note)
    assert (again.timeout_s, again.report_interval_min, again.realtime) == (7, 5, False)
    assert (again.report_interval_at(999), again.report_interval_at(1000)) == (10, 5)
    other = Parameters(HJ212.options_of({**OPTIONS, "port": 9001, "timeout_s": 20}), note)
    assert (other.timeout_s, other.report_interval_min) == (20, 5)
    secret = parameters.with_change("pw", "geheim")
    parameters.take(secret)
    assert "geheim" not in parameters.text() + repr(secret)


EQUIPMENT = [{"code": "SB1", "point": "site.mode"}]


@pytest.mark.parametrize(
    ("held_state", "samples", "seconds"),
    [
        (None, [(0, 1)], 60.0),
        (None, [(15, 1)], 45.0),
        ("1", [(15, 0)], 15.0),
        ("1", [(15, 0), (45, True)], 30.0),
        ("1", [], 60.0),
        ("0", [], 0.0),
        (None, [], None),
        (None, [(15, 9)], None),
        ("3", [(30, 1), (30, 5)], 0.0),
    ],
)
def test_equipment_runs_while_its_state_says_so(
    held_state: str | None, samples: list[tuple[int, Any]], seconds: float | None
) -> None:
    carry = Carry(states={} if held_state is None else {MODE: held_state})
    own = [sample(MODE, second, value) for second, value in samples]
    minutes, _ = minute(sample(PH, 0, 7.0), *own, carry=carry, made=rules(equipment=EQUIPMENT))
    made = minutes.get("SB1-RT")
    assert (None if made is None else made.total) == seconds


def test_equipment_that_cannot_be_read_does_not_run() -> None:
    made = rules(equipment=EQUIPMENT)
    first, carry = minute(sample(MODE, 0, 1), sample(MODE, 20, None, BAD), made=made)
    assert first["SB1-RT"].total == 20.0
    second, carry = minute(sample(PH, 0, 7.0), made=made, carry=carry)
    assert "SB1-RT" not in second
    third, _ = minute(sample(PH, 0, 7.0), sample(MODE, 30, 1), made=made, carry=carry)
    assert third["SB1-RT"].total == 30.0
    silent, _ = minute(made=made, carry=Carry(states={MODE: "1"}))
    assert silent == {}, "nothing was read in it"


def test_hours_and_states_of_equipment() -> None:
    made = rules(equipment=[*EQUIPMENT, {"code": "SB2", "point": "site.ph"}], equipment_states={"2": "1"})
    assert run_time_area(BEGIN_MS, {}, made) == ()
    minutes = {
        BEGIN_MS + at * MINUTE_MS: {"SB1-RT": Minute("N", False, 1, 45.0), "w01001": Minute("N", False, 1)}
        for at in range(100)
    }
    time = (("DataTime", "20251010000000"),)
    assert run_time_area(BEGIN_MS, minutes, made) == (time, (("SB1-RT", "1.25"),))
    newest = {MODE: sample(MODE, 0, 2.0), PH: sample(PH, 0, 1.0)}
    assert states_area(newest, made, BEGIN_MS) == (time, (("SB1-RS", "1"),))
    assert states_area({MODE: sample(MODE, 0, None, BAD)}, made, BEGIN_MS) == ()
    assert states_area({}, rules(equipment=EQUIPMENT), BEGIN_MS) == ()
    assert states_area({MODE: sample(MODE, 0, 6)}, rules(equipment=EQUIPMENT), BEGIN_MS) == ()
