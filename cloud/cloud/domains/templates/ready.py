"""Point templates that the platform has ready: items of DL/T 645 meters, inputs and outputs of an S7-1200."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from importlib import resources
from typing import Any

from edge_contract.document.rows import Row

_FOLDER = resources.files(__package__) / "ready"


@dataclass(frozen=True)
class Ready:
    """name: of its table; protocol: the same where nothing else is said."""

    name: str
    zh: str
    en: str
    of: str = ""

    @property
    def protocol(self) -> str:
        return self.of or self.name


READY = {
    each.name: each
    for each in (
        Ready("dlt645_2007", "DL/T 645-2007 电能表", "DL/T 645-2007 meter"),
        Ready("dlt645_1997", "DL/T 645-1997 电能表", "DL/T 645-1997 meter"),
        Ready("s7_1200", "S7-1200（CPU 1214C）输入输出", "S7-1200 (CPU 1214C) inputs and outputs", of="s7"),
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
        "address": _address(item),
    }
    if item["record"] != "1":
        row["record"] = int(item["record"])
    if item["kind"] == "swh":
        row |= {"type": "swh", "rw": item.get("rw", "readwrite")}
        return row | ({"data_type": item["data_type"]} if "data_type" in item else {})
    row["data_type"] = item.get("data_type", "double")
    if item["tofixed"]:
        row["tofixed"] = int(item["tofixed"])
    if item["unit"]:
        row["unit"] = item["unit"]
    if int(item["capture_freq"]) > 1:
        row["capture_freq"] = int(item["capture_freq"])
    return row


def _address(item: dict[str, str]) -> dict[str, Any]:
    """Of a meter the item of its name; of a PLC the area with its numbers."""
    if "area" not in item:
        return {"item": item["name"]}
    address: dict[str, Any] = {"area": item["area"], "offset": int(item["offset"])}
    return address | ({"bit": int(item["bit"])} if item["bit"] else {})
