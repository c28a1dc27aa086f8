"""Control messages: examples, refusals by field, sizes, catalog hash, schemas."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_contract import payloads
from edge_contract.errors import PayloadError
from edge_contract.fields import PointNumber
from edge_contract.model import Quality
from edge_contract.payloads import (
    AMONG_CLOUDS,
    CONTROL,
    MAX_CONTROL_BYTES,
    PointEntry,
    Pulse,
    SlaveEntry,
    State,
    catalog_hash,
)

EXAMPLES = Path(__file__).parents[1] / "examples"
KINDS = {message.value.rpartition("/")[2]: kind for message, kind in CONTROL.items()} | AMONG_CLOUDS
VALID = sorted(EXAMPLES.glob("*/valid-*.json"))
INVALID = sorted(EXAMPLES.glob("*/invalid-*.json"))


def name(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def test_every_message_has_examples_of_both_sorts() -> None:
    assert {path.parent.name for path in VALID} == set(KINDS)
    assert {path.parent.name for path in INVALID} == set(KINDS)
    assert {path.with_suffix(".json") for path in EXAMPLES.glob("*/*.txt")} == set(INVALID)


@pytest.mark.clause("C-012")
@pytest.mark.parametrize("path", VALID, ids=name)
def test_valid_examples_survive_a_round_trip(path: Path) -> None:
    message = payloads.decode(KINDS[path.parent.name], path.read_bytes())
    again = payloads.encode(message)
    assert payloads.decode(type(message), again) == message
    assert json.loads(again).items() <= json.loads(path.read_bytes()).items()


@pytest.mark.clause("C-012")
@pytest.mark.parametrize("path", INVALID, ids=name)
def test_invalid_examples_name_the_field(path: Path) -> None:
    with pytest.raises(PayloadError) as caught:
        payloads.decode(KINDS[path.parent.name], path.read_bytes())
    assert caught.value.field == path.with_suffix(".txt").read_text(encoding="utf-8").strip()
    assert caught.value.rule


@pytest.mark.clause("C-012")
def test_unknown_fields_are_ignored() -> None:
    later = b'{"online":true,"boot":"0123456789abcdef","t_ms":1,"colour":{"deep":[1]}}'
    assert payloads.decode(State, later) == State(online=True, boot="0123456789abcdef", t_ms=1)


@pytest.mark.clause("C-015")
def test_size_of_a_control_message() -> None:
    start, end = b'{"online":true,"boot":"0123456789abcdef","t_ms":1,"x":"', b'"}'
    largest = start + b"a" * (MAX_CONTROL_BYTES - len(start) - len(end)) + end
    assert payloads.decode(State, largest).online
    with pytest.raises(PayloadError, match="at most 5242880 bytes"):
        payloads.decode(State, largest + b" ")


@given(st.sampled_from(sorted(KINDS)), st.binary(max_size=80))
@settings(max_examples=300, deadline=None)
def test_garbage_is_refused_by_the_contract_s_own_error(kind: str, garbage: bytes) -> None:
    with pytest.raises(PayloadError):
        payloads.decode(KINDS[kind], garbage)


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(PayloadError):
        payloads.decode(State, b'{"x":' + b"[" * 200_000)


@pytest.mark.clause("C-018")
def test_a_catalog_is_named_by_its_content_in_any_order() -> None:
    slaves = [
        SlaveEntry(name=n, title="", protocol="modbus_tcp", port="net1", address="1") for n in ("a", "b")
    ]
    points = [
        PointEntry(id=i, slave="a", name=f"p{i}", title="t", kind="num", rw="readonly", data_type="float")
        for i in (1, 2)
    ]
    named = catalog_hash(slaves, points)
    assert named == catalog_hash(slaves[::-1], points[::-1])
    assert named == "98614d231c441b0e"
    assert named != catalog_hash(slaves, points[:1])


@pytest.mark.clause("C-018")
def test_both_sides_name_a_catalog_alike() -> None:
    point = PointEntry(
        id=1, slave="a", name="p", title="t", kind="num", rw="readonly", data_type="int16", min=0, max=9
    )
    sent = payloads.Catalog(hash=catalog_hash([], [point]), t_ms=1, slaves=[], points=[point])
    received = payloads.decode(payloads.Catalog, payloads.encode(sent))
    assert catalog_hash(received.slaves, received.points) == sent.hash


@pytest.mark.clause("C-053")
def test_quality_numbers() -> None:
    assert [(quality.value, quality.name) for quality in Quality] == [
        (0, "GOOD"),
        (1, "NOT_YET_READ"),
        (2, "STALE"),
        (3, "BAD_FRAME"),
        (4, "OUT_OF_RANGE"),
        (5, "DEVICE_OFFLINE"),
        (6, "DEVICE_ERROR"),
        (7, "PORT_DOWN"),
        (8, "UNCERTAIN_TIME"),
    ]


def test_what_a_pulse_leaves_out_is_nothing() -> None:
    said = {
        "t_ms": 1, "boot": "00000000000000aa", "stream": "00000000000000bb", "next_seq": 1,
        "outbox_batches": 0, "outbox_bytes": 0, "hours_left": None, "evicted_batches": 0, "slaves": [],
    }  # fmt: skip
    pulse = msgspec.convert(said, Pulse)
    assert (pulse.evicted, pulse.dropped_samples, pulse.written_bytes_day) == ([], 0, None)
    assert (pulse.clock_set, pulse.configuration, pulse.takes_watch) == (True, None, False)
    assert (pulse.targets, pulse.fieldbus) == (None, None)


@pytest.mark.parametrize(("number", "fits"), [(0, False), (1, True), (2**31 - 1, True), (2**31, False)])
def test_numbers_of_points_are_positive_and_have_31_bits(number: int, fits: bool) -> None:
    if fits:
        assert msgspec.convert(number, PointNumber) == number
        return
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(number, PointNumber)
