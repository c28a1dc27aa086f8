"""The cloud's client over TLS, against mosquitto."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from cloud.link.broker_connection import BrokerAddress
from cloud.link.errors import LinkDown
from cloud.link.mqtt_client import MqttClient

from .equipment import ANSWERS_S, SERVICE, SERVICE_PASSWORD, Mosquitto, free_port


def certificate(folder: Path, name: str) -> Path:
    """A certificate for localhost that is its own authority; its key lies beside it."""
    made = folder / f"{name}.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    files = ["-keyout", folder / f"{name}.key", "-out", made, "-days", "2", "-subj", f"/CN={name}"]
    names = ["-addext", "subjectAltName=DNS:localhost"]
    subprocess.run([*command, *files, *names], check=True, capture_output=True)
    return made


@pytest.fixture
def tls(tmp_path: Path, dynsec_template: Path) -> Iterator[tuple[int, Path, Path]]:
    """Port of a TLS listener, its authority, and another one."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    right, wrong = certificate(tmp_path, "right"), certificate(tmp_path, "wrong")
    port = free_port()
    server = Mosquitto(tmp_path)
    listener = f"listener {port} 127.0.0.1\ncertfile {right}\nkeyfile {tmp_path}/right.key\n"
    server.init(dynsec_template, listener)
    server.start()
    yield port, right, wrong
    server.kill()


@pytest.mark.clause("C-084")
async def test_the_broker_has_to_prove_itself(tls: tuple[int, Path, Path]) -> None:
    port, right, wrong = tls
    for host, authority, good in (
        ("localhost", right, True),
        ("localhost", wrong, False),
        ("localhost", None, False),
        ("127.0.0.1", right, False),  # the certificate names another host
    ):
        address = BrokerAddress(host, port, SERVICE, SERVICE_PASSWORD, tls=True, ca_file=authority)
        client = MqttClient(address, ["v1/+/state"], lambda message: message.acknowledge())
        await client.start()
        if good:
            await client.wait_connected(ANSWERS_S)
            await client.publish("v1/gw-alpha/down/ack", b"x")
        else:
            with pytest.raises(LinkDown):
                await client.wait_connected(0.7)
        await client.stop()
