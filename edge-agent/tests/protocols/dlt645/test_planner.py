"""Points to requests, and the values of golden answers."""

import csv
from pathlib import Path
from typing import Any

import pytest

from edge_agent.config.model import Point, Slave
from edge_agent.errors import DeviceRefused
from edge_agent.protocols.dlt645.codec import Decoder
from edge_agent.protocols.dlt645.items import block_members, items
from edge_agent.protocols.dlt645.planner import MeterBlock, plan

HERE = Path(__file__).parent


def rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((HERE / name).read_text().splitlines()))


WIRE_FRAMES = {row["id"]: (row["standard"], row["frame"]) for row in rows("frames.csv")} | {
    row["id"]: ("2007", row["bytes"]) for row in rows("malformed.csv")
}
TARIFFS = ["EPF", "EPF1", "EPF2", "EPF3", "EPF4"]


def meter(statute: str = "2007", **options: Any) -> Slave:
    return Slave(name="m", port="p", protocol=f"dlt645_{statute}", address="202311150042", options=options)


def points(*names: str) -> list[Point]:
    return [Point(slave="m", name=name, data_type="double", address={"item": name}) for name in names]


def blocks(*names: str, statute: str = "2007", **options: Any) -> list[MeterBlock]:
    return plan(meter(statute, **options), points(*names))  # type: ignore[return-value]


def answer(name: str) -> tuple[str, bytes, bytes]:
    """Statute, identifier and value bytes of an answer."""
    statute, wire = WIRE_FRAMES[name]
    (frame,) = Decoder().feed(bytes.fromhex(wire))
    size = 4 if statute == "2007" else 2
    return statute, frame.data[:size], frame.data[size:]


@pytest.mark.parametrize("row", rows("values.csv"), ids=lambda row: f"{row['frame']}-{row['item']}")
def test_value(row: dict[str, str]) -> None:
    statute, di, data = answer(row["frame"])
    group = [name for name, _ in block_members(statute, di[::-1].hex().upper())]
    (block,) = blocks(*group, statute=statute)
    assert block.di == di
    value = block.decode(data)[block.points.index(group.index(row["item"]))]
    if items(statute)[row["item"]].kind == "digits":
        assert value == row["value"]
    else:
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
    pieces = block.split(DeviceRefused(2, "no such data"))
    assert [piece.points for piece in pieces] == [(0,), (1,), (2,)]
    assert len(block.split(DeviceRefused(0, "no reason given"))) == 3
    assert block.split(DeviceRefused(4, "password")) == ()
    assert pieces[0].split(DeviceRefused(2, "no such data")) == ()


def test_an_item_twice_is_requested_once() -> None:
    assert [block.points for block in blocks("HZ", "HZ")] == [(0, 1)]


def test_override_of_the_format_leaves_the_block() -> None:
    deviating = Point(
        slave="m", name="x", address={"item": "Ia", "length": 2, "decimals": 2, "signed": False}
    )
    found = plan(meter(), [*points("Ib", "Ic"), deviating])
    assert [block.points for block in found] == [(0, 1), (2,)]
    assert found[1].decode(bytes.fromhex("3492")) == [92.34]  # type: ignore[attr-defined]


@pytest.mark.parametrize("statute", ["2007", "1997"])
def test_every_item_lies_where_its_block_says(statute: str) -> None:
    table = items(statute)
    digits = 8 if statute == "2007" else 4
    assert len({item.di for item in table.values()}) == len(table)
    for name, item in table.items():
        assert item.zh and item.en, name
        assert len(item.di) == digits and len(item.block) in (0, digits), name
        if item.block:
            members = [other for other in table.values() if other.block == item.block]
            assert sorted(other.position for other in members) == list(range(len(members)))
            assert {(other.length, other.decimals) for other in members} == {(item.length, item.decimals)}


def test_a_byte_behind_a_1997_block_is_its_end_mark_and_no_value() -> None:
    names = ["Ua", "Ub", "Uc"]
    (block,) = blocks(*names, statute="1997")
    assert block.di == b"\x1f\xb6"
    assert block.decode(bytes.fromhex("2002 1902 2102 AA")) == [220, 219, 221]
    assert block.decode(bytes.fromhex("2002 1902 AA")) == [220, 219, None]


def test_formats_of_1997_are_its_own() -> None:
    """The same bytes would be 22.0 V, and a reactive power of three bytes nothing at all."""
    (ua,), (qs,) = blocks("Ua", statute="1997"), blocks("QS", statute="1997")
    assert ua.decode(bytes.fromhex("2002")) == [220]
    assert qs.decode(bytes.fromhex("3492")) == [92.34]
    assert qs.decode(bytes.fromhex("341200")) == [None]
    assert (ua.wire_bytes, blocks("Ua")[0].wire_bytes) == (2 * (4 + 12 + 2) + 2, 2 * (4 + 12 + 4) + 2)
