"""Compare what the plant served with what the cloud holds, value by value."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from _stack import Stack

PAGE = 1000


@dataclass(frozen=True)
class Served:
    """One answer of the plant: the counter's value and when it left."""

    t_ms: int
    value: int


def served(ledger: Path) -> dict[str, list[Served]]:
    """Values that the plant served, by 'device.register'."""
    found: dict[str, list[Served]] = {}
    for line in ledger.read_text().splitlines():
        row = json.loads(line)
        found.setdefault(f"{row['device']}.{row['register']}", []).append(Served(row["t_ms"], row["value"]))
    return found


def held(stack: Stack) -> dict[str, Counter[int]]:
    """Good values that the cloud's history holds, by 'slave.point', with how often each stands there."""
    found: dict[str, Counter[int]] = {}
    for device in stack.api.get("/device?page=1&limit=100")["rows"]:
        for source in stack.api.get(f"/device/dss?device_id={device['id']}")["rows"]:
            values: Counter[int] = Counter()
            before = 2**53
            while True:
                query = f"dsid={source['dsid']}&start_ms=0&end_ms={2**53}&limit={PAGE}&before_ms={before}"
                rows = stack.api.get(f"/device/hisdata/rows?{query}")["rows"]
                values.update(int(row["value"]) for row in rows if row["quality"] == 0)
                if len(rows) < PAGE:
                    break
                before = rows[-1]["t_ms"]
            found[f"{source['slave']}.{source['ds_name']}"] = values
    return found


def drained(stack: Stack) -> bool:
    """True when the agent's store holds no batch and the cloud has filed all that it landed."""
    outbox = count(stack.data / "agent" / "outbox.sqlite", "SELECT count(*) FROM batch")
    unfiled = "SELECT count(*) FROM link_batch WHERE filed_ms IS NULL"
    return outbox == 0 and count(stack.data / "cloud" / "cloud.db", unfiled) == 0


def count(path: Path, query: str) -> int:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        return int(connection.execute(query).fetchone()[0])
