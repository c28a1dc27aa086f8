"""The served-values log: what the plant answered, value by value, as the reference of system tests."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

import msgspec

from firmware_sim.errors import StartError


class Row(msgspec.Struct, frozen=True, omit_defaults=True):
    """One value that left, or that was written. t_ms: UTC milliseconds since 1970."""

    t_ms: int
    device: str
    register: str
    value: int
    written: bool = False


def now_ms() -> int:
    """UTC milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class ServedValuesLog:
    """JSON lines {"t_ms", "device", "register", "value"}, appended without a buffer; "written" for a write.

    A run that goes on with an old file goes on with its counters, so that a value never stands for two
    samples.
    """

    def __init__(self, path: Path, clock_ms: Callable[[], int] = now_ms) -> None:
        self._clock_ms = clock_ms
        try:
            self._last = _last_values(path)
            self._file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except (OSError, ValueError, msgspec.MsgspecError) as error:
            raise StartError(f"ledger {path}: {error}") from None

    def last(self, device: str, register: str) -> int:
        """Last value that an earlier run noted; 0 when there is none."""
        return self._last.get((device, register), 0)

    def note(self, device: str, values: Sequence[tuple[str, int]], *, written: bool = False) -> None:
        """Append one line a value. Raises OSError when the medium refuses: then the answer must not leave."""
        t_ms = self._clock_ms()
        lines = b"".join(
            msgspec.json.encode(Row(t_ms, device, register, value, written)) + b"\n"
            for register, value in values
        )
        while lines:
            lines = lines[os.write(self._file, lines) :]

    def close(self) -> None:
        os.close(self._file)

    def __enter__(self) -> ServedValuesLog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _last_values(path: Path) -> dict[tuple[str, str], int]:
    if not path.exists():
        return {}
    text = path.read_bytes()
    if text and not text.endswith(b"\n"):
        raise ValueError("its last line is not whole")
    rows = msgspec.json.Decoder(Row).decode_lines(text)
    return {(row.device, row.register): row.value for row in rows if not row.written}
