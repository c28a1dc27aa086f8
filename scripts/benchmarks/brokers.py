"""What scripts/bench measures of the brokers: one fleet, at one pace, over mosquitto and over a real EMQX.

EMQX has the committed configuration; only ports, paths and secrets are replaced. EDGE_BENCH_GATEWAYS,
EDGE_BENCH_SECONDS: how many gateways, for how long.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
from _environment import PYTHON
from stack import Emqx, find_server
from stack.emqx import VARIABLE

from benchmarks.ingest import (
    DRAIN_TIMEOUT_S,
    GATEWAYS,
    POINTS,
    Figures,
    IngestSite,
    answers,
    claim,
    fleet,
    listens,
    program,
    quiet,
    site,
    surroundings,
    wait_for,
    wait_for_cloud,
)

SECONDS = float(os.environ.get("EDGE_BENCH_SECONDS", "30"))
INTERVALS_S = (2.0, 1.0)
"""Between two batches of a gateway; the second is the load that the figures of the README speak of."""

BACKLOG = 2000

TO_NOBODY = "messages.dropped.no_subscribers"
"""Messages for gateways of a fleet that had gone: the cloud asks those that it knows."""


@contextlib.contextmanager
def emqx_site() -> Iterator[tuple[IngestSite, Emqx]]:
    """Everything claimed, connected and quiet, as benchmarks.ingest.site."""
    launcher = find_server("emqx", VARIABLE)
    if launcher is None:
        raise RuntimeError(f"emqx is not at hand: neither {VARIABLE} nor the PATH names one")
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        env = surroundings(folder)
        claim(folder, env)
        port = int(env["EDGE_PORT"])
        broker = Emqx(folder / "broker", launcher, port)
        stack.callback(broker.stop)
        env |= broker.cloud_env()
        cloud = stack.enter_context(program([str(PYTHON), "-m", "cloud", "serve"], folder / "cloud.log", env))
        wait_for_cloud(cloud, folder, port, listens)
        broker.start()  # an authenticator that was away when it started is looked for every 15 s only
        wait_for_cloud(cloud, folder, port, answers)
        made = IngestSite(folder, broker.port, env, cloud, psutil.Process(broker.pid), None, broker.ca_file)
        yield quiet(made), broker


def brokers() -> Figures:
    """1,000 gateways over mosquitto and over a real EMQX with the committed configuration."""
    figures: Figures = {"gateways": GATEWAYS, "samples a message": POINTS, "seconds of each pace": SECONDS}
    with site(influx=False) as on:
        figures |= {f"mosquitto, {key}": value for key, value in measured(on, dict).items()}
    with emqx_site() as (on, broker):
        figures |= {f"EMQX, {key}": value for key, value in measured(on, lambda: drops(broker)).items()}
    return figures


def measured(on: IngestSite, dropped: Callable[[], dict[str, int]]) -> Figures:
    """Each pace, then one gateway that catches up beside the rest."""
    figures: Figures = {}
    for interval_s in INTERVALS_S:
        before = dropped()
        run = fleet(on, "--interval", str(interval_s), "--duration", str(SECONDS))
        wait_for(on.all_stored, "everything is stored", DRAIN_TIMEOUT_S)
        summary, label = run.summary, f"a message each {interval_s:g} s"
        after = dropped()
        figures |= {
            f"{label}: messages/s acknowledged": summary["acknowledged"] / summary["seconds"],
            f"{label}: samples/s": summary["samples_per_s"],
            f"{label}: made -> acknowledged, p50 ms": summary["live_ms"]["p50"],
            f"{label}: made -> acknowledged, p99 ms": summary["live_ms"]["p99"],
            f"{label}: made": summary["made"],
            f"{label}: acknowledged": summary["acknowledged"],
            f"{label}: sent again": summary["repeated"],
            f"{label}: connections lost": summary["connections_lost"],
            f"{label}: dropped by the cloud": cloud_drops(on),
            f"{label}: CPU % of the cloud": 100 * run.cloud_s / summary["seconds"],
            f"{label}: CPU % of the broker": 100 * run.broker_s / summary["seconds"],
        }
        figures |= {f"{label}: {name}": after[name] - before[name] for name in after}
    run = fleet(on, "--gateways", "1", "--backlog", str(BACKLOG), "--interval", "1", "--duration", "1")
    worst_ms = run.summary["history_ms"]["worst"]
    return figures | {"one that catches up: messages/s": 1000 * BACKLOG / worst_ms}


def cloud_drops(on: IngestSite) -> int:
    """Messages that the cloud did not take, all reasons together, since its start."""
    with urllib.request.urlopen(f"http://127.0.0.1:{on.env['EDGE_PORT']}/metrics", timeout=30) as reply:
        found = re.findall(r"^edge_link_dropped_total\S* (\S+)$", reply.read().decode(), re.MULTILINE)
    return int(sum(map(float, found)))


def drops(broker: Emqx) -> dict[str, int]:
    """Counters of EMQX since its start."""
    token = ask(broker, "login", {"username": "admin", "password": broker.api_password})["token"]
    (node,) = ask(broker, "metrics", token=token)
    lost = node["messages.dropped"] - node[TO_NOBODY] + node["delivery.dropped"]
    return {"dropped by EMQX": lost, "to gateways that had gone": node[TO_NOBODY]}


def ask(broker: Emqx, path: str, content: Any = None, token: str = "") -> Any:
    """Answer of EMQX's management API."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{broker.api_port}/api/v5/{path}",
        data=None if content is None else json.dumps(content).encode(),
        headers={"Content-Type": "application/json", "Authorization": f"Bearer {token}"},
    )
    with urllib.request.urlopen(request, timeout=30) as reply:
        return json.load(reply)


BROKER_BENCHMARKS: dict[str, Callable[[], Figures]] = {"brokers": brokers}
