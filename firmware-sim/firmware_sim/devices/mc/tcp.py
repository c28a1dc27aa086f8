"""MC protocol over TCP: PLCs behind one port of loopback, told apart by the route of a request."""

from __future__ import annotations

from collections.abc import Mapping

from edge_agent.errors import BadFrame
from edge_agent.protocols.mc.codec import Frame, Route
from firmware_sim.devices.mc.plc import McPlc
from firmware_sim.lines.delivery import Delivery, Station
from firmware_sim.lines.tcp_listener import Master, TcpListener
from firmware_sim.served_values import ServedValuesLog

MAX_CONNECTIONS = 16

Plcs = Mapping[Route, tuple[Station, McPlc]]


class McConnection(Master):
    """One master. Who sends what is no frame is let go; a route that leads nowhere stays unanswered."""

    def __init__(self, server: McTcp) -> None:
        super().__init__(server.masters)
        self._server = server
        self._held = b""
        self._delivery = Delivery(self.write, server.served_log)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._delivery.close()

    def data_received(self, data: bytes) -> None:
        held, frame = self._held + data, self._server.frame
        try:
            while (size := frame.request_size(held)) is not None and len(held) >= size:
                wire, held = held[:size], held[size:]
                self._answer(wire)
        except BadFrame:
            self._server.bad_frames += 1
            self._held = b""
            self.close()
            return
        self._held = held

    def _answer(self, wire: bytes) -> None:
        frame = self._server.frame
        request = frame.decode_request(wire)
        addressed = self._server.plcs.get(request.route)
        if addressed is None:
            return
        station, plc = addressed
        self._delivery.send(station, wire, frame.encode_answer(request, plc.answer(request)), plc.served)


class McTcp(TcpListener):
    """One frame type and data code. plcs: station and PLC by the route that leads to it."""

    def __init__(self, port: int, frame: Frame, plcs: Plcs, served_log: ServedValuesLog | None) -> None:
        super().__init__("MC", port, MAX_CONNECTIONS, lambda: McConnection(self))
        self.frame = frame
        self.plcs = plcs
        self.served_log = served_log
