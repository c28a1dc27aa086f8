"""An independent Modbus slave: libmodbus through ctypes, served by a thread."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import pty
import select
import shutil
import socket
import subprocess
import threading
import time
import tty
from collections.abc import Iterator
from pathlib import Path

START_TIMEOUT_S = 20.0
POLL_US = 50_000


class Mapping(ctypes.Structure):
    _fields_ = [
        *[
            (name, ctypes.c_int)
            for name in (
                "nb_bits", "start_bits", "nb_input_bits", "start_input_bits",
                "nb_input_registers", "start_input_registers", "nb_registers", "start_registers",
            )
        ],
        ("tab_bits", ctypes.POINTER(ctypes.c_uint8)),
        ("tab_input_bits", ctypes.POINTER(ctypes.c_uint8)),
        ("tab_input_registers", ctypes.POINTER(ctypes.c_uint16)),
        ("tab_registers", ctypes.POINTER(ctypes.c_uint16)),
    ]  # fmt: skip


def library() -> ctypes.CDLL:
    lib = ctypes.CDLL("libmodbus.so.5", use_errno=True)
    lib.modbus_new_tcp.restype = lib.modbus_new_rtu.restype = ctypes.c_void_p
    lib.modbus_mapping_new.restype = ctypes.POINTER(Mapping)
    lib.modbus_new_rtu.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_char, ctypes.c_int, ctypes.c_int]
    for name in ("modbus_receive", "modbus_reply", "modbus_tcp_accept", "modbus_set_slave", "modbus_connect",
                 "modbus_close", "modbus_free", "modbus_set_indication_timeout"):  # fmt: skip
        getattr(lib, name).argtypes = {
            "modbus_receive": [ctypes.c_void_p, ctypes.c_char_p],
            "modbus_reply": [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.POINTER(Mapping)],
            "modbus_tcp_accept": [ctypes.c_void_p, ctypes.POINTER(ctypes.c_int)],
            "modbus_set_slave": [ctypes.c_void_p, ctypes.c_int],
            "modbus_set_indication_timeout": [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32],
        }.get(name, [ctypes.c_void_p])
    return lib


class LibmodbusSlave:
    """registers etc. are its memory: 0X and 1X hold `size` bits, 3X and 4X `size` registers, from 0."""

    def __init__(self, size: int = 200) -> None:
        self.requests = 0
        self.delay_s = 0.0
        self._lib = library()
        self._mapping = self._lib.modbus_mapping_new(size, size, size, size)
        self._stop = threading.Event()
        memory = self._mapping.contents
        self.coils, self.inputs = memory.tab_bits, memory.tab_input_bits
        self.holding, self.input_registers = memory.tab_registers, memory.tab_input_registers

    @contextlib.contextmanager
    def tcp(self) -> Iterator[int]:
        """Serve one connection after the other; the port."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            context = self._lib.modbus_new_tcp(b"127.0.0.1", 0)
            with self._thread(lambda: self._accept(context, listener)):
                yield listener.getsockname()[1]
            self._lib.modbus_free(context)

    @contextlib.contextmanager
    def rtu(self, device: str, unit: int) -> Iterator[None]:
        context = self._lib.modbus_new_rtu(device.encode(), 115200, b"N", 8, 1)
        self._lib.modbus_set_slave(context, unit)
        assert self._lib.modbus_connect(context) == 0
        with self._thread(lambda: self._serve(context)):
            yield
        self._lib.modbus_close(context)
        self._lib.modbus_free(context)

    @contextlib.contextmanager
    def _thread(self, work: object) -> Iterator[None]:
        thread = threading.Thread(target=work, daemon=True)  # type: ignore[arg-type]
        thread.start()
        try:
            yield
        finally:
            self._stop.set()
            thread.join(START_TIMEOUT_S)

    def _accept(self, context: int, listener: socket.socket) -> None:
        handle = ctypes.c_int(listener.fileno())
        while not self._stop.is_set():
            if select.select([listener], [], [], 0.05)[0]:
                self._lib.modbus_tcp_accept(context, ctypes.byref(handle))
                self._serve(context)
                self._lib.modbus_close(context)

    def _serve(self, context: int) -> None:
        self._lib.modbus_set_indication_timeout(context, 0, POLL_US)
        query = ctypes.create_string_buffer(260)
        while not self._stop.is_set():
            length = self._lib.modbus_receive(context, query)
            if length > 0:
                self.requests += 1
                time.sleep(self.delay_s)
                self._lib.modbus_reply(context, query, length, self._mapping)
            elif length < 0 and ctypes.get_errno() in (errno.ECONNRESET, errno.EBADF, errno.EPIPE):
                return


@contextlib.contextmanager
def line_without(unit: int) -> Iterator[tuple[str, str]]:
    """Two joined serial devices; frames to one unit never reach the far end.

    libmodbus takes the frame after a request to another unit for that unit's answer, so it must not hear
    requests that nobody answers.
    """
    pairs = [pty.openpty(), pty.openpty()]
    masters = [master for master, _ in pairs]
    for master, slave in pairs:
        tty.setraw(master)
        tty.setraw(slave)
    stop = threading.Event()

    def copy() -> None:
        while not stop.is_set():
            for source in select.select(masters, [], [], 0.05)[0]:
                data = os.read(source, 1024)
                if source == masters[1] or data[0] != unit:
                    os.write(masters[1] if source == masters[0] else masters[0], data)

    thread = threading.Thread(target=copy, daemon=True)
    thread.start()
    yield os.ttyname(pairs[0][1]), os.ttyname(pairs[1][1])
    stop.set()
    thread.join(START_TIMEOUT_S)
    for handles in pairs:
        for handle in handles:
            os.close(handle)


@contextlib.contextmanager
def serial_pair(folder: Path) -> Iterator[tuple[str, str]]:
    """Two joined serial devices."""
    program = shutil.which("socat")
    assert program, "socat is needed"
    ends = [str(folder / name) for name in ("near", "far")]
    process = subprocess.Popen([program, *(f"pty,raw,echo=0,link={end}" for end in ends)])
    try:
        until = time.monotonic() + START_TIMEOUT_S
        while not all(Path(end).exists() for end in ends):
            assert time.monotonic() < until, "socat made no devices"
            time.sleep(0.01)
        yield ends[0], ends[1]
    finally:
        process.terminate()
        process.wait(START_TIMEOUT_S)
