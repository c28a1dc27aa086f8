"""What decoders of a serial line's bytes have in common."""

from __future__ import annotations


class LineDecoder:
    """Counters, and the beginning of a frame that is not complete yet. feed() is each protocol's own."""

    def __init__(self) -> None:
        self.checksum_errors = 0
        self.discarded_bytes = 0
        self._held = b""

    @property
    def pending(self) -> int:
        """Bytes held of a frame that is not complete yet."""
        return len(self._held)

    def reset(self) -> None:
        """Drop a frame that is not complete; the counters stay, and its bytes count as discarded."""
        self.discarded_bytes += len(self._held)
        self._held = b""
