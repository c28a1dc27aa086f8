"""Committed broker settings: EMQX parsed, mosquitto run."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from types import ModuleType
from typing import Any

import paho.mqtt.client as mqtt
import pytest
import yaml
from paho.mqtt.enums import CallbackAPIVersion

from edge_contract.limits import MAX_BATCH_BYTES, WINDOW
from edge_contract.payloads import MAX_CONTROL_BYTES
from edge_contract.topics import Message, topic

SETTINGS = Path(__file__).resolve().parents[2]
PLUGIN = next(Path("/usr/lib").glob("*/mosquitto_dynamic_security.so"), None)
WAIT_S = 5.0  # a broker on loopback answers in milliseconds; the machine may be busy
GROUP_EVERY_S = 0.01  # the cloud acknowledges at most so often (its link/ingest.py)
SILENCE_S = 0.5  # how long nothing has to arrive

needs_mosquitto = pytest.mark.skipif(
    which("mosquitto") is None or PLUGIN is None, reason="mosquitto is not installed"
)


@pytest.fixture(scope="module")
def emqx(hocon: ModuleType) -> dict[str, Any]:
    content: dict[str, Any] = hocon.parse((SETTINGS / "emqx" / "emqx.conf").read_text(encoding="utf-8"))
    return content


@pytest.mark.clause("C-085")
def test_emqx_fails_closed(emqx: dict[str, Any]) -> None:
    (authenticator,) = emqx["authentication"]  # a second one could admit what this one ignores
    assert authenticator["backend"] == "http"
    assert authenticator["enable"] == "true"
    assert authenticator["method"] == "post"
    assert authenticator["url"].endswith("/internal/emqx/auth")
    assert set(authenticator["body"]) == {"username", "password", "clientid", "peerhost"}
    assert emqx["authorization"]["no_match"] == "deny"
    assert emqx["authorization"]["deny_action"] == "disconnect"
    (source,) = emqx["authorization"]["sources"]
    assert (source["type"], source["path"]) == ("file", "/opt/emqx/etc/acl.conf")


@pytest.mark.clause("C-084")
def test_emqx_listens_with_tls_only(emqx: dict[str, Any]) -> None:
    enabled = {
        (kind, name)
        for kind, listeners in emqx["listeners"].items()
        for name, listener in listeners.items()
        if listener["enable"] == "true"
    }
    assert enabled == {("ssl", "default"), ("ssl", "cloud")}
    stock = {"tcp", "ssl", "ws", "wss"}  # listeners that exist unless they are turned off
    assert set(emqx["listeners"]) == stock
    for secure in emqx["listeners"]["ssl"].values():
        assert secure["enable_authn"] == "quick_deny_anonymous"
        assert secure["ssl_options"]["versions"] == ["tlsv1.3", "tlsv1.2"]
    assert emqx["dashboard"]["listeners"]["http"]["bind"].startswith("127.0.0.1:")


def test_emqx_limits_gateways_and_not_the_cloud(emqx: dict[str, Any]) -> None:
    gateways, cloud = (emqx["listeners"]["ssl"][name] for name in ("default", "cloud"))
    assert int(gateways["messages_rate"].removesuffix("/s")) > WINDOW / GROUP_EVERY_S
    assert int(gateways["bytes_rate"].removesuffix("MB/s")) * 2**20 > WINDOW * MAX_BATCH_BYTES
    assert not {"messages_rate", "bytes_rate"} & cloud.keys()
    zone = emqx["zones"][cloud["zone"]]
    assert "zone" not in gateways
    assert (zone["mqtt"]["max_inflight"], zone["mqtt"]["max_mqueue_len"]) == ("2000", "100000")
    assert zone["force_shutdown"]["max_mailbox_size"] == "100000"
    assert int(emqx["mqtt"]["max_inflight"]) >= 2 * WINDOW
    assert emqx["flapping_detect"]["enable"] == "false"  # anybody could have anybody banned
    assert emqx["telemetry"]["enable"] == "false"
    assert emqx["retainer"]["backend"]["storage_type"] == "disc"


def test_compose_publishes_the_listener_of_gateways_only(emqx: dict[str, Any]) -> None:
    services = yaml.safe_load((SETTINGS.parent / "cloud/deploy/compose.yaml").read_text())["services"]
    ports = {name: listener["bind"].rpartition(":")[2] for name, listener in emqx["listeners"]["ssl"].items()}
    assert services["emqx"]["ports"] == [f"{ports['default']}:{ports['default']}"]
    for service in ("cloud", "api"):
        url = services[service]["environment"]["EDGE_BROKER_URL"]
        assert url == f"mqtts://emqx:{ports['cloud']}"


def test_emqx_holds_no_secret_and_lets_every_message_through(emqx: dict[str, Any]) -> None:
    assert "cookie" not in emqx["node"]
    assert "default_password" not in emqx["dashboard"]
    assert set(emqx["authentication"][0]["headers"]) == {"content-type"}
    assert emqx["mqtt"]["max_packet_size"] == "6MB"
    assert max(MAX_BATCH_BYTES, MAX_CONTROL_BYTES) < 6 * 1024 * 1024
    assert int(emqx["mqtt"]["max_topic_levels"]) >= 4


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def mosquitto(folder: Path, settings: str, port: int) -> Iterator[None]:
    file = folder / "mosquitto.conf"
    file.write_text(
        f"{settings}\nuser root\n", encoding="utf-8"
    )  # else root's process could not read the folder
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(["mosquitto", "-c", str(file)], stdout=log, stderr=log)
        try:
            deadline = time.monotonic() + WAIT_S
            while True:
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                assert process.poll() is None, (folder / "log").read_text()
                assert time.monotonic() < deadline, "mosquitto does not listen"
                time.sleep(0.02)
            yield
        finally:
            process.terminate()
            process.wait(WAIT_S)


class Client:
    """A client that keeps what it got; code: the broker's answer to its connection."""

    def __init__(self, port: int, name: str, password: str, ca: Path | None = None) -> None:
        self.got: list[str] = []
        self.code: int | None = None
        self._mqtt = mqtt.Client(CallbackAPIVersion.VERSION2, client_id=name)
        if name:
            self._mqtt.username_pw_set(name, password)
        if ca:
            self._mqtt.tls_set(str(ca))
        self._mqtt.on_connect = lambda client, userdata, flags, code, properties: setattr(
            self, "code", code.value
        )
        self._mqtt.on_message = lambda client, userdata, message: self.got.append(message.topic)
        self._mqtt.connect("localhost", port)
        self._mqtt.loop_start()
        self.until(lambda: self.code is not None)

    def until(self, condition: Any) -> None:
        deadline = time.monotonic() + WAIT_S
        while not condition():
            assert time.monotonic() < deadline, "no answer"
            time.sleep(0.01)

    def subscribe(self, *filters: str) -> None:
        done: list[int] = []
        self._mqtt.on_subscribe = lambda client, userdata, mid, codes, properties: done.append(mid)
        for filter_ in filters:
            self._mqtt.subscribe(filter_, qos=1)
        self.until(lambda: len(done) == len(filters))

    def publish(self, *topics: str) -> None:
        for name in topics:
            self._mqtt.publish(name, b"x", qos=1).wait_for_publish(WAIT_S)

    def close(self) -> None:
        self._mqtt.disconnect()
        with contextlib.suppress(AttributeError):  # it may end by itself while paho looks
            self._mqtt.loop_stop()


@needs_mosquitto
@pytest.mark.clause("C-082", "C-080")
def test_the_generated_list_on_a_real_mosquitto(tmp_path: Path) -> None:
    port = free_port()
    names = ["cloud", "gw-1", "gw-2"]
    passwords = tmp_path / "passwords"
    for name in names:
        words = [
            "mosquitto_passwd",
            "-b",
            *(["-c"] if name == "cloud" else []),
            str(passwords),
            name,
            f"{name}-secret",
        ]
        subprocess.run(words, check=True, capture_output=True, timeout=WAIT_S)
    settings = (
        f"listener {port} 127.0.0.1\nallow_anonymous false\nuse_username_as_clientid true\n"
        f"password_file {passwords}\nacl_file {SETTINGS / 'acl' / 'mosquitto.acl'}"
    )
    with mosquitto(tmp_path, settings, port):
        cloud, mine, other = (Client(port, name, f"{name}-secret") for name in names)
        try:
            cloud.subscribe("v1/+/up/+", "v1/+/state")
            mine.subscribe("v1/gw-1/down/+")
            other.subscribe("#", "v1/+/down/+", "v1/gw-1/down/ack", "v1/+/up/+", "$share/g/v1/+/up/+")
            up = [topic("gw-1", message) for message in Message if message.from_gateway]
            down = [topic("gw-1", message) for message in Message if not message.from_gateway]
            other.publish(*up, *down)  # forged: nobody may see it
            mine.publish(*down)  # nor may a gateway speak for the cloud
            time.sleep(SILENCE_S)
            assert (cloud.got, mine.got, other.got) == ([], [], [])
            mine.publish(*up)
            cloud.publish(*down)
            cloud.until(lambda: len(cloud.got) >= len(up))
            mine.until(lambda: len(mine.got) >= len(down))
            time.sleep(SILENCE_S)
            assert sorted(cloud.got) == sorted(up)
            assert sorted(mine.got) == sorted(down)
            assert other.got == []
        finally:
            for client in (cloud, mine, other):
                client.close()


@needs_mosquitto
@pytest.mark.clause("C-084")
def test_the_site_settings_on_a_real_mosquitto(tmp_path: Path) -> None:
    words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
    files = ["-keyout", str(tmp_path / "server.key"), "-out", str(tmp_path / "ca.pem")]
    alternative = ["-addext", "subjectAltName=DNS:localhost"]
    subprocess.run(
        ["openssl", *words.split(), *alternative, *files], check=True, capture_output=True, timeout=30
    )
    (tmp_path / "server.pem").write_bytes((tmp_path / "ca.pem").read_bytes())
    admin = [str(tmp_path / "dynamic-security.json"), "edge-admin", "admin-secret"]
    subprocess.run(
        ["mosquitto_ctrl", "dynsec", "init", *admin], check=True, capture_output=True, timeout=WAIT_S
    )
    outside, inside = free_port(), free_port()
    settings = (SETTINGS / "mosquitto" / "mosquitto.conf").read_text(encoding="utf-8")
    filled = {
        "@CERTS@": str(tmp_path),
        "@STATE@": str(tmp_path),
        "@PLUGIN@": str(PLUGIN),
        "listener 8883": f"listener {outside}",
        "listener 1883 127.0.0.1": f"listener {inside} 127.0.0.1",
    }
    for placeholder, value in filled.items():
        assert placeholder in settings
        settings = settings.replace(placeholder, value)
    with mosquitto(tmp_path, settings, outside):
        cases = [("edge-admin", "admin-secret"), ("edge-admin", "wrong"), ("", "")]
        clients = [Client(outside, *case, ca=tmp_path / "ca.pem") for case in cases]
        clients += [Client(inside, *case) for case in cases]
        refused = 135  # "not authorized"
        assert [client.code for client in clients] == [0, refused, refused] * 2
        for client in clients:
            client.close()
        assert answer_without_tls(outside) == b""


def answer_without_tls(port: int) -> bytes:
    """What a broker answers to an MQTT connection that does not begin with a TLS handshake."""
    with socket.create_connection(("127.0.0.1", port), WAIT_S) as plain:
        plain.settimeout(WAIT_S)
        try:
            plain.sendall(b"\x10\x10\x00\x04MQTT\x04\x02\x00\x1e\x00\x04gw-1")
            return plain.recv(4)
        except ConnectionError:
            return b""
