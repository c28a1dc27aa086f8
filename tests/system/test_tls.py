"""A gateway on TLS with an authority of the site's own: a broker that cannot prove itself gets nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from authority import Authority
from evidence import all_arrives, device_of
from mosquitto import Mosquitto
from outpost import Outpost
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
    make_outpost: Callable[..., Outpost],
    tmp_path: Path,
) -> None:
    """Wrong authority, none, wrong host: refused and why; what is collected meanwhile arrives later."""
    outpost = make_outpost("gw-tls")
    outpost.keep_secret(outpost.secret)
    outpost.start_plant()
    url = f"mqtts://localhost:{broker.tls_port}"
    right, wrong = authority.ca_file, Authority(tmp_path, "wrong").ca_file
    with all_arrives(lasting_stack, "tcp_counter.first"):
        for where, ca_file, words in (
            (url, wrong, "certificate"),
            (url, None, "certificate"),
            (f"mqtts://127.0.0.1:{broker.tls_port}", right, "IP address mismatch"),
        ):
            outpost.configure(where, f'ca_file = "{ca_file}"\n' if ca_file else "")
            told, before = len(outpost.log()), collected(outpost)
            outpost.start_agent()
            outpost.wait(lambda told=told: REFUSED in outpost.log()[told:], "its log says why")
            line = next(line for line in outpost.log()[told:].splitlines() if REFUSED in line)
            assert f"no link to the cloud: TLS with {where.removeprefix('mqtts://')}: " in line
            assert words in line.rpartition(REFUSED)[2]
            assert line.endswith("; collecting and storing go on")
            link = outpost.page.status()["link"]
            assert not link["connected"] and REFUSED in link["reason"]
            outpost.wait(
                lambda before=before: collected(outpost) >= before + SAMPLES, "it collects all the same"
            )
            outpost.stop_agent()
    assert device_of(lasting_stack, outpost.gateway)["link"]["reason"] == "never_connected"
    outpost.configure(url, f'ca_file = "{right}"\n')
    outpost.start_agent()
    outpost.wait(outpost.accepted, "the right authority lets it connect")
    assert f"connected to {url}" in outpost.log()
    assert device_of(lasting_stack, outpost.gateway)["link"]["online"]
    outpost.check_all_arrived(least=3 * SAMPLES // 4)


def collected(outpost: Outpost) -> int:
    return outpost.collected() if (outpost.data / "outbox.sqlite").exists() else 0
