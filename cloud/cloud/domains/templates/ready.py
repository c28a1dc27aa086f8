"""Point templates that the platform brings along: the items of DL/T 645 meters."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from importlib import resources
from typing import Any

from cloud.domains.templates.merge import Row

_FOLDER = resources.files(__package__) / "ready"


@dataclass(frozen=True)
class Ready:
    """name: of its table, which is the protocol's too."""

    name: str
    zh: str
    en: str


READY = {
    each.name: each
    for each in (
        Ready("dlt645_2007", "DL/T 645-2007 电能表", "DL/T 645-2007 meter"),
        Ready("dlt645_1997", "DL/T 645-1997 电能表", "DL/T 645-1997 meter"),
    )
}


def rows(name: str, language: str) -> list[Row]:
    """The points, titled in zh or en."""
    table = (_FOLDER / f"{name}.csv").read_text(encoding="utf-8")
    return [_row(each, language) for each in csv.DictReader(table.splitlines())]


def _row(item: dict[str, str], language: str) -> dict[str, Any]:
    row: dict[str, Any] = {
        "name": item["name"],
        "title": item[language],
        "address": {"item": item["name"]},
    }
    if item["record"] != "1":
        row["record"] = int(item["record"])
    if item["kind"] == "swh":
        return row | {"type": "swh", "rw": "readwrite"}
    row |= {"data_type": "double", "tofixed": int(item["tofixed"])}
    if item["unit"]:
        row["unit"] = item["unit"]
    if int(item["capture_freq"]) > 1:
        row["capture_freq"] = int(item["capture_freq"])
    return row
