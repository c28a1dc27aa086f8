"""What one configuration's gateway gives to a trace: frames of its ports, packets of its targets, signals."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from edge_agent.bus.trace import FrameTrace
from edge_agent.commissioning.target import protocol_on
from edge_agent.config.model import Configuration
from edge_agent.errors import ConfigError
from edge_agent.protocols import PROTOCOLS
from edge_agent.protocols.base import FieldProtocol
from edge_agent.signals import Signal
from edge_agent.system.clock import Clock
from edge_agent.trace.recorder import Noted, TraceRecorder
from edge_agent.trace.rendering import Renderer
from edge_agent.trace.secrets import known_secrets
from edge_agent.trace.signal_lines import SignalLines
from edge_contract.trace import TraceDirection, TraceReport, TraceRequest


class GatewayTrace:
    """forwarding.services.TraceService. ports: what each has seen, looked at only while somebody watches."""

    def __init__(
        self,
        configuration: Configuration,
        folder: Path,
        recorder: TraceRecorder,
        ports: Callable[[], Mapping[str, FrameTrace]],
        clock: Clock,
    ) -> None:
        self._configuration = configuration
        self._folder = folder
        self._recorder = recorder
        self._ports = ports
        self._clock = clock
        self._chunks: dict[str, int] = {}
        self._renderer: Renderer | None = None

    @property
    def changed(self) -> asyncio.Event:
        return self._recorder.changed

    @property
    def is_active(self) -> bool:
        return self._recorder.is_active

    def take(self, request: TraceRequest) -> None:
        """A trace begins with what the ports send and receive from now on."""
        if self._recorder.take(request):
            self._renderer = None  # a password may be another one
            self._chunks = {name: trace.chunks for name, trace in self._ports().items()}

    def packet(self, target: str, direction: TraceDirection, text: Callable[[], str]) -> None:
        """text is called only if the packet is sent to who watches."""
        if self.is_active:
            render = partial(self._rendering.packet, target, direction, text)
            self._recorder.note(Noted(self._clock.now_ms(), target, render))

    def signal(self, signal: Signal, text: str, t_ms: int | None = None) -> None:
        """t_ms: now unless given."""
        if self.is_active:
            render = partial(self._rendering.signal, signal, text)
            now_ms = self._clock.now_ms() if t_ms is None else t_ms
            self._recorder.note(Noted(now_ms, f"{signal.kind} {signal.source}", render))

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Lines of the log are signals meanwhile."""
        handler = SignalLines(self.signal, lambda: self.is_active)
        logging.getLogger().addHandler(handler)
        try:
            yield
        finally:
            logging.getLogger().removeHandler(handler)

    def reports(self) -> list[TraceReport]:
        """What is to be sent now; empty while nobody watches."""
        if not self.is_active:
            return self._recorder.reports()
        noted: list[Noted] = []
        lost = 0
        for name, trace in self._ports().items():
            new = trace.since(self._chunks.get(name, 0))
            self._chunks[name] = new.chunks
            lost += new.lost
            protocol = self._protocol_on(name)
            noted += [
                Noted(frame.t_ms, name, partial(self._rendering.frame, name, protocol, frame))
                for frame in new.frames
            ]
        return self._recorder.reports(noted, lost)

    @property
    def _rendering(self) -> Renderer:
        if self._renderer is None:
            self._renderer = Renderer(known_secrets(self._configuration, self._folder))
        return self._renderer

    def _protocol_on(self, port: str) -> FieldProtocol | None:
        with contextlib.suppress(ConfigError):
            return PROTOCOLS[protocol_on(self._configuration, port)]
        return None
