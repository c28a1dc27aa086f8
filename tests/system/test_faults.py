"""What goes wrong is reported clearly where it belongs, and everything beside it goes on.

Each test harms one part of the product. all_arrives() shows, value by value, that the counters of the healthy
parts kept arriving in the cloud meanwhile.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from _environment import PYTHON
from bare_client import BareClient
from evidence import all_arrives, device_of, history, sources
from local_page import LocalPage
from mosquitto import Mosquitto
from second_gateway import SecondGateway, run
from stack import GATEWAY, Stack, StackError

from edge_contract import batch
from edge_contract.model import Row
from edge_contract.payloads import (
    Ack,
    Catalog,
    Command,
    CommandAction,
    Hello,
    PointEntry,
    SlaveEntry,
    State,
    Welcome,
    catalog_hash,
    decode,
    encode,
)
from edge_contract.topics import Message, gateway_filter, topic

pytestmark = [pytest.mark.system, pytest.mark.timeout(120)]

GATEWAYS = ("gw-attacker", "gw-bystander", "gw-forgetful", "gw-full")
ALL_POINTS = ("tcp_counter.first", "rtu_counter.first", "neighbour.first")
FORGED = 4_000_000_001
DISK_BYTES = 16 << 20
BAD_FRAME, GOOD = 3, 0

WRONG_CONFIGURATION = """
[gateway]
id = "gw-wrong"

[[ports]]
name = "lan"
type = "NET"

[[ports]]
name = "com1"
type = "COM"
device = "/dev/ttyS9"

[[slaves]]
name = "pump"
port = "com7"
protocol = "modbus_rtu"
address = "1"

[[slaves]]
name = "fan"
port = "com1"
protocol = "morse"
address = "2"

[[slaves]]
name = "valve"
port = "com1"
protocol = "modbus_rtu"
address = "248"

[[points]]
slave = "valve"
name = "position"
ratio = 0
min = 10
max = 1
address = { reg_type = "4X", offset = 0 }

[[points]]
slave = "nobody"
name = "x"
address = { reg_type = "4X", offset = 0 }
"""
FAULTS = [
    "ports[0].host: must be given for a NET port",
    "slaves[0].port: must be the name of a port, 'com7' is none",
    "slaves[1].protocol: must be one of ",
    "slaves[2].address: ",
    "points[0].ratio: must not be 0",
    "points[0].min: must not exceed max",
    "points[1].slave: must be the name of a slave, 'nobody' is none",
]


def metric(stack: Stack, line: str) -> float:
    """A counter of the cloud, by name and labels; 0 before it was first raised."""
    with urllib.request.urlopen(f"{stack.api.base}/metrics") as reply:
        rows = (row.rpartition(" ") for row in reply.read().decode().splitlines())
        return next((float(value) for name, _, value in rows if name == line), 0.0)


def hello(gateway: str, stream: str = "ab" * 8) -> bytes:
    boot = secrets.token_hex(8)
    return encode(
        Hello(
            version_min=1, version_max=1, agent=f"bare {gateway}", boot=boot, stream=stream, first_seq=1,
            next_seq=1, catalog="cd" * 8, clock_set=True, t_ms=time.time_ns() // 1_000_000,
        )
    )  # fmt: skip


def welcomed(client: BareClient) -> int:
    """How many welcomes that accept it a client has got."""
    tail = topic(client.name, Message.WELCOME)
    return sum(decode(Welcome, payload).accepted for where, payload in client.messages if where == tail)


def test_wrong_configuration_is_refused_with_every_fault_at_once(
    lasting_stack: Stack, tmp_path: Path
) -> None:
    config, data = tmp_path / "wrong.toml", tmp_path / "data"
    config.write_text(WRONG_CONFIGURATION)
    words = [str(PYTHON), "-m", "edge_agent", "run", "--config", str(config), "--data", str(data)]
    with all_arrives(lasting_stack, *ALL_POINTS):
        ran = subprocess.run(words, capture_output=True, text=True, check=False, timeout=30)
    assert ran.returncode == 2
    first, *lines = ran.stderr.splitlines()
    assert first == f"{config} is wrong:"
    assert [fault for fault in FAULTS if not any(line.startswith(fault) for line in lines)] == []
    assert len(lines) == len(FAULTS), lines
    assert not data.exists(), "an agent that does not start leaves nothing behind"


def test_wrong_passwords(lasting_stack: Stack) -> None:
    stack = lasting_stack
    user, password = stack.sign_in()
    page = LocalPage(stack.ports.local_page)
    local = (stack.data / "agent" / "local-admin.txt").read_text().strip()
    with all_arrives(stack, *ALL_POINTS):
        for name, word in ((user, password + "x"), ("nobody", password)):
            body = json.dumps({"username": name, "password": word}).encode()
            asked = urllib.request.Request(
                f"{stack.api.base}/api/v1/login/login", body, {"Content-Type": "application/json"}
            )
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(asked)
            answer = json.load(refused.value)
            assert (refused.value.code, answer["code"]) == (401, 10009)
            assert answer["msg"] == "wrong user name or password", "the same for an unknown name"
        with pytest.raises(StackError, match="401"):
            type(stack.api)(stack.ports.http).get("/device?page=1&limit=10")
        assert page.sign_in(local + "x") == (401, {"error": {"field": "password", "rule": "is wrong"}})
        with pytest.raises(AssertionError, match="must be signed in"):
            page.status()
        assert page.sign_in(local)[0] == 200
        stack.api.login(user, password)
    wrong = stack.api.get("/auth/loginlog?page=1&limit=10&result=wrong")["rows"]
    assert [(row["user_name"], row["address"]) for row in wrong] == [
        ("nobody", "127.0.0.1"),
        (user, "127.0.0.1"),
    ]
    assert "audit: failed sign-in to the local page from 127.0.0.1" in stack.agent.log.read_text()
    for log in (stack.cloud.log, stack.agent.log):
        assert not any(word in log.read_text() for word in (password, local)), "no log holds a password"


def test_broken_frames_of_one_slave(lasting_stack: Stack) -> None:
    """Its points say bad frame; its neighbour on the same line and the others go on; then it comes back."""
    stack = lasting_stack
    number = device_of(stack, GATEWAY)["id"]
    dsid = sources(stack, GATEWAY)["rtu_counter.first"]
    plant = str(stack.data / "plant")
    begin_ms = time.time_ns() // 1_000_000

    def slave(name: str) -> tuple[bool, str]:
        rows = stack.api.get(f"/device/{number}")["slaves"]
        return next((row["online"], row["reason"]) for row in rows if row["name"] == name)

    with all_arrives(stack, "tcp_counter.first", "neighbour.first"):
        run(stack, "firmware_sim", "fault", plant, "rtu_counter", "bad_checksum")
        stack.wait(lambda: slave("rtu_counter") == (False, "bad_frame"), "REST says bad_frame", stack.cloud)
        # The pulse that says so and the samples come by different ways.
        stack.wait(
            lambda: BAD_FRAME in {row["quality"] for row in history(stack, dsid, begin_ms)},
            "its samples say bad frame",
            stack.cloud,
        )
        last = stack.api.get(f"/device/lastdp?dsid={dsid}")
        assert isinstance(last["value"], int) and last["quality"] != GOOD, "the last good one stays readable"
        assert device_of(stack, GATEWAY)["status"] == "partly"
        assert (slave("neighbour"), slave("tcp_counter")) == ((True, "ok"), (True, "ok"))
        assert "rtu_counter on rs485_1 is offline: " in stack.agent.log.read_text()
        run(stack, "firmware_sim", "fault", plant, "rtu_counter", "none")
        stack.wait(lambda: slave("rtu_counter") == (True, "ok"), "the slave is back", stack.cloud)
    assert "rtu_counter on rs485_1 is back" in stack.agent.log.read_text()


def test_wrong_broker_secret(
    lasting_stack: Stack, make_second_gateway: Callable[..., SecondGateway], broker: Mosquitto
) -> None:
    """The agent says so, collects all the same, and takes the right secret without a restart."""
    second_gateway = make_second_gateway("gw-forgetful")
    right = second_gateway.secret
    wrong = right[:-1] + ("a" if right[-1] != "a" else "b")
    second_gateway.configure(f"mqtt://127.0.0.1:{broker.port}")
    second_gateway.keep_secret(wrong)
    second_gateway.start_plant()
    with all_arrives(lasting_stack, *ALL_POINTS):
        second_gateway.start_agent()
        refused = "the broker refuses the connection: Not authorized"
        second_gateway.wait(lambda: refused in second_gateway.log(), "its log says why")
        assert f"no link to the cloud: {refused}; collecting and storing go on" in second_gateway.log()
        link = second_gateway.page.status()["link"]
        assert (link["connected"], link["accepted"], link["reason"]) == (False, False, refused)
        before = second_gateway.collected()
        second_gateway.wait(lambda: second_gateway.collected() > before, "it collects all the same")
        row = device_of(lasting_stack, second_gateway.gateway)
        assert (row["status"], row["link"]["reason"]) == ("offline", "never_connected")
        assert second_gateway.log().count("no link to the cloud") == 1, "said once"
        second_gateway.keep_secret(right)
        second_gateway.wait(second_gateway.accepted, "the right secret lets it in")
    second_gateway.check_all_arrived(least=15)
    assert not any(secret in second_gateway.log() for secret in (right, wrong)), "no log holds a secret"


@pytest.mark.clause("C-080")
def test_a_gateway_reaches_no_topic_of_another(
    lasting_stack: Stack, broker: Mosquitto, secret_of: Callable[[str], str]
) -> None:
    """A attacks B, the gateway with the counters; C is connected beside them."""
    stack = lasting_stack
    attackers = [BareClient(broker.port, "gw-attacker", secret_of("gw-attacker")) for _ in range(9)]
    bystander = BareClient(broker.port, "gw-bystander", secret_of("gw-bystander"))
    assert attackers[0].connect() and bystander.connect()
    assert bystander.subscribe(gateway_filter().format(gateway=bystander.name))
    bystander.publish(topic(bystander.name, Message.HELLO), hello(bystander.name))
    stack.wait(lambda: welcomed(bystander) == 1, "C is welcomed", stack.cloud)
    before = stack.api.get(f"/device/{device_of(stack, GATEWAY)['id']}")
    log_size = broker.log.stat().st_size
    with all_arrives(stack, *ALL_POINTS):
        for foreign in (f"v1/{GATEWAY}/down/+", f"v1/{GATEWAY}/#", "v1/+/down/+", "v1/+/up/+", "#"):
            assert not attackers[0].subscribe(foreign), foreign
        forged = dict(forgeries(before["stream"]))
        for (message, payload), attacker in zip(forged.items(), attackers[1:], strict=True):
            assert attacker.connect()  # the broker ends the connection of who publishes what it may not
            attacker.publish(topic(GATEWAY, message), payload)
        time.sleep(1.0)  # whatever got through would be stored by now
    after = stack.api.get(f"/device/{before['id']}")
    steady = ("stream", "catalog", "agent_version", "status", "link", "points", "missing_batches")
    assert {key: after[key] for key in steady} == {key: before[key] for key in steady}
    for dsid in sources(stack, GATEWAY).values():
        assert FORGED not in {row["value"] for row in history(stack, dsid)}
    denials = broker.log.read_text()[log_size:].splitlines()
    for message in forged:
        name = topic(GATEWAY, message)
        assert any("Denied PUBLISH from gw-attacker (" in line and name in line for line in denials), name
    bystander.publish(topic(bystander.name, Message.HELLO), hello(bystander.name))
    stack.wait(lambda: welcomed(bystander) == 2, "C is served as before", stack.cloud)
    assert not bystander.lost.is_set()
    assert {where for where, _ in bystander.messages} <= {
        topic(bystander.name, message) for message in Message if not message.from_gateway
    }
    for client in (*attackers, bystander):
        assert client is bystander or client.messages == []
        client.close()


def forgeries(stream: str) -> Iterator[tuple[Message, bytes]]:
    """Messages that would harm if they were taken: well formed, of B's own stream, in both directions."""
    now_ms = time.time_ns() // 1_000_000
    slaves = [SlaveEntry(name="forged", title="forged", protocol="modbus_tcp", port="lan", address="1")]
    points = [
        PointEntry(
            id=1, slave="forged", name="x", title="x", kind="num", rw="readonly", data_type="uint32",
            period_ms=1000,
        )
    ]  # fmt: skip
    catalog = Catalog(hash=catalog_hash(slaves, points), t_ms=now_ms, slaves=slaves, points=points)
    forged = batch.encode(stream, 900_000, catalog.hash, now_ms, [Row((1, 2, 3), now_ms, (FORGED,) * 3)])
    yield Message.STATE, encode(State(online=False, boot="ee" * 8, t_ms=now_ms, reason="forged"))
    yield Message.HELLO, hello(GATEWAY, stream)
    yield Message.CATALOG, encode(catalog)
    yield Message.LIVE, forged
    yield Message.HISTORY, forged
    yield Message.ACK, encode(Ack(stream=stream, ranges=[(1, 2**40)]))
    yield Message.WELCOME, encode(Welcome(accepted=False, version=1, t_ms=now_ms))
    yield Message.COMMAND, encode(
        Command(
            id="forged-0001", slave="tcp_counter", point="first", action=CommandAction.WRITE,
            expires_ms=now_ms + 20_000, value=FORGED,
        )
    )  # fmt: skip


def test_broken_payloads_on_a_gateways_own_topics(
    lasting_stack: Stack, broker: Mosquitto, secret_of: Callable[[str], str]
) -> None:
    stack = lasting_stack
    client = BareClient(broker.port, "gw-attacker", secret_of("gw-attacker"))
    assert client.connect()
    assert client.subscribe(gateway_filter().format(gateway=client.name))
    kinds = [Message.HELLO, Message.CATALOG, Message.PULSE, Message.RESULT, Message.LIVE, Message.HISTORY]
    invalid = {kind: f'edge_link_invalid_total{{message="{kind.value}"}}' for kind in kinds}
    before = {kind: metric(stack, line) for kind, line in invalid.items()}
    with all_arrives(stack, *ALL_POINTS):
        for kind in kinds:
            client.publish(topic(client.name, kind), b'{"version_min": "one"}')
            client.publish(topic(client.name, kind), os.urandom(300))
        counted = {kind: count + 2 for kind, count in before.items()}
        stack.wait(
            lambda: {kind: metric(stack, line) for kind, line in invalid.items()} == counted,
            "each is counted", stack.cloud,
        )  # fmt: skip
        client.publish(topic(client.name, Message.HELLO), hello(client.name))
        stack.wait(lambda: welcomed(client) == 1, "the next good message is served", stack.cloud)
    assert not client.lost.is_set()
    cloud_log = stack.cloud.log.read_text()
    assert f"up/hello from {client.name}: field " in cloud_log
    assert f"broken batch from {client.name}: " in cloud_log
    client.close()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of DISK_BYTES."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("mounting a small file system needs root")
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "none", str(folder)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def fill(path: Path) -> None:
    """A stranger's file takes all room that is left."""
    with path.open("wb", buffering=0) as stranger:
        for size in (65536, 4096, 1):
            try:
                while stranger.write(bytes(size)) == size:
                    pass
            except OSError:
                continue


@pytest.mark.clause("C-036")
def test_full_disk(
    lasting_stack: Stack,
    broker: Mosquitto,
    small_disk: Path,
    make_second_gateway: Callable[..., SecondGateway],
) -> None:
    second_gateway = make_second_gateway("gw-full", small_disk / "agent")
    second_gateway.configure(f"mqtt://127.0.0.1:{broker.port}")
    second_gateway.keep_secret(second_gateway.secret)
    second_gateway.start_plant()
    second_gateway.start_agent()
    second_gateway.wait(
        lambda: second_gateway.page.status()["link"]["acknowledged_batches"] >= 3,
        "the cloud holds its first batches",
    )
    with all_arrives(lasting_stack, *ALL_POINTS):
        fill(small_disk / "stranger")
        second_gateway.wait(
            lambda: second_gateway.page.status()["outbox"]["full"], "its local page says that it is full"
        )
        assert re.search(r"nothing can be committed: .*; samples are kept in memory", second_gateway.log())
        second_gateway.wait(
            lambda: second_gateway.page.status()["outbox"]["pending_samples"] > 40, "it collects all the same"
        )
        slaves = second_gateway.page.status()["slaves"]
        assert all(slave["online"] for slave in slaves), slaves
        (small_disk / "stranger").unlink()
        second_gateway.wait(lambda: not second_gateway.page.status()["outbox"]["full"], "it commits again")
    assert "committing again; 0 samples were dropped meanwhile" in second_gateway.log()
    assert second_gateway.page.status()["outbox"]["dropped_samples"] == 0
    second_gateway.check_all_arrived(least=15)
