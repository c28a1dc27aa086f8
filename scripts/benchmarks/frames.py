"""What scripts/bench measures in a browser alone: charts of many samples, and 500 live values at 1 Hz."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser

from benchmarks.browser import BLOCKS, DESKTOP, MainThread, built, chromium, served

Figures = dict[str, Any]

SAMPLES = 1_000_000
REPEATS = 5
LIVE_POINTS, LIVE_SAMPLES, LIVE_UPDATES = 8, 600, 120
"""Ten minutes of eight points, each second one more."""
SECONDS = 8

FRAME = "() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))"

WATCHED = """async ([seconds, pushes]) => {
  const frames = [];
  const begun = performance.now();
  let last = begun, pushed = 0;
  while (last - begun < seconds * 1000) {
    await new Promise(done => requestAnimationFrame(done));
    const now = performance.now();
    frames.push(now - last);
    last = now;
    if (pushes && now - begun >= pushed * 1000) {
      pushed += 1;
      window.pushAll();
    }
  }
  return frames;
}"""


def frames() -> Figures:
    """Gates of the design: 55 frames a second, none above 100 ms, a tenth of the main thread."""
    figures: Figures = {"load average": os.getloadavg()[0]}
    with tempfile.TemporaryDirectory() as name:
        folder = built(Path(name), *BLOCKS)
        with chromium() as browser, served(folder) as address:
            figures |= _charts(browser, address)
            figures |= _live_values(browser, address)
    return figures


def _charts(browser: Browser, address: str) -> Figures:
    page = browser.new_page(viewport=DESKTOP)
    page.goto(f"{address}/?lang=en#chart")
    page.get_by_test_id("chart").wait_for(state="attached")
    page.wait_for_function("() => window.charts !== undefined")
    page.evaluate(f"() => {{ window.bytes = window.answer(1, {SAMPLES}); }}")
    spent = MainThread(page)
    calls = {
        "bare": [spent.of("() => window.charts.bare(window.bytes)") for _ in range(REPEATS)],
        "paint": [spent.of("() => window.charts.paint(window.bytes)") for _ in range(REPEATS)],
        "half": [spent.of(f"() => window.charts.zoom(0.2{n}, 0.7{n})") for n in range(REPEATS)],
        "narrow": [spent.of(f"() => window.charts.zoom(0.5{n}, 0.5{n + 1})") for n in range(REPEATS)],
    }
    page.evaluate(f"() => window.charts.live({LIVE_POINTS}, {LIVE_SAMPLES}, {LIVE_UPDATES})")
    live = [spent.of("() => window.charts.push()") for _ in range(LIVE_UPDATES)]
    nothing = float(np.percentile([spent.of(FRAME) for _ in range(LIVE_UPDATES)], 50))
    page.close()
    return {
        "1e6 samples, uPlot alone (limit), first paint ms": _slowest(calls["bare"]),
        "1e6 samples, first paint ms (gate 400)": _slowest(calls["paint"]),
        "1e6 samples, zoom to a half ms (gate 250)": _slowest(calls["half"]),
        "1e6 samples, zoom to 10,000 ms (gate 250)": _slowest(calls["narrow"]),
        "a frame in which nothing is drawn (limit), ms": nothing,
        "live chart of 8 x 600, update above it p50 ms": float(np.percentile(live, 50)) - nothing,
        "live chart of 8 x 600, update above it p95 ms (gate 4)": float(np.percentile(live, 95)) - nothing,
    }


def _live_values(browser: Browser, address: str) -> Figures:
    """All 500 in view; beside them the same page in which nothing changes."""
    page = browser.new_page(viewport=DESKTOP)
    page.goto(f"{address}/?lang=en#live")
    page.locator('[data-part="value"]').first.wait_for()
    spent = MainThread(page)
    still: list[float] = page.evaluate(WATCHED, [SECONDS, False])
    script = f"async () => {{ window.watched = await ({WATCHED})([{SECONDS}, true]); }}"
    computed_ms = spent.of(script)
    live: list[float] = page.evaluate("() => window.watched")
    page.close()
    return {
        "500 values that stand still (limit), frames/s": len(still) / SECONDS,
        "500 values at 1 Hz, frames/s (gate 55)": len(live) / SECONDS,
        "500 values at 1 Hz, the longest frame, ms (gate 100)": max(live),
        "500 values at 1 Hz, main thread, share (gate 0.1 with what nothing costs)": computed_ms
        / (SECONDS * 1000),
    }


def _slowest(times: list[float]) -> float:
    """Without the first, in which the code is compiled."""
    return max(times[1:])


FRAME_BENCHMARKS: dict[str, Callable[[], Figures]] = {"frames": frames}
