"""Lines of the agent's log as signals of a trace: those that say one, and every one from warning on."""

from __future__ import annotations

import logging
from collections.abc import Callable

from edge_agent.signals import ATTRIBUTE, Signal
from edge_contract.trace import TraceKind

Take = Callable[[Signal, str, int], None]
"""Signal, text, time in UTC milliseconds."""


class SignalLines(logging.Handler):
    """take: called from any thread. is_active: nothing is made of lines while nobody watches."""

    def __init__(self, take: Take, is_active: Callable[[], bool]) -> None:
        super().__init__(logging.INFO)
        self._take = take
        self._is_active = is_active

    def emit(self, record: logging.LogRecord) -> None:
        signal = getattr(record, ATTRIBUTE, None)
        if not self._is_active() or (signal is None and record.levelno < logging.WARNING):
            return
        if signal is None:
            source = record.name.removeprefix("edge_agent.")
            signal = Signal(TraceKind.LOG, record.levelname.lower(), source)
        try:
            text = record.getMessage()
        except (TypeError, ValueError):
            text = str(record.msg)
        self._take(signal, text, round(record.created * 1000))
