"""Points to requests, and the values of golden answers."""

import csv
from pathlib import Path
from typing import Any

import pytest

from edge_agent.config.model import Point, Slave
from edge_agent.errors import DeviceRefused
from edge_agent.protocols.dlt645.codec import Decoder
from edge_agent.protocols.dlt645.items import items
from edge_agent.protocols.dlt645.planner import MeterBlock, plan

HERE = Path(__file__).parent


def rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((HERE / name).read_text().splitlines()))


WIRES = {row["id"]: row["frame"] for row in rows("frames.csv")} | {
    row["id"]: row["bytes"] for row in rows("malformed.csv")
}
TARIFFS = ["EPF", "EPF1", "EPF2", "EPF3", "EPF4"]


def meter(**options: Any) -> Slave:
    return Slave(name="m", port="p", protocol="dlt645_2007", address="202311150042", options=options)


def points(*names: str) -> list[Point]:
    return [Point(slave="m", name=name, data_type="double", address={"item": name}) for name in names]


def blocks(*names: str, **options: Any) -> list[MeterBlock]:
    return plan(meter(**options), points(*names))  # type: ignore[return-value]


def answer(name: str) -> tuple[bytes, bytes]:
    """Identifier and value bytes of an answer."""
    (frame,) = Decoder().feed(bytes.fromhex(WIRES[name]))
    return frame.data[:4], frame.data[4:]


@pytest.mark.parametrize("row", rows("values.csv"), ids=lambda row: f"{row['frame']}-{row['item']}")
def test_value(row: dict[str, str]) -> None:
    di, data = answer(row["frame"])
    group = [name for name, item in items().items() if item.block and bytes.fromhex(item.block)[::-1] == di]
    (block,) = blocks(*(group or [row["item"]]))
    assert block.di == di
    at = (group or [row["item"]]).index(row["item"])
    value = block.decode(data)[block.points.index(at)]
    assert value == (float(row["value"]) if row["value"] else None)


def test_phases_of_a_block_are_one_request_and_the_rest_are_single() -> None:
    found = blocks("Ua", "HZ", "Ub", "Ia", *TARIFFS)
    assert sorted((block.di[::-1].hex().upper(), block.points) for block in found) == [
        ("0001FF00", (4, 5, 6, 7, 8)),
        ("0201FF00", (0, 2)),
        ("02020100", (3,)),
        ("02800002", (1,)),
    ]
    assert [block.di[::-1].hex() for block in blocks("Ua", "Ub", blocks=False)] == ["02010100", "02010200"]


def test_a_block_with_fewer_tariffs_gives_no_value_for_the_missing() -> None:
    (block,) = blocks(*TARIFFS)
    assert block.decode(bytes.fromhex("78563412 00010000")) == [123456.78, 1.0, None, None, None]
    assert block.decode(b"") == [None] * 5


def test_a_refused_block_is_cut_to_items() -> None:
    (block,) = blocks("Ua", "Ub", "Uc")
    pieces = block.pieces(DeviceRefused(2, "no such data"))
    assert [piece.points for piece in pieces] == [(0,), (1,), (2,)]
    assert block.pieces(DeviceRefused(4, "password")) == ()
    assert pieces[0].pieces(DeviceRefused(2, "no such data")) == ()


def test_an_item_twice_is_asked_once() -> None:
    assert [block.points for block in blocks("HZ", "HZ")] == [(0, 1)]


def test_override_of_the_format_leaves_the_block() -> None:
    deviating = Point(
        slave="m", name="x", address={"item": "Ia", "length": 2, "decimals": 2, "signed": False}
    )
    found = plan(meter(), [*points("Ib", "Ic"), deviating])
    assert [block.points for block in found] == [(0, 1), (2,)]
    assert found[1].decode(bytes.fromhex("3492")) == [92.34]  # type: ignore[attr-defined]


def test_every_item_lies_where_its_block_says() -> None:
    for name, item in items().items():
        assert item.zh and item.en, name
        if item.block:
            members = [other for other in items().values() if other.block == item.block]
            assert sorted(other.position for other in members) == list(range(len(members)))
            assert {(other.length, other.decimals) for other in members} == {(item.length, item.decimals)}
    assert {"Ua", "PS", "QS", "PF", "HZ", "NI", "EP", "EP4", "EPF", "EPR4", "EQ1", "EQ2", "REM", "OVD"} < set(
        items()
    )
