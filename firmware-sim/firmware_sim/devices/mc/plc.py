"""A Mitsubishi PLC as the MC protocol sees it: batch reads, batch writes and its model. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from edge_agent.protocols.mc.codec import Answer, Request
from edge_agent.protocols.mc.tables import Area, of_code
from firmware_sim.devices.mc.cells import McCell, McModel, frame_of, last_of
from firmware_sim.devices.mc.memory import McMemory, NoSuchDevice
from firmware_sim.plc.mitsubishi_memory import Served
from firmware_sim.process.process import Process

MODEL_BYTES = {
    "FX3U": b"\xf3\x00",
    "FX5": b"FX5U-32MR/ES    \x21\x4a",
    "Q": b"Q03UDECPU       \x68\x02",
    "L": b"L02CPU          \x41\x05",
    "iQ-R": b"R04CPU          \x00\x48",
}

WORD_BITS = 16
POINTS, DEVICE, RANGE, UNIT = "points", "device", "range", "unit"
END_CODES = {
    "1e": {POINTS: 0x57, DEVICE: 0x56, RANGE: 0x58, UNIT: 0x58},
    "3e": {POINTS: 0xC051, DEVICE: 0xC05B, RANGE: 0xC056, UNIT: 0xC05C},
}

MAX_WORDS = {"1e": 64, "3e": 960}
MAX_BITS = {("1e", "read"): 256, ("1e", "write"): 160, ("3e", "read"): 3584, ("3e", "write"): 3584}
MAX_BIT_WORDS = {("1e", "read"): 32, ("1e", "write"): 10, ("3e", "read"): 960, ("3e", "write"): 960}
"""Words of bit devices."""


class EndCodeRefusal(Exception):
    """The PLC answers with an end code; args: which kind."""


class McPlc:
    """One PLC. served: what counters went out in the last answer."""

    def __init__(
        self,
        name: str,
        model: McModel,
        cells: Sequence[McCell],
        process: Process,
        *,
        seed: int = 0,
        resume: Callable[[str], int] = lambda name: 0,
    ) -> None:
        self.served: list[Served] = []
        self._model = model
        self._frame = frame_of(model)
        self._memory = McMemory(name, model, cells, process, seed=seed, resume=resume)
        self.refresh = self._memory.refresh
        self.restart = self._memory.restart

    def answer(self, request: Request) -> Answer:
        self.served = []
        if request.command == "model":
            return Answer(data=MODEL_BYTES[self._model])
        try:
            area = self._area(request)
            if area.bit and not request.bits:
                return self._bits_as_words(area, request)
            size = request.count if area.bit else 2 * request.count
            if request.command == "write":
                self._memory.write(area, request.start, request.data)
                return Answer()
            data, self.served = self._memory.read(area, request.start, size)
            return Answer(data=data)
        except NoSuchDevice:
            return Answer(END_CODES[self._frame][RANGE])
        except EndCodeRefusal as refused:
            return Answer(END_CODES[self._frame][str(refused)])

    def _area(self, request: Request) -> Area:
        """Where the request begins. Raises EndCodeRefusal."""
        known = of_code(self._frame, request.device)
        if not known:
            raise EndCodeRefusal(DEVICE)
        if request.bits and not known[0].bit:
            raise EndCodeRefusal(UNIT)
        kind = (self._frame, request.command)
        max_count = MAX_WORDS[self._frame]
        if known[0].bit:
            max_count = MAX_BITS[kind] if request.bits else MAX_BIT_WORDS[kind]
        if not 1 <= request.count <= max_count:
            raise EndCodeRefusal(POINTS)
        for area in known:
            if area.first <= request.start <= last_of(self._model, area):
                if request.count % area.words:
                    raise EndCodeRefusal(POINTS)
                return area
        raise EndCodeRefusal(RANGE)

    def _bits_as_words(self, area: Area, request: Request) -> Answer:
        """Sixteen devices a word, the first one lowest; 1E wants the head at a multiple of 16."""
        if self._frame == "1e" and request.start % WORD_BITS:
            raise EndCodeRefusal(RANGE)
        size = request.count * WORD_BITS
        if request.command == "write":
            packed = int.from_bytes(request.data, "little")
            self._memory.write(area, request.start, bytes(packed >> at & 1 for at in range(size)))
            return Answer()
        bits, self.served = self._memory.read(area, request.start, size)
        packed = sum(bit << at for at, bit in enumerate(bits))
        return Answer(data=packed.to_bytes(size // 8, "little"))
