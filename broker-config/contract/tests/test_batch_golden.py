"""Golden bytes of format 1: golden/<case>.json holds the samples, golden/<case>.hex the batch."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import pytest

from edge_contract.batch import decode, encode
from edge_contract.model import Quality, Sample, rows_of

GOLDEN = Path(__file__).parent / "golden"
CASES = sorted(path.stem for path in GOLDEN.glob("*.json"))
FLAGS_AT, NUMBERS_AT, COMPRESSED = 3, 20, 1


def load(case: str) -> tuple[dict[str, Any], bytes]:
    content = json.loads((GOLDEN / f"{case}.json").read_text(encoding="utf-8"))
    return content, bytes.fromhex((GOLDEN / f"{case}.hex").read_text(encoding="ascii"))


def opened(payload: bytes) -> tuple[bytes, bytes]:
    """Header and inflated body."""
    end = NUMBERS_AT
    for _ in range(3):
        while payload[end] & 0x80:
            end += 1
        end += 1
    return payload[:end], zlib.decompress(payload[end:-4], -15)


def test_there_are_cases() -> None:
    assert len(CASES) >= 8
    assert sorted(path.stem for path in GOLDEN.glob("*.hex")) == CASES


@pytest.mark.clause("C-047", "C-042")
@pytest.mark.parametrize("case", CASES)
def test_bytes_of_format_1(case: str) -> None:
    content, golden = load(case)
    samples = [
        Sample(point, t_ms, value, Quality(quality)) for point, t_ms, value, quality in content["samples"]
    ]
    written = encode(content["stream"], content["seq"], content["catalog"], content["t_ms"], rows_of(samples))
    if golden[FLAGS_AT] & COMPRESSED:  # deflate libraries may choose other bytes for the same content
        assert opened(written) == opened(golden)
    else:
        assert written == golden


@pytest.mark.clause("C-047", "C-043")
@pytest.mark.parametrize("case", CASES)
def test_format_1_stays_readable(case: str) -> None:
    content, golden = load(case)
    header, columns = decode(golden)
    assert (header.stream, header.seq, header.catalog, header.t_ms) == (
        content["stream"],
        content["seq"],
        content["catalog"],
        content["t_ms"],
    )
    read = [
        [column.point, t_ms, value, quality]
        for column in columns
        for t_ms, value, quality in zip(column.t_ms, column.values, column.qualities, strict=True)
    ]
    wanted = sorted(content["samples"], key=lambda row: (row[0], row[1]))
    assert json.dumps(read) == json.dumps(wanted)  # as text: 7 is not 7.0
