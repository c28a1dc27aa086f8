"""What the portal's forms are held to: bounds of every field, and faults between fields, from the contract.

`scripts/generate parameters` writes it for the portal's tests.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from parameter_fields import BESIDE, ROWS, Json, cases

from edge_contract.parameters.groups import GROUPS
from edge_contract.parameters.validation import faults_of

MAX_ENTRIES = 1000
"""Of a longer list only the length is written."""

FACTOR, OTHER = {"factor": "w01018", "point": "a.p"}, {"factor": "w01018", "point": "a.w", "converted": True}
READS, WRITES = {"name": "v", "point": "a.p"}, {"name": "w", "point": "a.p", "write": True}

VARIED: Mapping[str, tuple[Json, ...]] = {
    "run": ({"power": ["normal", "saving"], "report_interval_s": [None, 0, 59, 60]},),
    "uart": ({"device": ["", "/dev/ttyS1", "a\0b"], "enable": [None, False]},),
    "channels": (
        {"heartbeat": [None, "", "01 a0", "0", "ping"], "heartbeat_format": [None, "hex"],
         "heartbeat_interval_s": [None, 0]},
        {"server": ["", "a b", "a\u00a0b", "a/b", "a.", "a..b", "1.2.3.4", "x" * 63, "x" * 64, "例子.公司"]},
    ),
    "registration": (
        {"format": [None, "text", "hex"], "content": [None, "", "zz", "0a", "0A 0b", "0 a"],
         "enable": [None, False]},
    ),
    "internal_slave": ({"tcp": [None, True, False], "device": [None, "", "/dev/ttyS1"]},),
    "hj212": (
        {"version": [None, "2005", "2017", "2025"], "heartbeat_s": [None, 0, 30], "cipher": [None, "raw"]},
        {"rtd_interval_s": [None, 0, 1, 29, 30, 3600]},
        {"random_min_ms": [None, 0, 500, 501], "random_max_ms": [None, 0, 600],
         "supplementary": [None, True, False], "supplementary_rtd": [None, True, False]},
        {"mapping": [[FACTOR], [FACTOR, FACTOR], [FACTOR, OTHER], [{**FACTOR, "units": []}],
                     [{**FACTOR, "types": ["rtd"], "units": []}]]},
    ),
    "mqtt": (
        {"tls": [None, "none"], "ca_file": [None, "/ca.pem"]},
        {"variables": [None, [READS], [WRITES], [READS, WRITES]], "down_topic": [None, "", "down"],
         "result_topic": [None, "", "result"]},
    ),
    "history": (
        {"type": [None, "disk", "memory"], "medium": [None, "internal", "external"],
         "path": [None, "", "card", "/mnt/card"]},
    ),
    "loop_write": (
        {"message": [None, "modbus", "custom"], "checksum": [None, "none", "crc16"], "expect": [None, "01"],
         "reg_type": [None, "4X", "0X"], "offset": [None, 0]},
        {"message": [None, "custom"], "data_type": [None, "uint8", "int8", "float"], "offset": [None, 0]},
        {"content": ["number", "real_time", "hex", "string"], "value": [None, 0, "01"], "offset": [0]},
    ),
    "network": (
        {"mode": [None, "static"], "address": [None, "10.0.0.2", "10.0.0.0", "10.0.0.255", "127.0.0.1",
                                              "224.0.0.1", "10.0.0.256", "010.0.0.1"],
         "netmask": [None, "255.255.255.0", "255.0.255.0", "0.0.0.0", "255.255.255.252", "128.0.0.0",
                     "255.255.255.254"],
         "gateway": [None, "10.0.0.1", "10.0.1.1", "10.0.0.2", "x"],
         "dns": [None, ["1.1.1.1"], ["1.1.1.1", "x"]]},
    ),
    "mobile": (
        {"enable": [None, False], "routing": [None, True], "authentication": [None, "pap"],
         "username": [None, "", "u"], "password": [None, "", "p"]},
    ),
    "hotspot": (
        {"enable": [None, False], "ssid": [None, "", "gw", "密" * 10, "密" * 11],
         "password": [None, "", "12345678"]},
    ),
}  # fmt: skip
"""Values of fields that depend on each other, None for a field that is left out: each with each."""

BETWEEN: Mapping[str, tuple[list[Json], ...]] = {
    "uart": (
        [{"name": "a", "device": "/d"}, {"name": "b", "device": "/d"}],
        [{"name": "a", "device": "/d"}, {"name": "b", "device": "/d", "enable": False}],
        [{"name": "a", "device": "/d"}, {"name": "a", "device": "/e"}],
    ),
    "calibration": (
        [{"slave": "a", "name": "p"}, {"slave": "a", "name": "q"}],
        [{"slave": "a", "name": "p"}, {"slave": "a", "name": "p"}],
    ),
    "run": ([{}, {}],),
}  # fmt: skip
"""Several rows of a group."""


def document() -> Json:
    """rows, beside: as in parameter_fields. bounds: [group, field, value, accepted]; a long list is
    {"entries": length}. said: every fault as [field, rule]; others are named by their place in it.
    dependencies: by group the values of each with each, and their faults in that order. between: group, rows,
    faults.
    """
    said = Said()
    dependencies = {
        name: [{"values": varied, "faults": list(_dependencies(said, name, varied))} for varied in every]
        for name, every in VARIED.items()
    }
    between = [[name, rows, said.faults(name, rows)] for name, some in BETWEEN.items() for rows in some]
    return {
        "rows": ROWS,
        "beside": [[group, field, values] for (group, field), values in BESIDE.items()],
        "bounds": [[case.group, case.field, _short(case.value), case.accepted] for case in cases()],
        "dependencies": dependencies,
        "between": between,
        "said": [list(each) for each in said.places],
    }


class Said:
    """Faults that were said. places: of each, in the order in which they came."""

    def __init__(self) -> None:
        self.places: dict[tuple[str, str], int] = {}

    def faults(self, name: str, rows: list[Any]) -> list[int]:
        """Places of the faults of these rows."""
        broken = [(fault.field, fault.rule) for fault in faults_of(GROUPS[name], rows)]
        return [self.places.setdefault(each, len(self.places)) for each in broken]


def _dependencies(said: Said, name: str, varied: Json) -> Iterator[list[int]]:
    for values in itertools.product(*varied.values()):
        row = ROWS[name] | dict(zip(varied, values, strict=True))
        yield said.faults(name, [{field: value for field, value in row.items() if value is not None}])


def _short(value: Any) -> Any:
    return {"entries": len(value)} if isinstance(value, list) and len(value) > MAX_ENTRIES else value
