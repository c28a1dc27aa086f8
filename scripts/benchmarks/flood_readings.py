"""What scripts/bench measures of a reading while a thousand gateways flood: the last hour of one of them."""

from __future__ import annotations

import contextlib
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from _environment import PYTHON
from stack.api import Api

from benchmarks.ingest import DRAIN_TIMEOUT_S, FLOOD, POINTS, Figures, IngestSite, Run, fleet, site, wait_for

HOUR_MS = 3_600_000
SERIES_EACH = 16
"""Points of one request: the bound of the API."""
PIXELS = 1000
QUIET_READINGS = 40
PAUSE_S = 0.05
"""Between two readings: a person and a page, not a load of its own."""
REQUEST_TIMEOUT_S = 60.0
READER = "reader"


@dataclass(frozen=True)
class HourReader:
    """Reads the last hour of every point of one gateway, as its page does."""

    api: Api
    dsids: list[int]

    def read_ms(self) -> float:
        """Milliseconds until all are there."""
        begun, end_ms = time.perf_counter(), time.time_ns() // 1_000_000
        for at in range(0, len(self.dsids), SERIES_EACH):
            wanted = ",".join(map(str, self.dsids[at : at + SERIES_EACH]))
            query = f"dsids={wanted}&start_ms={end_ms - HOUR_MS}&end_ms={end_ms}&pixels={PIXELS}"
            request = urllib.request.Request(
                f"{self.api.base}/api/v1/device/hisdata/packed?{query}", headers={"X-Token": self.api.token}
            )
            with urllib.request.urlopen(request, timeout=REQUEST_TIMEOUT_S) as reply:
                reply.read()
        return (time.perf_counter() - begun) * 1000

    def until(self, done: Callable[[], bool]) -> list[float]:
        """Times of all readings until then."""
        times = [self.read_ms()]
        while not done():
            time.sleep(PAUSE_S)
            times.append(self.read_ms())
        return times


def reader_of(on: IngestSite) -> HourReader:
    """Signed in as a user of the platform, for the first gateway with all points."""
    words = [str(PYTHON), "-m", "cloud", "user", "add", READER]
    password = subprocess.run(words, env=on.env, check=True, capture_output=True, text=True).stdout.split()[
        -1
    ]
    api = Api(int(on.env["EDGE_PORT"]))
    api.login(READER, password)
    rows = on.ask(
        "SELECT id FROM data_point WHERE device_id = (SELECT device_id FROM data_point GROUP BY device_id"
        " HAVING count(*) >= ? ORDER BY device_id LIMIT 1) ORDER BY id LIMIT ?", POINTS, POINTS
    )  # fmt: skip
    if len(rows) < POINTS:
        raise RuntimeError("no gateway has reported its points")
    return HourReader(api, [row[0] for row in rows])


def quantiles(name: str, times: list[float]) -> Figures:
    """Figures of some readings."""
    ordered = sorted(times)
    return {
        f"{name}: readings": len(ordered),
        f"{name}: p50 ms": ordered[len(ordered) // 2],
        f"{name}: p99 ms": ordered[int(len(ordered) * 0.99)],
    }


@contextlib.contextmanager
def flooding(on: IngestSite) -> Iterator[Future[Run]]:
    """Every gateway sends what it has, as fast as it is acknowledged."""
    with ThreadPoolExecutor(1) as pool:
        yield pool.submit(fleet, on, "--flood", str(FLOOD), "--interval", "1")


def beside_a_flood(on: IngestSite) -> Figures:
    """The same reading without a flood, while it comes, while what came is stored, and behind it."""
    reader = reader_of(on)
    figures = quantiles("quiet", [reader.read_ms() for _ in range(QUIET_READINGS)])
    with flooding(on) as fleets:
        figures |= quantiles("during the flood", reader.until(fleets.done))
        figures["flood: samples/s landed durably"] = fleets.result().summary["samples_per_s"]
    figures |= quantiles("while it is stored", reader.until(on.all_stored))
    wait_for(on.all_stored, "everything is stored", DRAIN_TIMEOUT_S)
    return figures | quantiles("behind it", [reader.read_ms() for _ in range(QUIET_READINGS)])


def flood_readings() -> Figures:
    """The last hour of 50 points of one of 1,000 gateways while all flood, beside the same without."""
    figures: Figures = {}
    for label, influx in (("embedded", False), ("InfluxDB", True)):
        with site(influx=influx) as on:
            figures |= {f"{label}, {key}": value for key, value in beside_a_flood(on).items()}
    return figures


FLOOD_READING_BENCHMARKS: dict[str, Callable[[], Figures]] = {"flood_readings": flood_readings}
