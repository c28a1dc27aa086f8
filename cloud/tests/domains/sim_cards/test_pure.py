"""Numbers, places, counts and forecasts of cards, without a database."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloud.domains.sim_cards.counting import FASTEST_BYTES_S, MAX_DAYS, LinkReading, added, by_day, shared
from cloud.domains.sim_cards.forecasting import BillingPeriod, billed_in, comparison, forecast
from cloud.domains.sim_cards.iccid import MAX_RANGE, check_digit, is_iccid, is_suspect, numbers_of, plain
from cloud.domains.sim_cards.placing import HELD_MS, CardPlace, PlaceChange, gone, reported
from cloud.errors import ParameterError

SHANGHAI = ZoneInfo("Asia/Shanghai")
GB = 1024**3


def at(text: str, zone: ZoneInfo = SHANGHAI) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=zone).timestamp() * 1000)


# Numbers.


@pytest.mark.parametrize(
    ("digits", "digit"),
    [("7992739871", "3"), ("898600123456789012", "0"), ("0", "0"), ("89441000300166000", "4")],
)
def test_check_digits(digits: str, digit: str) -> None:
    expected = sum(
        value - 9 if value > 9 else value
        for place, char in enumerate(reversed(digits + digit))
        for value in [int(char) * (2 if place % 2 else 1)]
    )
    assert expected % 10 == 0, "by the definition of the formula"
    assert check_digit(digits) == digit


def test_numbers_are_written_in_one_way() -> None:
    assert plain(" 8986-0012 3456 7890 123f") == "8986001234567890123"
    assert is_iccid("898602B1234567890123") and is_iccid("898600123456789012")
    for wrong in ("88860012345678901234", "8986001234567890", "8986001234567890123G", "", "8" * 21):
        assert not is_iccid(wrong)
    good = "898600123456789012" + check_digit("898600123456789012")
    assert not is_suspect(good)
    assert is_suspect(good[:-1] + str((int(good[-1]) + 1) % 10))
    assert not is_suspect("89860012345678901234"), "20 digits: the last is none by E.118"


def test_a_range_is_written_with_its_zeros() -> None:
    assert numbers_of("898600123456789", "0098", "0101", with_check_digit=False) == [
        f"898600123456789{number}" for number in ("0098", "0099", "0100", "0101")
    ]
    (only,) = numbers_of("89860012345678", "9012", "9012", with_check_digit=True)
    assert only == "8986001234567890120"


@pytest.mark.parametrize(
    ("prefix", "first", "last", "with_check_digit", "field", "reason"),
    [
        ("898600123456789", "98", "101", False, "last", "range_digits"),
        ("898600123456789", "0101", "0100", False, "last", "range_order"),
        ("898600123456789", "0000", f"{MAX_RANGE:04}", False, "last", "range_long"),
        ("8986", "01", "02", False, "prefix", "range_form"),
        ("8986001234567890123", "01", "02", False, "prefix", "range_form"),
        ("898602B12345678", "0001", "0002", True, "prefix", "range_letters"),
    ],
)
def test_ranges_that_are_refused(
    prefix: str, first: str, last: str, with_check_digit: bool, field: str, reason: str
) -> None:
    with pytest.raises(ParameterError) as refused:
        numbers_of(prefix, first, last, with_check_digit=with_check_digit)
    assert (refused.value.field, refused.value.reason) == (field, f"sim_card.{reason}")


def test_the_longest_range() -> None:
    numbers = numbers_of("898600123456789", "0000", f"{MAX_RANGE - 1:04}", with_check_digit=False)
    assert len(set(numbers)) == MAX_RANGE


# Places.

A, B = 1, 2


@pytest.mark.clause("C-223")
def test_a_card_is_bound_moves_and_comes_back() -> None:
    place, step = reported(CardPlace(), A, 1000, may_bind=True)
    assert (place.bound, place.seen, step) == (A, A, PlaceChange.BOUND)
    assert reported(place, A, 2000, may_bind=False)[1] is PlaceChange.STAYS
    held, step = reported(place, B, 1000 + HELD_MS - 1, may_bind=True)
    assert (held, step) == (place, PlaceChange.IGNORED)
    away, step = reported(place, B, 1000 + HELD_MS, may_bind=True)
    assert (away.bound, away.seen, away.moved_ms, step) == (A, B, 1000 + HELD_MS, PlaceChange.MOVED)
    again, step = reported(away, B, 2000 + HELD_MS, may_bind=True)
    assert (again.moved_ms, step) == (away.moved_ms, PlaceChange.STAYS)
    back, step = reported(again, A, 3000 + HELD_MS, may_bind=False)
    assert (back.bound, back.seen, back.moved_ms, step) == (A, A, None, PlaceChange.RETURNED)


@pytest.mark.clause("C-223")
def test_a_card_that_its_owner_would_not_find_is_bound_to_nothing() -> None:
    assert reported(CardPlace(), A, 1000, may_bind=False) == (CardPlace(), PlaceChange.IGNORED)


@pytest.mark.clause("C-223")
def test_a_gateway_with_another_card_holds_the_first_no_more() -> None:
    place, _ = reported(CardPlace(), A, 1000, may_bind=True)
    place = gone(place, A)
    assert (place.bound, place.reported_ms, place.seen) == (A, None, None)
    assert reported(place, B, 1001, may_bind=True)[1] is PlaceChange.MOVED
    assert gone(place, B) == place


@given(st.lists(st.tuples(st.sampled_from([A, B, 3]), st.integers(0, 2 * HELD_MS)), max_size=30))
def test_two_gateways_that_claim_one_card_make_few_moves(claims: list[tuple[int, int]]) -> None:
    place, now, moved_at = CardPlace(), 0, []
    for device, later in claims:
        now += later
        place, step = reported(place, device, now, may_bind=True)
        if step is PlaceChange.MOVED:
            moved_at.append(now)
        assert (place.moved_ms is None) == (place.bound == place.seen or place.bound is None)
    assert all(second - first >= HELD_MS for first, second in pairwise(moved_at))


# Counts.


def reading(received: int, sent: int = 0, *, since_ms: int = 5, at_ms: int = 0) -> LinkReading:
    return LinkReading(since_ms, received, sent, at_ms)


@pytest.mark.clause("C-222")
@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        (None, reading(500), None),
        (reading(500, 50), reading(700, 60, at_ms=600_000), (200, 10)),
        (reading(500, since_ms=4), reading(700, at_ms=600_000), None),
        (reading(500), reading(499, at_ms=600_000), None),
        (reading(500), reading(500, at_ms=600_000), (0, 0)),
        (reading(0), reading(600 * FASTEST_BYTES_S, at_ms=600_000), (600 * FASTEST_BYTES_S, 0)),
        (reading(0), reading(600 * FASTEST_BYTES_S + 1, at_ms=600_000), None),
        (reading(0), reading(60 * FASTEST_BYTES_S, at_ms=1), (60 * FASTEST_BYTES_S, 0)),
        (reading(0), reading(60 * FASTEST_BYTES_S + 1, at_ms=-5000), None),
    ],
)
def test_what_a_report_adds(
    before: LinkReading | None, now: LinkReading, expected: tuple[int, int] | None
) -> None:
    assert added(before, now) == expected


@pytest.mark.clause("C-222")
def test_bytes_of_days_are_divided_evenly() -> None:
    days = list(by_day(at("2026-03-01T18:00"), at("2026-03-03T12:00"), SHANGHAI))
    assert [(day.isoformat(), round(part * 42, 9)) for day, part in days] == [
        ("2026-03-01", 6), ("2026-03-02", 24), ("2026-03-03", 12)
    ]  # fmt: skip
    assert shared(42, 7, days) == [
        (date(2026, 3, 1), 6, 1), (date(2026, 3, 2), 24, 4), (date(2026, 3, 3), 12, 2)
    ]  # fmt: skip


def test_a_day_of_summer_time_has_its_hours() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    days = list(by_day(at("2026-03-29T00:00", berlin), at("2026-03-30T23:00", berlin), berlin))
    assert [round(part * 46, 9) for _, part in days] == [23, 23]


@given(st.integers(0, 4 * 10**12), st.integers(0, 10**11), st.integers(0, 2**53), st.integers(0, 2**53))
def test_no_byte_is_lost_among_days(from_ms: int, span_ms: int, received: int, sent: int) -> None:
    days = list(by_day(from_ms, from_ms + span_ms, SHANGHAI))
    assert 1 <= len(days) <= MAX_DAYS
    assert sum(part for _, part in days) == pytest.approx(1)
    parts = shared(received, sent, days)
    assert (sum(got for _, got, _ in parts), sum(out for _, _, out in parts)) == (received, sent)
    assert all(got >= 0 and out >= 0 for _, got, out in parts)
    end = datetime.fromtimestamp((from_ms + span_ms) / 1000, UTC).astimezone(SHANGHAI).date()
    assert [day for day, _, _ in parts] == [end - timedelta(days=n) for n in range(len(days) - 1, -1, -1)]


def test_a_clock_that_was_set_back() -> None:
    assert list(by_day(at("2026-03-05T12:00"), at("2026-03-03T12:00"), SHANGHAI)) == [(date(2026, 3, 3), 1.0)]


# Forecasts.

MARCH = BillingPeriod(date(2026, 3, 1), date(2026, 3, 31))
TODAY = date(2026, 3, 11)


def days(*amounts: int, begin: date = date(2026, 3, 1)) -> dict[date, int]:
    return {begin + timedelta(days=n): amount for n, amount in enumerate(amounts)}


def test_steady_days_have_a_sure_end() -> None:
    made = forecast(3000, MARCH, {}, days(*[100] * 11), TODAY)
    assert (made.reason, made.basis, made.days, made.used_bytes, made.mean_bytes) == (
        "", "counted", 9, 1100, 100
    )  # fmt: skip
    assert made.earliest == made.expected == made.latest == TODAY + timedelta(days=19)
    assert (made.end_bytes, made.end_margin_bytes) == (3100, 0)


def test_unsteady_days_have_a_wide_end() -> None:
    made = forecast(1800, MARCH, {}, days(0, *[60, 140] * 5), TODAY)
    assert made.expected is not None and made.earliest is not None and made.latest is not None
    assert made.earliest < made.expected < made.latest
    assert made.end_margin_bytes is not None and made.end_margin_bytes > 0


def test_more_days_of_one_kind_make_it_narrower() -> None:
    def margin(count: int) -> int:
        amounts = days(*[60, 140] * 14)
        some = {day: amount for day, amount in amounts.items() if day.day <= count}
        made = forecast(10_000, MARCH, {}, some, date(2026, 3, count + 1))
        assert made.end_margin_bytes is not None
        return made.end_margin_bytes

    assert margin(24) < margin(12) < margin(6)


def test_the_operators_records_go_before_the_count() -> None:
    billed = {date(2026, 3, day): 50 * day for day in (2, 4, 6, 8)}
    made = forecast(3000, MARCH, billed, days(*[100] * 11), TODAY)
    assert (made.basis, made.days, made.mean_bytes) == ("billed", 6, 50)
    assert made.used_bytes == 400 + 3 * 100, "and what was counted since the newest of them"


@pytest.mark.parametrize(
    ("plan", "period", "billed", "counted", "today", "reason"),
    [
        (None, MARCH, {}, days(*[100] * 11), TODAY, "no_plan"),
        (3000, BillingPeriod(None, date(2026, 3, 31)), {}, days(*[100] * 11), TODAY, "no_period"),
        (3000, BillingPeriod(date(2026, 3, 1), None), {}, days(*[100] * 11), TODAY, "no_period"),
        (3000, MARCH, {}, days(*[100] * 11), date(2026, 4, 1), "period_over"),
        (3000, MARCH, {}, days(*[100] * 11), date(2026, 2, 28), "period_ahead"),
        (3000, MARCH, {}, {}, TODAY, "no_usage"),
        (3000, MARCH, {}, days(100, 100, 100, begin=date(2026, 3, 5)), TODAY, "partial"),
        (3000, MARCH, {}, days(100, 100, 100), TODAY, "few_days"),
        (3000, MARCH, {date(2026, 3, 2): 5}, {}, TODAY, "few_days"),
        (3000, MARCH, {date(2026, 2, 27): 5}, {}, TODAY, "no_usage"),
    ],
)
def test_no_figure_where_data_is_missing(
    plan: int | None,
    period: BillingPeriod,
    billed: dict[date, int],
    counted: dict[date, int],
    today: date,
    reason: str,
) -> None:
    made = forecast(plan, period, billed, counted, today)
    assert (made.reason, made.expected, made.mean_bytes, made.end_bytes) == (reason, None, None, None)


def test_a_plan_that_is_used_up_and_one_that_lasts() -> None:
    assert forecast(900, MARCH, {}, days(*[100] * 11), TODAY).expected == TODAY
    assert forecast(9000, MARCH, {}, days(*[100] * 11), TODAY).expected is None
    last = forecast(9000, MARCH, {}, days(*[100] * 31), date(2026, 3, 31))
    assert (last.end_bytes, last.end_margin_bytes, last.earliest) == (3100, 0, None)


def test_records_begin_anew_where_they_fall() -> None:
    billed = {date(2026, 3, 2): 100, date(2026, 3, 3): 20, date(2026, 3, 4): 30, date(2026, 2, 1): 5}
    assert billed_in(MARCH, billed) == [(date(2026, 3, 3), 20), (date(2026, 3, 4), 30)]


@given(
    st.dictionaries(st.integers(0, 40), st.integers(0, GB), max_size=40),
    st.dictionaries(st.integers(0, 40), st.integers(0, 40 * GB), max_size=10),
    st.integers(0, 40),
    st.one_of(st.none(), st.integers(0, 50 * GB)),
)
def test_a_forecast_says_dates_in_their_order_or_a_reason(
    counted: dict[int, int], billed: dict[int, int], today: int, plan: int | None
) -> None:
    first = date(2026, 2, 25)

    def dated(values: dict[int, int]) -> dict[date, int]:
        return {first + timedelta(days=n): value for n, value in values.items()}

    now = first + timedelta(days=today)
    made = forecast(plan, MARCH, dated(billed), dated(counted), now)
    if made.reason:
        assert made.expected is None and made.end_bytes is None
        return
    end = date(2026, 4, 1)
    order = [made.earliest or end, made.expected or end, made.latest or end]
    assert order == sorted(order) and order[0] >= now
    assert made.end_margin_bytes is not None and made.end_margin_bytes >= 0
    assert comparison(MARCH, dated(billed), dated(counted)).reason in ("", "no_billing", "partial")


# Billed beside counted.


def test_billed_beside_counted() -> None:
    billed = {date(2026, 3, 5): 700}
    made = comparison(MARCH, billed, days(*[100] * 11))
    assert (made.reason, made.day, made.billed_bytes, made.counted_bytes, made.difference_bytes) == (
        "", date(2026, 3, 5), 700, 500, 200
    )  # fmt: skip
    partial = comparison(MARCH, billed, days(100, 100, 100, begin=date(2026, 3, 3)))
    assert (partial.reason, partial.counted_bytes, partial.difference_bytes, partial.counted_from) == (
        "partial", 300, None, date(2026, 3, 3)
    )  # fmt: skip
    assert comparison(MARCH, {}, days(100)).reason == "no_billing"
    assert comparison(BillingPeriod(None, None), billed, days(100)).reason == "no_period"
