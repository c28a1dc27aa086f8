"""What scripts/bench measures of charts: a year of eight points, from disk to picture."""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Page
from stack import Ports, Stack

from benchmarks.browser import DESKTOP, built, chromium
from benchmarks.history import WRITE_ROWS, YEAR_S, walk
from cloud.timeseries.base import SeriesColumn
from cloud.timeseries.embedded import EmbeddedTimeSeries

Figures = dict[str, Any]

SAMPLES = 1_000_000
REPEATS = 5
POINTS, STEP_MS = 8, int(os.environ.get("EDGE_BENCH_YEAR_STEP_MS", "10000"))
DAY_MS = 86_400_000
MONTH_MS = 30 * DAY_MS
WAIT_MS = 60_000
LOOK_S = 0.1

PAINTED = """async () => {
  const chart = () => document.querySelector('[data-testid="history-chart"] canvas');
  const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  const last = performance.now() + 60000;
  while (!chart()) {
    if (performance.now() > last) throw new Error('no chart');
    await frame();
  }
  await frame();
  return performance.now();
}"""
"""Milliseconds since the page's beginning at which the chart is on the screen."""

REQUEST_TIMES = """() => performance.getEntriesByType('resource')
  .filter(one => one.name.includes('/hisdata/packed')).map(one => [one.startTime, one.responseEnd]).at(-1)"""

GO = "path => { window.gone = performance.now(); history.pushState({}, '', path); }"
DRAWN = """async before => {
  const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  const shown = () => document.querySelector('[data-testid="history-chart"]')?.dataset.samples;
  while (shown() === before || shown() === undefined) {
    if (performance.now() > window.gone + 60000) throw new Error('no other chart');
    await frame();
  }
  await frame();
  return performance.now() - window.gone;
}"""
SAMPLE_COUNT = "() => document.querySelector('[data-testid=\"history-chart\"]').dataset.samples"


def charts() -> Figures:
    """A year of eight points each 10 s, and 1e6 samples of one of them."""
    figures: Figures = {"load average": os.getloadavg()[0]}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        stack = Stack(
            folder / "data", Ports.free(), cloud_env={"EDGE_PORTAL_DIR": str(built(folder / "portal"))}
        )
        year = _made(stack)
        figures |= asyncio.run(_filled(folder / "data" / "cloud" / "timeseries.db", year))
        with chromium() as browser, _cloud(stack):
            figures |= _request_figures(stack, year)
            figures |= _export_figures(stack, year)
            figures |= _chart_figures(browser, stack, year)
    return figures


@dataclass(frozen=True)
class Year:
    """Eight points of a gateway, and the time that is filled."""

    device: int
    dsids: list[int]
    start_ms: int
    end_ms: int


def _made(stack: Stack) -> Year:
    """Points as a gateway sent them."""
    with stack.running():
        device = stack.api.get("/device?page=1&limit=20")["rows"][0]["id"]
        sources = stack.api.get(f"/device/dss?device_id={device}")["rows"]
    end_ms = int(time.time() * 1000) // DAY_MS * DAY_MS
    dsids = [row["dsid"] for row in sources if row["ds_type"] == "num"][:POINTS]
    return Year(device, dsids, end_ms - YEAR_S * 1000, end_ms)


async def _filled(path: Path, year: Year) -> Figures:
    dsids, start_ms, end_ms = year.dsids, year.start_ms, year.end_ms
    store = EmbeddedTimeSeries(path, pack_at=10**12)
    await store.start()
    begun, count = time.perf_counter(), (end_ms - start_ms) // STEP_MS
    for dsid in dsids:
        values = walk(count, seed=dsid)
        for at in range(0, count, WRITE_ROWS):
            part = values[at : at + WRITE_ROWS]
            times = start_ms + STEP_MS * np.arange(at, at + len(part))
            await store.write([SeriesColumn(dsid, times.tolist(), part.tolist(), [0] * len(part))])
            while await store.pack(dsid) > 0:
                pass
    filled_s = time.perf_counter() - begun
    begun = time.perf_counter()
    for dsid in dsids:
        await store.envelope(dsid, start_ms, end_ms, 1400)
    envelope_ms = (time.perf_counter() - begun) * 1000
    await store.close()
    return {
        "a year of eight points, samples": count * len(dsids),
        "written and packed, samples/s": count * len(dsids) / filled_s,
        "a year of eight points, the store alone (limit), ms": envelope_ms,
    }


@contextlib.contextmanager
def _cloud(stack: Stack) -> Iterator[None]:
    """The cloud alone: nothing is written meanwhile."""
    try:
        stack.prepare()
        stack.start_cloud()
        stack.api.login(*stack.sign_in())
        yield
    finally:
        stack.stop()


def _request_figures(stack: Stack, year: Year) -> Figures:
    dsids, start_ms, end_ms = year.dsids, year.start_ms, year.end_ms
    query = f"dsids={','.join(map(str, dsids))}&start_ms={start_ms}&end_ms={end_ms}&pixels=1400"
    request = urllib.request.Request(
        f"{stack.api.base}/api/v1/device/hisdata/packed?{query}", headers={"X-Token": stack.api.token}
    )
    times = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        with urllib.request.urlopen(request, timeout=WAIT_MS / 1000) as reply:
            size = len(reply.read())
        times.append((time.perf_counter() - begun) * 1000)
    begun = time.perf_counter()
    stack.api.healthy()
    return {
        "a request that asks nothing (limit), ms": (time.perf_counter() - begun) * 1000,
        "a year of eight points through the API, first, ms": times[0],
        "a year of eight points through the API, ms": min(times),
        "a year of eight points, kB (gate 1,000)": size / 1000,
    }


def _export_figures(stack: Stack, year: Year) -> Figures:
    """The samples of a month of one point as a file, asked until it can be fetched."""
    begun = time.perf_counter()
    job = stack.api.call(
        "POST",
        "/device/hisdata/export",
        {"dsids": year.dsids[:1], "start_ms": year.end_ms - MONTH_MS, "end_ms": year.end_ms, "form": "csv"},
    )
    while job["state"] == "generating":
        time.sleep(LOOK_S)
        job = stack.api.get(f"/job/{job['id']}")
    seconds = time.perf_counter() - begun
    if job["state"] != "completed":
        raise RuntimeError(f"the export is {job['state']}")
    return {
        "export of a month of one point, rows": job["summary"]["rows"],
        "export of a month of one point, s": seconds,
        "export of a month of one point, rows/s": job["summary"]["rows"] / seconds,
    }


def _chart_figures(browser: Browser, stack: Stack, year: Year) -> Figures:
    device, dsids, start_ms, end_ms = year.device, year.dsids, year.start_ms, year.end_ms
    page = browser.new_page(viewport=DESKTOP, base_url=stack.api.base)
    page.set_default_timeout(WAIT_MS)
    _sign_in(page, stack)
    eight = f"/dataCenter/hisData?device_id={device}&points={','.join(map(str, dsids))}"
    whole_year = f"{eight}&start={start_ms}&end={end_ms}"
    opened, painted = [], []
    for _ in range(3):  # the first fetches the portal's files
        page.goto(whole_year)
        at = float(page.evaluate(PAINTED))
        opened.append(at)
        painted.append(at - float(page.evaluate(REQUEST_TIMES)[0]))
    alone = f"/dataCenter/hisData?device_id={device}&points={dsids[0]}"
    one = f"{alone}&start={end_ms - SAMPLES * STEP_MS}&end={end_ms}"
    page.goto(one)
    page.evaluate(PAINTED)
    browsers = [_browser_part(page)]
    zooms: list[float] = []
    parts: list[float] = []
    for number in range(2, 2 + REPEATS):
        width = SAMPLES * STEP_MS // number
        before = page.evaluate(SAMPLE_COUNT)
        page.evaluate(GO, f"{one}&zoom_start={end_ms - width}&zoom_end={end_ms}")
        zooms.append(float(page.evaluate(DRAWN, before)))
        parts.append(_browser_part(page, zooms[-1]))
    page.close()
    return {
        "a year of eight points, page opened to picture, ms": min(opened[1:]),
        "a year of eight points, asked to picture, the slowest, ms (gate 1,500)": max(painted[1:]),
        "1e6 samples of a point, answer to picture, ms (gate 400)": browsers[0],
        "1e6 samples of a point, zoom to picture, the slowest, ms": max(zooms),
        "1e6 samples of a point, zoom, the browser's part, the slowest, ms (gate 250)": max(parts),
    }


def _browser_part(page: Page, since_gone: float | None = None) -> float:
    """What is left of the time to the picture without waiting for the last answer."""
    began, ended = (float(at) for at in page.evaluate(REQUEST_TIMES))
    if since_gone is None:
        return float(page.evaluate(PAINTED)) - ended
    return since_gone - (ended - began)


def _sign_in(page: Page, stack: Stack) -> None:
    name, password = stack.sign_in()
    made = stack.api.call("POST", "/login/login", {"username": name, "password": password})
    tokens = {
        "token": made["token"],
        "refreshToken": made["refresh_token"],
        "expiresAtMs": (time.time() + made["expires_in"]) * 1000,
    }
    page.goto("/healthz")
    page.evaluate("tokens => localStorage.setItem('edge.session', JSON.stringify(tokens))", tokens)


CHART_BENCHMARKS: dict[str, Callable[[], Figures]] = {"charts": charts}
