"""The words of the tools' subcommands."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from edge_agent.forwarding.hj212 import description as hj212
from edge_agent.protocols import PROTOCOLS

SPOKEN = "one of " + ", ".join(PROTOCOLS)
AT_HELP = (
    "address of the point, such as reg_type=4X,offset=10 (modbus), area=D,offset=100 (mc, fx) or item=..."
)
OPTION_HELP = (
    "of a slave that is not configured, such as model=1200 (s7) or series=Q (mc_3e); "
    "default: those of the first slave of the configuration on that port"
)
EXAMPLES = {
    "scan": "edge-agent scan --device /dev/ttyS1 --protocol modbus_rtu --addresses 1-32 --bauds 9600,19200\n"
    "edge-agent scan --host 10.0.0.7 --protocol s7 --option model=1200",
    "raw": "edge-agent raw --config gateway.toml --slave boiler --at reg_type=4X,offset=10 --expect 23.5\n"
    "edge-agent raw --host 10.0.0.8 --tcp-port 5007 --protocol mc_3e --address 0 --option series=Q "
    "--at area=W,offset=1F",
    "read": "edge-agent read --config gateway.toml --key boiler.level\n"
    "edge-agent read --host 10.0.0.7 --tcp-port 102 --protocol s7 --option model=1200 "
    "--at area=DB,db=1,offset=4 --data-type float",
    "write": "edge-agent write --config gateway.toml --key boiler.pump --value on\n"
    "edge-agent write --device /dev/ttyS1 --protocol modbus_rtu --address 3 "
    "--at reg_type=4X,offset=10 --value 77",
    "trace": "edge-agent trace --config gateway.toml --port line --seconds 10",
    "decode": "edge-agent decode modbus_rtu 01 03 00 00 00 02 C4 0B\n"
    "edge-agent decode hj212_2017 '##0101QN=20160801085857223;ST=32;CN=1062;PW=100000;"
    "MN=010000A8900016F000169DC0;Flag=5;CP=&&RtdInterval=30&&1C80'",
}


def declare(verbs: Any) -> None:
    """Add the subcommands to the agent's."""
    search = _verb(verbs, "scan", "find the devices on a port: addresses, baud rates, parities")
    _port(search)
    search.add_argument("--protocol", help=SPOKEN)
    search.add_argument("--addresses", default="", help='such as "1-32,100"; default: the protocol\'s own')
    search.add_argument("--bauds", default="", help='such as "2400,9600"; default: the port\'s')
    search.add_argument("--parities", default="", help='such as "N,E"; default: the port\'s')
    search.add_argument("--timeout-ms", type=int, default=200, help="to wait for each address")
    search.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help=OPTION_HELP)
    raw = _verb(verbs, "raw", "read memory as it lies and show every type in every byte order")
    _port(raw)
    _device(raw)
    raw.add_argument("--count", type=int, default=4, help="cells to read")
    raw.add_argument("--expect", type=float, help="the value that the device's display shows")
    read = _verb(verbs, "read", "read one point once")
    write = _verb(verbs, "write", "write one point once and read it back")
    for verb in (read, write):
        _port(verb)
        _device(verb)
        verb.add_argument("--key", help="a configured point, SLAVE.POINT")
        verb.add_argument("--type", default="num", choices=("num", "str", "swh"))
        verb.add_argument("--data-type", default=None, help="default: uint16, of a str string")
    write.add_argument(
        "--value",
        required=True,
        help="a number, a text, on, off, true or false of a switch, or a name that the configuration gives",
    )
    trace = _verb(verbs, "trace", "poll a configured port for a while and print every frame")
    trace.add_argument("--config", type=Path, required=True, help="gateway.toml")
    trace.add_argument("--port", required=True, help="its name in the configuration")
    trace.add_argument("--seconds", type=float, default=10.0)
    decode = _verb(verbs, "decode", "print one frame as JSON, or what is wrong with it")
    decode.add_argument("protocol", choices=[*PROTOCOLS, *hj212.NAMES])
    decode.add_argument(
        "hex",
        nargs="+",
        help="hexadecimal digits, with or without blanks; hj212 also as quoted text",
    )
    decode.add_argument("--direction", choices=("request", "answer"), help="not for hj212")
    decode.add_argument(
        "--key-file",
        type=Path,
        help="hj212_2025: SM4 key of 16 characters or 32 hexadecimal digits; experimental",
    )
    for verb in (search, raw, read, write, trace):
        verb.add_argument("--json", action="store_true", help="one JSON document")


def _verb(verbs: Any, name: str, purpose: str) -> argparse.ArgumentParser:
    made: argparse.ArgumentParser = verbs.add_parser(
        name,
        help=purpose,
        description=purpose,
        epilog="examples:\n" + "\n".join(f"  {line}" for line in EXAMPLES[name].splitlines()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return made


def _port(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--config", type=Path, help="gateway.toml, whose port is used")
    verb.add_argument("--port", help="name of a port of the configuration")
    verb.add_argument("--device", default="", help="a serial line instead, such as /dev/ttyS1")
    usual = "default: as devices of the protocol are delivered"
    verb.add_argument("--baud", type=int, help=usual)
    verb.add_argument("--parity", choices=("N", "E", "O"), help=usual)
    verb.add_argument("--data-bits", type=int, choices=(7, 8), help=usual)
    verb.add_argument("--stop-bits", type=int, choices=(1, 2), help=usual)
    verb.add_argument("--host", default="", help="a device or serial server on the network instead")
    verb.add_argument("--tcp-port", type=int, help="default: the protocol's; of a serial server its own")


def _device(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--slave", help="a configured slave")
    verb.add_argument("--protocol", help=SPOKEN)
    verb.add_argument(
        "--address", help="of a slave that is not configured; default: the protocol's usual one"
    )
    verb.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help=OPTION_HELP)
    verb.add_argument("--at", action="append", default=[], metavar="NAME=VALUE", help=AT_HELP)
    verb.add_argument("--timeout-ms", type=int, default=1000)
