"""What a catalog changes among the rows that there are."""

from __future__ import annotations

from typing import Any

from cloud.domains.devices.catalog_plan import name_points, point_changes, slave_changes
from edge_contract.payloads import PointEntry, SlaveEntry


def slave(name: str, **more: Any) -> SlaveEntry:
    fields = {"title": f"Slave {name}", "protocol": "modbus_tcp", "port": "lan", "address": "1", **more}
    return SlaveEntry(name=name, **fields)


def point(name: str, slave: str = "a", **more: Any) -> PointEntry:
    fields = {"id": 1, "title": "", "kind": "num", "rw": "readonly", "data_type": "int16", **more}
    return PointEntry(slave=slave, name=name, **fields)


def test_entries_by_the_number_of_their_slave() -> None:
    first, second = point("p"), point("p", "b")
    named, faults = name_points(
        [first, point("q", "gone"), second, point("p"), point("p", "gone")], {"a": 1, "b": 2}
    )
    assert named == {(1, "p"): first, (2, "p"): second}
    assert faults == [("q", "its slave is not in it"), ("p", "named twice"), ("p", "its slave is not in it")]


def row(number: int, entry: SlaveEntry, *, removed: bool = False, **more: Any) -> dict[str, Any]:
    (new,) = slave_changes(7, [], [entry]).new
    return {**new, "id": number, "removed": removed, **more}


def test_slaves_that_are_new_changed_and_gone() -> None:
    a, b, c, d = (slave(name) for name in "abcd")
    rows = [
        row(1, a),
        row(2, b, title="before"),
        row(3, c, removed=True),
        row(4, d),
        row(5, slave("e"), removed=True),
    ]
    changes = slave_changes(7, rows, [a, b, c, slave("f", title="")])
    assert [each["name"] for each in changes.new] == ["f"]
    assert changes.new[0] == {
        "device_id": 7, "name": "f", "title": "f", "address": "1", "protocol": "modbus_tcp", "port": "lan",
    }  # fmt: skip
    assert [(each["id"], each["title"]) for each in changes.changed] == [(2, "Slave b"), (3, "Slave c")]
    assert changes.gone == [4], "5 was gone before"


def test_the_columns_of_a_point() -> None:
    entry = point("p", unit="°C", decimals=2, period_ms=500, record=2, min=-1.0, max=5.0, on_text="open",
                  selector={"1": "run", "2.5": "half", "x": "none"})  # fmt: skip
    changes = point_changes(7, [], {(3, "p"): entry})
    assert changes.new == [{
        "device_id": 7, "slave_id": 3, "name": "p", "title": "p", "unit": "°C", "kind": "num",
        "rw": "readonly", "data_type": "int16", "decimals": 2, "period_ms": 500, "record": 2, "min": -1.0,
        "max": 5.0, "selector": {"1": "run", "2.5": "half"}, "on_text": "open", "off_text": "",
    }]  # fmt: skip
    known = {**changes.new[0], "id": 9, "removed": False}
    assert point_changes(7, [known], {(3, "p"): entry}) == point_changes(7, [], {})
    assert [each["id"] for each in point_changes(7, [known], {(4, "p"): entry}).changed] == []
    assert point_changes(7, [known], {(4, "p"): entry}).gone == [9]
    (changed,) = point_changes(7, [known], {(3, "p"): point("p")}).changed
    assert (changed["id"], changed["selector"], changed["unit"]) == (9, None, "")


def test_long_words_are_cut() -> None:
    long = "x" * 300
    (stored,) = slave_changes(7, [], [slave("a", title=long, address=long)]).new
    assert (len(stored["title"]), len(stored["address"])) == (200, 200)
    entry = point("p", title=long, unit=long, selector={"1": long}, on_text=long, off_text=long)
    (stored,) = point_changes(7, [], {(3, "p"): entry}).new
    assert [len(stored[name]) for name in ("title", "unit", "on_text", "off_text")] == [200, 200, 20, 20]
    assert len(stored["selector"]["1"]) == 200
