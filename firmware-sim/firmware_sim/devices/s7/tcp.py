"""ISO-on-TCP: PLCs behind one port of loopback, told apart by the TSAP that is called."""

from __future__ import annotations

from collections.abc import Mapping

from edge_agent.errors import BadFrame
from edge_agent.protocols.s7 import iso
from firmware_sim.lines.delivery import Delivery, Station
from firmware_sim.lines.tcp_listener import Master, TcpListener
from firmware_sim.plc.siemens import S7Plc, S7Session
from firmware_sim.served_values import ServedValuesLog

MAX_CONNECTIONS = 32

Plcs = Mapping[int, tuple[Station, S7Plc]]


class S7Connection(Master):
    """One master. Who calls a TSAP that nobody has is let go, as PLCs do."""

    def __init__(self, server: S7Tcp) -> None:
        super().__init__(server.masters)
        self._server = server
        self._decoder = iso.Decoder()
        self._delivery = Delivery(self.write, server.served_log)
        self._called: tuple[Station, S7Session] | None = None

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._delivery.close()

    def data_received(self, data: bytes) -> None:
        try:
            packets = self._decoder.feed(data)
        except BadFrame:
            self._server.bad_frames += 1
            self.close()
            return
        for packet in packets:
            if isinstance(packet, iso.Connect):
                self._connect(packet)
            elif self._called is not None:
                self._serve(packet, *self._called)

    def _connect(self, request: iso.Connect) -> None:
        called = None if request.called is None else self._server.plcs.get(request.called)
        if request.code != iso.REQUEST or called is None:
            self.close()
            return
        station, plc = called
        self._called = station, plc.session()
        confirm = iso.Connect(iso.CONFIRM, request.calling, request.called)
        answer = iso.encode_connect(confirm, destination=1, source=2)
        self._delivery.send(station, iso.encode_connect(request), answer)

    def _serve(self, pdu: bytes, station: Station, session: S7Session) -> None:
        answer = session.answer(pdu)
        if answer is not None:
            self._delivery.send(station, iso.encode_data(pdu), iso.encode_data(answer))


class S7Tcp(TcpListener):
    """plcs: station and PLC by the TSAP that reaches it."""

    def __init__(self, port: int, plcs: Plcs, served_log: ServedValuesLog | None) -> None:
        super().__init__("S7", port, MAX_CONNECTIONS, lambda: S7Connection(self))
        self.plcs = plcs
        self.served_log = served_log
