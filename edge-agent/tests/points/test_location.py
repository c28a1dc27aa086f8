"""What a device gives to a position, and the distance of two of them."""

from __future__ import annotations

from typing import Any

import pytest

from edge_agent.config.model import Point
from edge_agent.errors import BadValue
from edge_agent.model import PointKind, Quality, RecordMode
from edge_agent.points import PointBlock, Recorder, raw_of
from edge_agent.points.location import distance_m, position_of

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
