"""A gateway on TLS with an authority of the site's own: a broker that cannot prove itself gets nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from authority import Authority
from evidence import all_arrives, device_of
from mosquitto import Mosquitto
from second_gateway import SecondGateway
from stack import Stack

pytestmark = [pytest.mark.system, pytest.mark.timeout(120)]

GATEWAYS = ("gw-tls",)
REFUSED = "CERTIFICATE_VERIFY_FAILED"
SAMPLES = 40


@pytest.mark.clause("C-084", "C-052")
def test_only_the_right_authority_is_trusted(
    lasting_stack: Stack,
    broker: Mosquitto,
    authority: Authority,
    make_second_gateway: Callable[..., SecondGateway],
    tmp_path: Path,
) -> None:
    """Wrong authority, none, wrong host: refused and why; what is collected meanwhile arrives later."""
    second_gateway = make_second_gateway("gw-tls")
    second_gateway.keep_secret(second_gateway.secret)
    second_gateway.start_plant()
    url = f"mqtts://localhost:{broker.tls_port}"
    right, wrong = authority.ca_file, Authority(tmp_path, "wrong").ca_file
    with all_arrives(lasting_stack, "tcp_counter.first"):
        for where, ca_file, words in (
            (url, wrong, "certificate"),
            (url, None, "certificate"),
            (f"mqtts://127.0.0.1:{broker.tls_port}", right, "IP address mismatch"),
        ):
            second_gateway.configure(where, f'ca_file = "{ca_file}"\n' if ca_file else "")
            log_size, before = len(second_gateway.log()), collected(second_gateway)
            second_gateway.start_agent()
            second_gateway.wait(
                lambda log_size=log_size: REFUSED in second_gateway.log()[log_size:], "its log says why"
            )
            line = next(line for line in second_gateway.log()[log_size:].splitlines() if REFUSED in line)
            assert f"no link to the cloud: TLS with {where.removeprefix('mqtts://')}: " in line
            assert words in line.rpartition(REFUSED)[2]
            assert line.endswith("; collecting and storing go on")
            link = second_gateway.page.status()["link"]
            assert not link["connected"] and REFUSED in link["reason"]
            second_gateway.wait(
                lambda before=before: collected(second_gateway) >= before + SAMPLES,
                "it collects all the same",
            )
            second_gateway.stop_agent()
    assert device_of(lasting_stack, second_gateway.gateway)["link"]["reason"] == "never_connected"
    second_gateway.configure(url, f'ca_file = "{right}"\n')
    second_gateway.start_agent()
    second_gateway.wait(second_gateway.accepted, "the right authority lets it connect")
    assert f"connected to {url}" in second_gateway.log()
    assert device_of(lasting_stack, second_gateway.gateway)["link"]["online"]
    second_gateway.check_all_arrived(least=3 * SAMPLES // 4)


def collected(second_gateway: SecondGateway) -> int:
    return second_gateway.collected() if (second_gateway.data / "outbox.sqlite").exists() else 0
