"""Value vectors of a batch: columns of one form share arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, chain, groupby
from math import isfinite
from typing import Any

from edge_contract._dense import Singles
from edge_contract._forms import CLASS_OF, HUGE_CLASS, WIDTHS, Form, Kind, plan
from edge_contract._packing import SIGNED, TOO_WIDE, Reader, Writer, signed_width
from edge_contract.dense import SCALES
from edge_contract.errors import BatchError
from edge_contract.model import Value


def write_form(writer: Writer, form: Form) -> None:
    """One byte, and a second one for INT and DECIMAL."""
    writer.byte(form.kind)
    if form.kind in (Kind.INT, Kind.DECIMAL):
        writer.byte(form.decimals | WIDTHS.index(form.width) << 3 | form.delta << 6)


def write_columns(writer: Writer, form: Form, columns: Sequence[Sequence[Any]]) -> None:
    """Columns of one form, as plan_columns() gave them, one after the other."""
    if isinstance(columns, Singles):
        writer.array(columns.flat)
        return
    flat = list(chain.from_iterable(columns))
    match form.kind:
        case Kind.INT | Kind.DECIMAL:
            if form.delta:
                writer.packed([column[0] for column in columns])
                flat = list(chain.from_iterable(column[1:] for column in columns))
            if form.width:
                writer.elements(SIGNED[form.width], flat)
        case Kind.FLOAT32 | Kind.FLOAT64:
            writer.elements("f" if form.kind is Kind.FLOAT32 else "d", flat)
        case Kind.UINT64:
            writer.elements("Q", flat)
        case Kind.BOOL:
            bits = int(bytes(flat).translate(b"01".ljust(256)), 2)
            writer.data += bits.to_bytes((len(flat) + 7) // 8, "little")
        case Kind.TEXT:
            _write_texts(writer, flat)
        case Kind.MIXED:
            _write_mixed(writer, flat)
        case Kind.NONE:
            pass


def _write_texts(writer: Writer, texts: Iterable[str]) -> None:
    try:
        encoded = [text.encode() for text in texts]
    except UnicodeEncodeError:
        raise BatchError("value", "a text must be valid Unicode") from None
    writer.packed([len(text) for text in encoded])
    writer.data += b"".join(encoded)


def _write_mixed(writer: Writer, values: list[Any]) -> None:
    """Runs of value classes, then one vector for each class that occurs."""
    classes = [CLASS_OF[type(value)] for value in values]
    classes = [
        HUGE_CLASS if number == 2 and value >= 2**63 else number
        for number, value in zip(classes, values, strict=True)
    ]
    for number, run in groupby(classes):
        writer.byte(number)
        writer.varint(sum(1 for _ in run))
    for wanted in sorted(set(classes)):
        part = [value for number, value in zip(classes, values, strict=True) if number == wanted]
        form, planned = plan(part)
        write_form(writer, form)
        write_columns(writer, form, [planned])


def read_form(reader: Reader) -> Form:
    """Inverse of write_form. Raises BatchError."""
    number = reader.byte()
    if number > Kind.MIXED:
        raise BatchError("kind", f"0 to {Kind.MIXED.value}")
    kind = Kind(number)
    if kind not in (Kind.INT, Kind.DECIMAL):
        return Form(kind)
    detail = reader.byte()
    decimals, width = detail & 7, detail >> 3 & 7
    if detail > 0x7F or decimals >= len(SCALES) or width >= len(WIDTHS) or (decimals and kind is Kind.INT):
        raise BatchError("form", "decimals 0 to 6 (0 for an integer), width 0, 1, 2, 4 or 8")
    return Form(kind, decimals, WIDTHS[width], bool(detail & 0x40))


def read_columns(reader: Reader, form: Form, lengths: Sequence[int]) -> list[list[Value]]:
    """Columns of the given lengths, each at least 1; the caller has bounded their sum. Raises BatchError."""
    if form.kind in (Kind.INT, Kind.DECIMAL):
        return _read_numbers(reader, form, lengths)
    total = sum(lengths)
    flat: list[Value]
    match form.kind:
        case Kind.FLOAT32 | Kind.FLOAT64:
            flat = list(reader.elements("f" if form.kind is Kind.FLOAT32 else "d", total))
            if not all(map(isfinite, flat)):  # type: ignore[arg-type]
                raise BatchError("value", "a number must be finite")
        case Kind.UINT64:
            flat = list(reader.elements("Q", total))
        case Kind.BOOL:
            flat = _read_bools(reader, total)
        case Kind.TEXT:
            flat = _read_texts(reader, total)
        case Kind.MIXED:
            flat = _read_mixed(reader, total)
        case _:
            flat = [None] * total
    return split(flat, lengths)


def split(flat: list[Any], lengths: Sequence[int]) -> list[list[Any]]:
    """Cut a list into pieces of these lengths."""
    if len(flat) == len(lengths) and min(lengths, default=1) == 1:
        return [[value] for value in flat]
    ends = accumulate(lengths)
    return [flat[end - length : end] for end, length in zip(ends, lengths, strict=True)]


def _read_numbers(reader: Reader, form: Form, lengths: Sequence[int]) -> list[list[Value]]:
    firsts = reader.packed("value", len(lengths)) if form.delta else []
    written = [length - 1 for length in lengths] if form.delta else list(lengths)
    total = sum(written)
    flat: list[Any] = list(reader.elements(SIGNED[form.width], total)) if form.width else [0] * total
    if form.kind is Kind.DECIMAL and not form.delta:
        scale = SCALES[form.decimals]
        return split([integer / scale for integer in flat], written)
    columns = split(flat, written)
    if form.delta:
        columns = [list(accumulate([first, *rest])) for first, rest in zip(firsts, columns, strict=True)]
        if any(signed_width(min(column), max(column)) == TOO_WIDE for column in columns):
            raise BatchError("value", "an integer must fit 64 bits")
    if form.kind is Kind.DECIMAL:
        scale = SCALES[form.decimals]
        return [[integer / scale for integer in column] for column in columns]
    return columns


def _read_bools(reader: Reader, total: int) -> list[Value]:
    bits = int.from_bytes(reader.take((total + 7) // 8), "little")
    if bits >> total:
        raise BatchError("value", "unused bits must be zero")
    return [bit == "1" for bit in f"{bits:0{total}b}"]


def _read_texts(reader: Reader, total: int) -> list[Value]:
    lengths = reader.packed("value", total)
    if min(lengths) < 0:
        raise BatchError("value", "the length of a text must not be negative")
    try:
        return [reader.take(length).decode() for length in lengths]
    except UnicodeDecodeError:
        raise BatchError("value", "a text must be UTF-8") from None


def _read_mixed(reader: Reader, total: int) -> list[Value]:
    runs: list[tuple[int, int]] = []
    rest = total
    while rest:
        number, length = reader.byte(), reader.varint("run", rest)
        if number > HUGE_CLASS or not length:
            raise BatchError("run", f"class 0 to {HUGE_CLASS}, length at least 1")
        runs.append((number, length))
        rest -= length
    parts: dict[int, Iterable[Value]] = {}
    for wanted in sorted({number for number, _ in runs}):
        form = read_form(reader)
        if form.kind is Kind.MIXED:
            raise BatchError("kind", "a mixed vector must not hold a mixed vector")
        (part,) = read_columns(reader, form, [sum(length for number, length in runs if number == wanted)])
        parts[wanted] = iter(part)
    return [next(parts[number]) for number, length in runs for _ in range(length)]  # type: ignore[call-overload]
