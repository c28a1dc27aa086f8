"""Value vectors of a batch: columns of one form share arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import accumulate, chain, groupby, islice
from math import isfinite
from typing import Any

from edge_contract._dense import Singles
from edge_contract._forms import CLASS_OF, HUGE_CLASS, WIDTHS, Form, ValueKind, plan
from edge_contract._packing import SIGNED, TOO_WIDE, Reader, Writer, signed_width
from edge_contract.dense import SCALES
from edge_contract.errors import BatchError
from edge_contract.model import Value

_DETAILED = frozenset({ValueKind.INT.value, ValueKind.DECIMAL.value})


def write_form(writer: Writer, form: Form) -> None:
    """One byte, and a second one for INT and DECIMAL."""
    writer.byte(form.kind)
    if form.kind in (ValueKind.INT, ValueKind.DECIMAL):
        writer.byte(form.decimals | WIDTHS.index(form.width) << 3 | form.delta << 6)


def write_columns(writer: Writer, form: Form, columns: Sequence[Sequence[Any]]) -> None:
    """Columns of one form, as plan_columns() gave them, one after the other."""
    if isinstance(columns, Singles):
        writer.array(columns.flat)
        return
    flat = list(chain.from_iterable(columns))
    match form.kind:
        case ValueKind.INT | ValueKind.DECIMAL:
            if form.delta:
                writer.packed([column[0] for column in columns])
                flat = list(chain.from_iterable(column[1:] for column in columns))
            if form.width:
                writer.elements(SIGNED[form.width], flat)
        case ValueKind.FLOAT32 | ValueKind.FLOAT64:
            writer.elements("f" if form.kind is ValueKind.FLOAT32 else "d", flat)
        case ValueKind.UINT64:
            writer.elements("Q", flat)
        case ValueKind.BOOL:
            bits = int(bytes(flat).translate(b"01".ljust(256)), 2)
            writer.data += bits.to_bytes((len(flat) + 7) // 8, "little")
        case ValueKind.TEXT:
            _write_texts(writer, flat)
        case ValueKind.MIXED:
            _write_mixed(writer, flat)
        case ValueKind.NONE:
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
    return _form(number, reader.byte() if number in _DETAILED else 0)


@lru_cache(maxsize=2 * 256)
def _form(number: int, detail: int) -> Form:
    if number > ValueKind.MIXED:
        raise BatchError("kind", f"0 to {ValueKind.MIXED.value}")
    kind = ValueKind(number)
    if number not in _DETAILED:
        return Form(kind)
    decimals, width = detail & 7, detail >> 3 & 7
    if (
        detail > 0x7F
        or decimals >= len(SCALES)
        or width >= len(WIDTHS)
        or (decimals and kind is ValueKind.INT)
    ):
        raise BatchError("form", "decimals 0 to 6 (0 for an integer), width 0, 1, 2, 4 or 8")
    return Form(kind, decimals, WIDTHS[width], bool(detail & 0x40))


def read_values(reader: Reader, form: Form, lengths: Sequence[int]) -> list[Value]:
    """Values of columns of the given lengths, one column after the other. Each length is at least 1 and the
    caller has bounded their sum. Raises BatchError.
    """
    if form.kind in (ValueKind.INT, ValueKind.DECIMAL):
        return _read_numbers(reader, form, lengths)
    total = sum(lengths)
    match form.kind:
        case ValueKind.FLOAT32 | ValueKind.FLOAT64:
            numbers = list(reader.elements("f" if form.kind is ValueKind.FLOAT32 else "d", total))
            if not all(map(isfinite, numbers)):
                raise BatchError("value", "a number must be finite")
            return list[Value](numbers)
        case ValueKind.UINT64:
            return list[Value](reader.elements("Q", total))
        case ValueKind.BOOL:
            return _read_bools(reader, total)
        case ValueKind.TEXT:
            return _read_texts(reader, total)
        case ValueKind.MIXED:
            return _read_mixed(reader, total)
        case _:
            return [None] * total


def _read_numbers(reader: Reader, form: Form, lengths: Sequence[int]) -> list[Value]:
    firsts = reader.packed("value", len(lengths)) if form.delta else []
    total = sum(lengths) - len(firsts)
    flat: Any = reader.elements(SIGNED[form.width], total) if form.width else [0] * total
    if form.delta:
        steps, numbers = iter(flat), list[Any]()
        for first, length in zip(firsts, lengths, strict=True):
            numbers += accumulate(islice(steps, length - 1), initial=first)
        if signed_width(min(numbers), max(numbers)) == TOO_WIDE:
            raise BatchError("value", "an integer must fit 64 bits")
        flat = numbers
    if form.kind is ValueKind.DECIMAL:
        scale = SCALES[form.decimals]
        return [integer / scale for integer in flat]
    return list(flat)


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
        if form.kind is ValueKind.MIXED:
            raise BatchError("kind", "a mixed vector must not hold a mixed vector")
        length = sum(length for number, length in runs if number == wanted)
        parts[wanted] = iter(read_values(reader, form, [length]))
    return [next(parts[number]) for number, length in runs for _ in range(length)]  # type: ignore[call-overload]
