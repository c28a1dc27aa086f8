"""Mitsubishi PLCs of a plant on Ethernet, behind frames 1E or 3E."""

from __future__ import annotations

from edge_agent.protocols.mc.codec import Frame, Route
from edge_agent.protocols.mc.frame_1e import Frame1E
from edge_agent.protocols.mc.frame_3e import Frame3E
from firmware_sim.devices.base import DeviceKind, LineKind
from firmware_sim.devices.line_setup import LineSetup
from firmware_sim.devices.mc.description import McDevice
from firmware_sim.devices.mc.framing import FRAMING_1E, FRAMING_3E
from firmware_sim.devices.mc.plc import McPlc
from firmware_sim.devices.mc.tcp import McTcp

CODES = ("binary", "ascii")


def _tcp(setup: LineSetup[McDevice], frame: Frame) -> McTcp:
    plcs = {}
    for device in setup.devices:
        plc = McPlc(
            device.name, device.model, device.cells, setup.process,
            seed=setup.seed, resume=setup.resume(device),
        )  # fmt: skip
        station = setup.add(device, plc.refresh, plc.restart)
        plcs[Route(network=device.network, pc=device.pc)] = (station, plc)
    return McTcp(setup.port, frame, plcs, setup.served_log)


def _tcp_1e(setup: LineSetup[McDevice]) -> McTcp:
    return _tcp(setup, Frame1E(setup.code))


def _tcp_3e(setup: LineSetup[McDevice]) -> McTcp:
    return _tcp(setup, Frame3E(setup.code))


MC = DeviceKind(
    McDevice,
    (LineKind("mc_1e", FRAMING_1E, _tcp_1e, CODES), LineKind("mc_3e", FRAMING_3E, _tcp_3e, CODES)),
)
