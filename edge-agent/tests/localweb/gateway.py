"""The configuration behind the page, and what its parts say of themselves."""

from __future__ import annotations

from edge_agent.config.load import parse
from edge_agent.internal_slave.answers import AnswerCounts
from edge_agent.internal_slave.slave import InternalSlaveState, MasterState
from edge_agent.loop_write.writer import LoopWriteState

NOW = 1_800_000_000_000

TEXT = """
[gateway]
id = "gw-test-1"
[[ports]]
name = "lan"
type = "NET"
host = "127.0.0.1"
port = 502
[[ports]]
name = "line"
type = "COM"
device = "/dev/ttyS9"
[[slaves]]
name = "boiler"
title = "锅炉 Boiler"
port = "lan"
protocol = "modbus_tcp"
address = "1"
[[points]]
slave = "boiler"
name = "sp"
rw = "readwrite"
data_type = "float"
address = { reg_type = "4X", offset = 2 }
[[points]]
slave = "boiler"
name = "twice"
type = "cal"
formula = "sp * 2"
[[ports]]
name = "plc"
type = "NET"
host = "127.0.0.1"
port = 102
[[slaves]]
name = "press"
port = "plc"
protocol = "s7"
address = "1"
options = { model = "1200" }
[[ports]]
name = "meters"
type = "COM"
device = "/dev/ttyS8"
[[slaves]]
name = "meter"
port = "meters"
protocol = "dlt645_2007"
address = "000000000001"
options = { password = "314159" }
[[forwarders]]
name = "third"
kind = "mqtt"
options = { server = "broker.example", username = "plant", up_topic = "up" }
"""
CONFIGURATION = parse(TEXT)


INTERNAL_SLAVE = InternalSlaveState(
    id=7,
    points=2,
    listens="127.0.0.1:1502",
    fault="",
    masters=(MasterState("127.0.0.1:50000", NOW, 12),),
    counts=AnswerCounts(requests=12, exceptions=1, last_error="boiler.sp: no good value", last_error_ms=NOW),
    refused=0,
    bad_frames=0,
    discarded_bytes=0,
)
LOOP_WRITE = LoopWriteState("clock", "boiler", 60, "no_answer", "no answer within 1000 ms", NOW, 5, 1, 0)
