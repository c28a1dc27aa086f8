"""An FX controller at its programming port: classic and extended commands on its memory. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from edge_agent.errors import BadFrame
from edge_agent.protocols.fx.codec import ACK, ENQ, NAK, Request, Token, decode, digits_of, framed
from firmware_sim.devices.fx.cells import FxCell, FxModel
from firmware_sim.devices.fx.memory import FxMemory, NoSuchMemory
from firmware_sim.plc.mitsubishi_memory import Served
from firmware_sim.process.process import Process

ACKED, NAKED = bytes((ACK,)), bytes((NAK,))


class FxPlc:
    """One controller. served: what counters went out in the last answer."""

    def __init__(
        self,
        name: str,
        model: FxModel,
        cells: Sequence[FxCell],
        process: Process,
        *,
        seed: int = 0,
        resume: Callable[[str], int] = lambda name: 0,
    ) -> None:
        self.served: list[Served] = []
        self._memory = FxMemory(name, model, cells, process, seed=seed, resume=resume)
        self.refresh = self._memory.refresh
        self.restart = self._memory.restart

    def answer(self, token: Token) -> bytes | None:
        """Wire bytes of the answer to ENQ or to a frame's digits; None to what needs none."""
        self.served = []
        if isinstance(token, int):
            return ACKED if token == ENQ else None
        try:
            return self._answer(decode(token))
        except (BadFrame, NoSuchMemory):
            return NAKED

    def _answer(self, request: Request) -> bytes:
        """NoSuchMemory also for the program memory, which nothing stands in here."""
        if request.operation == "speed":
            return ACKED  # a pseudo terminal takes any
        if request.memory != "device":
            raise NoSuchMemory
        if request.operation == "read":
            data, self.served = self._memory.read(request.set, request.address, request.count)
            return framed(digits_of(data))
        if request.operation == "write":
            self._memory.write(request.set, request.address, request.data)
        else:
            self._memory.force(request.set, request.address, request.operation == "force_on")
        return ACKED
