"""What a device gives to a position, and the distance of two of them."""

from __future__ import annotations

from typing import Any

import pytest

from edge_agent.config.model import Point
from edge_agent.errors import BadValue
from edge_agent.model import PointKind, Quality, RecordMode
from edge_agent.points import PointBlock, Recorder, raw_of
from edge_agent.points.location import distance_m, position_of
from edge_agent.points.record import differs

SHANGHAI = "121.473700,31.230400"
NOW_MS = 1_790_000_000_000


def sentence(body: str) -> str:
    found = 0
    for letter in body.encode():
        found ^= letter
    return f"${body}*{found:02X}\r\n"


RMC = "GNRMC,081836.00,A,3113.82400,N,12128.42200,E,0.1,360.0,130998,,,A"
GGA = "GPGGA,092750.000,3113.8240,N,12128.4220,E,1,8,1.03,61.7,M,55.2,M,,"
GLL = "BDGLL,3113.8240,N,12128.4220,E,091500.00,A,A"


@pytest.mark.clause("C-144")
@pytest.mark.parametrize("talker", ["GP", "GN", "BD", "GL", "GB"])
@pytest.mark.parametrize("body", [RMC, GGA, GLL])
def test_sentences_of_any_receiver(body: str, talker: str) -> None:
    assert position_of(sentence(talker + body[2:]), None) == SHANGHAI


@pytest.mark.clause("C-144")
def test_a_known_sentence() -> None:
    """The example that every manual of a receiver prints, with the checksum that it prints."""
    said = "$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47"
    assert position_of(said, None) == "11.516667,48.117300"
    said = "$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A"
    assert position_of(said, None) == "11.516667,48.117300"


@pytest.mark.parametrize("body", [RMC, GGA, GLL])
def test_minutes_end_before_sixty(body: str) -> None:
    assert position_of(sentence(body.replace("3113", "3159").replace("12128", "12159")), None) is not None
    assert position_of(sentence(body.replace("3113", "3160")), None) is None
    for sixty in (body.replace("3113.82400", "3160.00000"), body.replace("12128.42200", "12160.00000")):
        assert position_of(sentence(sixty.replace("3113.8240", "3160.0000")), None) is None
    assert position_of(sentence(body.replace("12128", "12160")), None) is None


def test_a_sentence_may_end_with_what_it_needs() -> None:
    """GLL: its status is the last of its fields that is looked at."""
    assert position_of(sentence(GLL.removesuffix(",A")), None) == SHANGHAI
    assert position_of(sentence(GLL.removesuffix(",A,A")), None) is None
    assert position_of(sentence(",".join(RMC.split(",")[:7])), None) == SHANGHAI
    assert position_of(sentence(",".join(GGA.split(",")[:7])), None) == SHANGHAI


def test_the_last_sentence_decides() -> None:
    """A device hands over what fits into its buffer, broken off at both ends."""
    other = sentence(GGA.replace("3113.8240", "3013.8240"))
    assert position_of("13,A*22\r\n" + other + sentence(RMC) + "$GNGSA,A,3", None) == SHANGHAI
    assert position_of(sentence(GGA) + sentence(RMC.replace(",A,", ",V,")), None) is None


@pytest.mark.clause("C-144")
@pytest.mark.parametrize(
    "said",
    [
        sentence(RMC.replace(",A,", ",V,")),
        sentence(RMC).replace("*", "*0", 1),
        sentence(RMC).replace("3113", "3114"),
        sentence(GGA.replace(",1,8,", ",0,0,")),
        sentence(GGA.replace(",1,8,", ",6,0,")),
        sentence(GLL.replace(",A,A", ",V,N")),
        sentence(RMC.replace("3113.82400", "3199.82400")),
        sentence(RMC.replace("3113.82400", "9913.82400")),
        sentence(RMC.replace(",E,", ",X,")),
        sentence("GNRMC,081836.00,A,,,,,,,130998,,,A"),
        sentence("GNRMC,081836.00,A"),
        "$",
        "",
        "0,0",
        "0.0000001,-0.0000001",
        "91,10",
        "10,181",
        "nan,10",
        "1e400,10",
        "31.2",
        "31.2,121.4,5",
        "north,east",
    ],
)
def test_what_is_no_position(said: str) -> None:
    assert position_of(said, None) is None


@pytest.mark.parametrize(
    ("said", "coordinates", "ratio", "expected"),
    [
        ("31.2304,121.4737", None, 1.0, SHANGHAI),
        ("31.2304,121.4737", "lat_lon", 1.0, SHANGHAI),
        ("121.4737,31.2304", "lon_lat", 1.0, SHANGHAI),
        ("31230400,121473700", "lat_lon", 1e-6, SHANGHAI),
        ("3113.824,12128.422", "lat_lon_minutes", 1.0, SHANGHAI),
        ("1212842200,311382400", "lon_lat_minutes", 1e-5, SHANGHAI),
        ("-3113.824,-12128.422", "lat_lon_minutes", 1.0, "-121.473700,-31.230400"),
        ("3160.0,12128.422", "lat_lon_minutes", 1.0, None),
        ("0,121.4737", "lat_lon", 1.0, "121.473700,0.000000"),
    ],
)
def test_two_numbers(said: str, coordinates: str | None, ratio: float, expected: str | None) -> None:
    assert position_of(said, coordinates, ratio) == expected


def test_distances() -> None:
    assert distance_m(SHANGHAI, SHANGHAI) == 0
    assert distance_m("0.000000,0.000000", "0.000000,1.000000") == pytest.approx(111_195, rel=1e-3)
    assert distance_m("121.473700,31.230400", "121.473800,31.230400") == pytest.approx(9.5, abs=0.1)
    assert distance_m("179.999950,0.000000", "-179.999950,0.000000") == pytest.approx(11.1, abs=0.1)
    assert distance_m("here", SHANGHAI) == float("inf")


def block(**more: Any) -> PointBlock:
    point = Point(slave="gps", name="place", type=PointKind.LOCATION, data_type="string", **more)
    return PointBlock([point], [1])


@pytest.mark.clause("C-143", "C-144")
@pytest.mark.parametrize("record", [RecordMode.ALWAYS, RecordMode.ON_CHANGE])
def test_a_deadband_of_metres_keeps_a_jittering_receiver_still(record: RecordMode) -> None:
    made, recorder = block(record=record, deadband=10.0), Recorder()
    given = [
        "31.230400,121.473700",
        "31.230400,121.473760",
        "31.230400,121.473850",
        "0,0",
        "31.2304,121.4739",
    ]
    stored = [recorder.select(made.row([raw], NOW_MS + at), made) for at, raw in enumerate(given)]
    samples = [row.samples()[0] for row in stored if row is not None]
    assert [(sample.value, sample.quality) for sample in samples] == [
        ("121.473700,31.230400", Quality.GOOD),
        ("121.473850,31.230400", Quality.GOOD),
        (None, Quality.OUT_OF_RANGE),
        ("121.473900,31.230400", Quality.GOOD),
    ]


def test_a_location_is_not_written() -> None:
    with pytest.raises(BadValue, match="read only"):
        raw_of(block().points[0], SHANGHAI)


@pytest.mark.parametrize(
    ("text", "coordinates", "position"),
    [
        ("90,180", "lat_lon", "180.000000,90.000000"),
        ("-90,-180", "lat_lon", "-180.000000,-90.000000"),
        ("90.0000001,0", "lat_lon", None),
        ("0,180.0000001", "lat_lon", None),
        ("121.5,31.25", "lon_lat", "121.500000,31.250000"),
        ("3130.0,12145.0", "lat_lon_minutes", "121.750000,31.500000"),
        ("-12145.0,3130.0", "lon_lat_minutes", "-121.750000,31.500000"),
        ("3159.9999,12100", "lat_lon_minutes", "121.000000,31.999998"),
        ("3160,12100", "lat_lon_minutes", None),
        ("0,0", None, None),
        ("0.0000004,-0.0000004", None, None),
        ("0.000001,0", None, "0.000000,0.000001"),
        ("-0.0000001,5", None, "5.000000,0.000000"),
        ("1,2,3", None, None),
        ("1", None, None),
        ("1,x", None, None),
        ("nan,1", None, None),
        ("1,inf", "lat_lon_minutes", None),
    ],
)
def test_two_numbers_are_a_place_of_the_earth_or_none(
    text: str, coordinates: str | None, position: str | None
) -> None:
    assert position_of(text, coordinates) == position


def test_numbers_are_scaled_before_they_are_a_place() -> None:
    assert position_of("3125,12150", None, 0.01, 0.5) == "122.000000,31.750000"


@pytest.mark.parametrize(
    ("one", "other", "metres"),
    [
        ("0.000000,0.000001", "0.000000,0.000001", 0.0),
        ("10.000000,0.000000", "11.000000,0.000000", 111_194.93),
        ("10.000000,60.000000", "11.000000,60.000000", 55_596.93),
        ("0.000000,10.000000", "0.000000,11.000000", 111_194.93),
        ("0.000000,90.000000", "0.000000,-90.000000", 20_015_086.8),
        ("10.000000,0.000000", "-170.000000,0.000000", 20_015_086.8),
    ],
)
def test_distances_on_a_sphere_of_6371_km(one: str, other: str, metres: float) -> None:
    assert distance_m(one, other) == pytest.approx(metres, rel=1e-5)
    assert distance_m(other, one) == distance_m(one, other)


def test_what_is_no_position_is_infinitely_far() -> None:
    assert distance_m("x", SHANGHAI) == distance_m(SHANGHAI, "1") == float("inf")


def test_the_south_and_the_west_are_below_zero() -> None:
    for body in (RMC, GGA, GLL):
        southern = body.replace(",N,", ",S,").replace(",E,", ",W,")
        assert position_of(sentence(southern), None) == "-121.473700,-31.230400"
        for wrong in (body.replace(",N,", ",E,"), body.replace(",E,", ",N,"), body.replace(",N,", ",,")):
            assert position_of(sentence(wrong), None) is None


def test_a_value_has_left_its_deadband_when_it_is_farther() -> None:
    """Of numbers by their difference, of positions by metres; of anything else when it is another."""
    assert [differs(5.0, value, 1.0) for value in (4.0, 6.0, 3.9, 6.1)] == [False, False, True, True]
    near, far = "121.473700,31.230500", "121.473700,31.230600"  # 11 and 22 m
    assert [differs(SHANGHAI, value, 15.0) for value in (SHANGHAI, near, far)] == [False, False, True]
    assert differs(SHANGHAI, near, 0.0) and differs(5, 5.1, 0.0) and not differs(5, 5, 0.0)
    assert differs(SHANGHAI, 5, 15.0) and differs(5, SHANGHAI, 15.0) and differs(None, 5, 1.0)
