"""A gateway that is made and drawn up in the portal before anybody has seen it: its first day."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator
from typing import Any

import pytest
from _environment import PYTHON
from stack import Ports, Stack, StackError
from stack.program import Program

pytestmark = [pytest.mark.system, pytest.mark.timeout(120)]

GATEWAY = "gw-first"
ENDED = ("confirmed", "reverted", "refused", "unchanged", "expired", "networkError")
DRAWN_UP: dict[str, dict[str, Any]] = {
    "port": {"name": "lan", "type": "NET", "ip": "127.0.0.1"},
    "slavedevice": {"name": "boiler", "port": "lan", "protocol": "modbus_tcp", "address": "1"},
}


@pytest.fixture
def stack(tmp_path: Any) -> Iterator[Stack]:
    """Cloud and plant; the agent has nothing but its name, its secret and the cloud's address."""
    made = Stack(tmp_path, Ports.free())
    made.prepare()
    try:
        made.start_cloud()
        made.start_plant()
        made.api.login(*made.sign_in())
        yield made
    finally:
        made.stop()


def agent_of(stack: Stack, secret: str) -> Program:
    folder = stack.data / "first"
    folder.mkdir(mode=0o700)
    (folder / "cloud-secret").write_text(f"{secret}\n")
    (folder / "gateway.toml").write_text(
        f'[gateway]\nid = "{GATEWAY}"\n[cloud]\nurl = "mqtt://127.0.0.1:{stack.ports.mqtt}"\n'
        f"[local_page]\nport = {stack.ports.local_page}\n[storage]\ncommit_interval_s = 0.2\n"
    )
    words = ["run", "--config", str(folder / "gateway.toml"), "--data", str(folder)]
    return Program("first", [str(PYTHON), "-m", "edge_agent", *words], stack._env, stack.data / "logs")


@pytest.mark.clause("C-107")
def test_what_was_drawn_up_before_runs_and_the_link_stays(stack: Stack) -> None:
    api = stack.api
    made = api.call("POST", "/device", {"gateway_id": GATEWAY, "device_title": "First"})
    number = made["device"]["id"]
    DRAWN_UP["port"]["port"] = stack.ports.modbus
    for name, row in DRAWN_UP.items():
        api.call("POST", f"/device/{number}/{name}", row)
    point = {"slave": "boiler", "ds_name": "t", "regtype": "4X", "addroffset": 0}
    base = api.get(f"/device/{number}/point")["base"]
    api.call("PUT", f"/device/{number}/point", {"added": [point], "base": base, "note": "drawn up"})

    agent = agent_of(stack, made["secret"])
    try:
        agent.start()
        state = stack.wait(
            lambda: rebased(api.get(f"/device/{number}/configuration")), "the draft has a base", agent
        )
        assert api.get(f"/device/{number}")["data_ms"] is None, "it is linked and has nothing to read yet"
        difference = api.get(f"/device/{number}/configuration/diff")
        assert (difference["link"], difference["link_lost"], difference["other"]) == ([], False, [])
        assert [row["fields"]["name"] for row in api.get(f"/device/{number}/port")["rows"]] == ["lan"]

        refused = ended(stack, deploy(stack, number))
        assert refused["state"] == "refused" and "ports[0].host" in str(refused), refused
        (stack.data / "first" / "allowed-networks").write_text(
            "127.0.0.1/32\n"
        )  # on the gateway: it holds at once
        assert ended(stack, deploy(stack, number))["state"] == "confirmed"
        row = stack.wait(lambda: linked(api.get(f"/device/{number}")), "the link is there", agent)
        assert row["link"]["reason"] == "ok"
        assert api.get(f"/device/{number}/configuration")["running"]["hash"] == state["draft"]["hash"]
        dsid = stack.wait(lambda: api.get(f"/device/dss?device_id={number}")["rows"], "its point", agent)[0]
        assert dsid["ds_name"] == "t"
        stack.wait(lambda: api.get(f"/device/lastdps?device_id={number}")["rows"], "a value", agent)
        assert stack.wait(lambda: api.get(f"/device/{number}")["data_ms"], "samples are noted", agent)
        astray(stack, number)
    finally:
        agent.stop()


def astray(stack: Stack, number: int) -> None:
    """Another way to the cloud has to be meant; without any nothing is sent at all."""
    path = f"/device/{number}/configuration"
    newest = stack.api.get(path)["newest"]
    document = stack.api.get(f"{path}/{newest}")["document"]
    for cloud, rule in (({"url": "mqtt://127.0.0.1:1"}, "link_changes"), (None, "link_lost")):
        wrong = copy.deepcopy(document)
        del wrong["cloud"]
        if cloud is not None:
            wrong["cloud"] = cloud
        newest = stack.api.call("PUT", path, {"document": wrong, "base": newest})["hash"]
        with pytest.raises(StackError, match=rule):
            deploy(stack, number)


def rebased(state: dict[str, Any]) -> dict[str, Any] | None:
    draft = state["draft"]
    return state if draft is not None and draft["base"] is not None else None


def linked(row: dict[str, Any]) -> dict[str, Any] | None:
    return row if row["link"]["online"] else None


def deploy(stack: Stack, number: int) -> str:
    reply: dict[str, Any] = stack.api.call("POST", f"/device/{number}/deploy", {"confirm_s": 30})
    return str(reply["id"])


def ended(stack: Stack, deployment: str) -> dict[str, Any]:
    """The deployment once it has a final state."""
    deadline = time.monotonic() + 60
    while (status := stack.api.get(f"/device/deployment/{deployment}"))["state"] not in ENDED:
        assert time.monotonic() < deadline, status
        time.sleep(0.1)
    assert isinstance(status, dict)
    return status
