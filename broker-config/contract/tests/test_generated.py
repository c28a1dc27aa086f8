"""Generated files are those that the code writes, and scripts/generate notices when they are not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from edge_contract.access import Action, Principal, Role, grants
from edge_contract.fields import ControlMessage
from edge_contract.payloads import AMONG_CLOUDS, CONTROL

REPOSITORY = Path(__file__).resolve().parents[3]
SCHEMA = REPOSITORY / "broker-config" / "contract" / "schema"
ACL = REPOSITORY / "broker-config" / "acl"
TIMEOUT_S = 30.0


def generate(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(REPOSITORY / "scripts" / "generate"), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)


@pytest.mark.clause("C-016", "C-082")
def test_schemas_and_access_lists_are_fresh() -> None:
    done = generate("--check", "contract")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.clause("C-016")
def test_a_stale_file_is_named(tmp_path: Path) -> None:
    """On a copy of what the script needs, so that nothing in the repository is touched."""
    copy = tmp_path / "repository"
    for file in ("scripts/generate", "scripts/_environment.py"):
        (copy / file).parent.mkdir(parents=True, exist_ok=True)
        (copy / file).write_bytes((REPOSITORY / file).read_bytes())
    (copy / ".venv").symlink_to(Path(sys.prefix))

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [str(copy / ".venv" / "bin" / "python"), str(copy / "scripts" / "generate"), *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)

    assert run("contract").returncode == 0
    assert run("--check", "contract").returncode == 0
    (copy / "broker-config/acl/mosquitto.acl").write_text("topic readwrite #\n")
    (copy / "broker-config/contract/schema/left-over.json").write_text("{}")
    done = run("--check", "contract")
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "stale: broker-config/acl/mosquitto.acl",
        "stale: broker-config/contract/schema/left-over.json",
    ]


def subclasses(kind: type) -> set[type]:
    direct = set(kind.__subclasses__())
    return direct.union(*map(subclasses, direct))


def test_messages_and_their_parts_never_change() -> None:
    """Whoever has one may hand it on; and what is as usual is not sent."""
    parts = {each for each in subclasses(msgspec.Struct) if each.__module__.startswith("edge_contract.")}
    assert {*CONTROL.values(), *AMONG_CLOUDS.values()} < parts
    assert [each for each in parts if not each.__struct_config__.frozen] == []
    messages = {each for each in subclasses(ControlMessage) if each.__module__.startswith("edge_contract.")}
    assert [each for each in messages if not each.__struct_config__.omit_defaults] == []


def test_a_wrong_name_is_refused() -> None:
    done = generate("--check", "everything")
    assert done.returncode == 2
    assert "everything is none of contract, parameters, protocols, forwarders, openapi, client" in done.stderr


def test_every_message_has_a_schema() -> None:
    assert {path.stem for path in SCHEMA.glob("*.json")} == {
        *(message.value.rpartition("/")[2] for message in CONTROL),
        *AMONG_CLOUDS,
    }
    ack = json.loads((SCHEMA / "ack.json").read_text(encoding="utf-8"))
    assert ack["$defs"]["Ack"]["properties"]["ranges"]["maxItems"] == 1000


@pytest.mark.clause("C-082")
def test_access_lists_end_in_denial_and_open_nothing() -> None:
    emqx = (ACL / "emqx-acl.conf").read_text(encoding="utf-8")
    terms = [line for line in emqx.splitlines() if not line.startswith("%%")]
    assert terms == ["{deny, all}."]  # while EMQX starts, a client has the name that it says it has
    for file in ACL.iterdir():
        assert "/#" not in file.read_text(encoding="utf-8")


@pytest.mark.clause("C-082")
def test_the_role_of_a_gateway_is_its_grants() -> None:
    role = json.loads(
        (ACL / "dynsec-gateway-role.json").read_text(encoding="utf-8").replace("{gateway}", "gw-1")
    )
    assert role["rolename"] == "gateway-gw-1"
    for action, kind in ((Action.PUBLISH, "publishClientSend"), (Action.SUBSCRIBE, "subscribeLiteral")):
        listed = {entry["topic"] for entry in role["acls"] if entry["acltype"] == kind}
        assert listed == {g.topic for g in grants(Principal(Role.GATEWAY, "gw-1")) if g.action is action}
    assert all(entry["allow"] for entry in role["acls"])
