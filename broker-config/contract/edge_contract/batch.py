"""The sample batch: compact, columnar, self-checking. Layout: CONTRACT.md, clause C-020 and following."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from edge_contract.model import Sample, Value


@dataclass(frozen=True)
class Header:
    """Identity and provenance of a batch; readable without decoding the samples."""

    stream: str  # 16 hexadecimal digits
    seq: int  # from 1, without holes
    catalog: str  # 16 hexadecimal digits: the catalog that the point numbers refer to
    t_ms: int  # when the gateway closed the batch
    samples: int  # how many it holds


def encode(stream: str, seq: int, catalog: str, t_ms: int, samples: Sequence[Sample]) -> bytes:
    """Bytes of a batch; BatchError when empty, too many or too large (limits.py)."""
    raise NotImplementedError


def read_header(payload: bytes) -> Header:
    """Check magic, version, length and checksum, and read the header; BatchError otherwise."""
    raise NotImplementedError


@dataclass(frozen=True)
class Column:
    """All samples of one point in a batch, by rising time. The four sequences are equally long."""

    point: int
    t_ms: Sequence[int]
    values: Sequence[Value]
    qualities: Sequence[int]


def decode(payload: bytes) -> tuple[Header, list[Column]]:
    """Header and columns by rising point number; BatchError on anything malformed."""
    raise NotImplementedError
