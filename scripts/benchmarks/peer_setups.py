"""Configurations of peers for the work that the agent is measured at: float32 points, JSON by name, QoS 0.

Each is the best that was found: thingsboard-gateway with one wide range a slave and no rate limit; Node-RED
in a closed loop without its command queue where it shall be fast, with one reading node a slave where it is
paced.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MAX_REGISTERS = 124
NO_LIMIT = "0:0,"
LIMITS = ("", "dp", "messages", "deviceMessages", "device", "deviceDp")
START_S = 3


@dataclass(frozen=True)
class Work:
    """Slaves with float32 points from register 0. period_s: 0 is as fast as they answer."""

    ports: Sequence[int]
    points: int
    period_s: float
    broker: int


def thingsboard(work: Work, folder: Path) -> None:
    """Writes thingsboard-gateway's configuration folder.

    minPackSendDelayMS 0 would be a busy loop. Faster than it can follow, its throughput falls to a quarter:
    where the work is as fast as possible it polls once a second, what costs it the least a point.
    """
    gateway = {
        "thingsboard": {
            "host": "127.0.0.1",
            "port": work.broker,
            "remoteShell": False,
            "remoteConfiguration": False,
            "statistics": {"enable": False, "statsSendPeriodInSeconds": 3600},
            "maxPayloadSizeBytes": 65_000,
            "minPackSendDelayMS": 50,
            "minPackSizeToSend": 500,
            "checkConnectorsConfigurationInSeconds": 3600,
            "handleDeviceRenaming": False,
            "security": {"type": "accessToken", "accessToken": "none"},
            "qos": 0,
            "reportStrategy": {"type": "ON_RECEIVED"},
            **{f"{kind}RateLimits" if kind else "rateLimits": NO_LIMIT for kind in LIMITS},
        },
        "storage": {"type": "memory", "read_records_count": 1000, "max_records_count": 100_000},
        "grpc": {"enabled": False},
        "connectors": [{"type": "modbus", "name": "modbus", "configuration": "modbus.json"}],
    }
    series = {
        "tag": "p${address}",
        "type": "32float",
        "functionCode": 3,
        "objectsCount": 2,
        "address": f"0-{2 * work.points - 1}",
        "maxRegistersPerRequest": MAX_REGISTERS,
    }
    slaves = [
        {
            "host": "127.0.0.1",
            "port": port,
            "type": "tcp",
            "method": "socket",
            "unitId": 1,
            "deviceName": f"s{number}",
            "deviceType": "default",
            "timeout": 5,
            "byteOrder": "BIG",
            "wordOrder": "BIG",
            "retries": 1,
            "pollPeriod": round(1000 * (work.period_s or 1)),
            "connectAttemptTimeMs": 1000,
            "connectAttemptCount": 5,
            "waitAfterFailedAttemptsMs": 1000,
            "timeseries": [series],
            "attributes": [],
            "attributeUpdates": [],
            "rpc": [],
        }
        for number, port in enumerate(work.ports)
    ]
    modbus = {"master": {"slaves": slaves}, "logLevel": "ERROR", "name": "modbus", "configVersion": "3.8.5"}
    logs = {
        "version": 1,
        "disable_existing_loggers": False,
        "handlers": {"consoleHandler": {"class": "logging.StreamHandler", "stream": "ext://sys.stdout"}},
        "root": {"level": "ERROR", "handlers": ["consoleHandler"]},
    }
    for name, content in (("tb_gateway", gateway), ("modbus", modbus), ("logs", logs)):
        (folder / f"{name}.json").write_text(json.dumps(content))


def node_red(work: Work, folder: Path, port: int) -> None:
    """Writes Node-RED's user folder. port: free, for the HTTP server that it opens all the same."""
    registers = 2 * work.points
    blocks = [(start, min(MAX_REGISTERS, registers - start)) for start in range(0, registers, MAX_REGISTERS)]
    if work.period_s and len(blocks) > 1:
        raise ValueError(f"points: a paced slave must fit one request, {work.points} do not")
    nodes: list[dict[str, Any]] = [
        {"id": "flow", "type": "tab", "label": "flow"},
        {
            "id": "broker",
            "type": "mqtt-broker",
            "broker": "127.0.0.1",
            "port": work.broker,
            "autoConnect": True,
            "protocolVersion": "4",
            "keepalive": 60,
            "cleansession": True,
        },
    ]
    for number, slave in enumerate(work.ports):
        nodes += [_client(number, slave, queued=bool(work.period_s)), _out(number)]
        nodes += _paced(number, work) if work.period_s else _looped(number, blocks)
    (folder / "flows.json").write_text(json.dumps(nodes))
    settings = {
        "uiHost": "127.0.0.1",
        "uiPort": port,
        "flowFile": "flows.json",
        "credentialSecret": False,
        "httpAdminRoot": False,
        "httpNodeRoot": False,
        "telemetry": {"enabled": False, "updateNotification": False},
        "logging": {"console": {"level": "warn", "metrics": False, "audit": False}},
        "externalModules": {"autoInstall": False},
        "runtimeState": {"enabled": False},
    }
    (folder / "settings.js").write_text(f"module.exports = {json.dumps(settings)};")


QUIET = {
    "showStatusActivities": False,
    "showErrors": False,
    "showWarnings": False,
    "logIOActivities": False,
    "useIOFile": False,
    "useIOForPayload": False,
    "emptyMsgOnFail": False,
    "delayOnStart": False,
}

TAKE = """
const data = msg.responseBuffer.buffer || msg.responseBuffer;
for (let at = 0; at < data.length; at += 4) values["p" + (first + at / 4)] = data.readFloatBE(at);
"""

STEP = """
const blocks = %s;
let block = context.get("block") || 0;
const values = block ? context.get("values") : {};
const first = blocks[block][0] / 2;
%s
block = (block + 1) %% blocks.length;
context.set("block", block);
context.set("values", values);
const [address, quantity] = blocks[block];
const next = { payload: { fc: 3, unitid: 1, address, quantity } };
return [block ? null : { payload: { ts: Date.now(), values } }, next];
"""

ONCE = """
const first = 0, values = {};
%s
return { payload: { ts: Date.now(), values } };
"""

BEGIN = "return { payload: { fc: 3, unitid: 1, address: %d, quantity: %d } };"


def _client(number: int, port: int, *, queued: bool) -> dict[str, Any]:
    return {
        "id": f"client{number}",
        "type": "modbus-client",
        "name": "",  # one equal to the id would be a circular node
        "clienttype": "tcp",
        "bufferCommands": queued,
        "stateLogEnabled": False,
        "queueLogEnabled": False,
        "failureLogEnabled": False,
        "tcpHost": "127.0.0.1",
        "tcpPort": str(port),
        "tcpType": "DEFAULT",
        "serialPort": "/dev/null",
        "serialType": "RTU-BUFFERD",
        "serialBaudrate": 9600,
        "serialDatabits": 8,
        "serialStopbits": 1,
        "serialParity": "none",
        "serialConnectionDelay": 100,
        "unit_id": 1,
        "commandDelay": 1,
        "clientTimeout": 1000,
        "reconnectOnTimeout": True,
        "reconnectTimeout": 2000,
        "parallelUnitIdsAllowed": True,
        "showErrors": False,
        "showWarnings": False,
        "showLogs": False,
    }


def _out(number: int) -> dict[str, Any]:
    return _node(
        f"out{number}",
        "mqtt out",
        [],
        topic=f"peer/{number}",
        qos="0",
        retain="false",
        broker="broker",
    )


def _node(identity: str, kind: str, targets: list[list[str]], /, **fields: Any) -> dict[str, Any]:
    return {"id": identity, "z": "flow", "type": kind, "wires": targets, **fields}


def _function(name: str, text: str, targets: list[list[str]]) -> dict[str, Any]:
    return _node(name, "function", targets, func=text, outputs=len(targets))


def _looped(number: int, blocks: Sequence[tuple[int, int]]) -> list[dict[str, Any]]:
    """Every answer asks for the next block; a message a round."""
    getter, step = f"getter{number}", f"step{number}"
    once = {"once": True, "onceDelay": START_S, "repeat": "", "payload": "", "payloadType": "date"}
    return [
        _node(f"inject{number}", "inject", [[f"begin{number}"]], props=[{"p": "payload"}], **once),
        _function(f"begin{number}", BEGIN % blocks[0], [[getter]]),
        _node(getter, "modbus-flex-getter", [[step], []], server=f"client{number}", **QUIET),
        _function(step, STEP % (json.dumps(blocks), TAKE), [[f"out{number}"], [getter]]),
    ]


def _paced(number: int, work: Work) -> list[dict[str, Any]]:
    read = {
        "name": "",
        "topic": "",
        "unitid": "1",
        "dataType": "HoldingRegister",
        "adr": "0",
        "quantity": str(2 * work.points),
        "rate": str(round(1000 * work.period_s)),
        "rateUnit": "ms",
    }
    return [
        _node(
            f"read{number}", "modbus-read", [[f"step{number}"], []], server=f"client{number}", **read, **QUIET
        ),
        _function(f"step{number}", ONCE % TAKE, [[f"out{number}"]]),
    ]
