"""The program's verbs, run as an operator runs them."""

from __future__ import annotations

import asyncio
import io
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cloud import single_instance
from cloud.__main__ import main

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Exit code, standard output and standard error of one call."""
    monkeypatch.setenv("EDGE_DATA_DIR", str(tmp_path / "data"))

    def call(*words: str, stdin: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["edge-cloud", *words])
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return call


def test_a_second_full_process_is_refused(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(single_instance, "WAIT_S", 0.0)
    monkeypatch.setattr("cloud.logs.configure", lambda kind: None)
    monkeypatch.setattr("cloud.__main__._application", lambda settings: None)
    first = single_instance.FolderLock(tmp_path / "data")
    assert asyncio.run(first.taken())
    code, _, err = run("serve")
    assert code == 1
    assert err.startswith(
        f"edge-cloud: another full process: process {os.getpid()} works on {tmp_path / 'data'}; only"
    )
    asyncio.run(first.release())


def test_gateway_is_claimed_once_listed_rotated_and_disabled(run: Run) -> None:
    code, secret, _ = run("gateway", "claim", "gw-1", "--title", "Pump house")
    assert (code, len(secret.strip())) == (0, 43)
    code, out, err = run("gateway", "claim", "gw-1", "--title", "Pump house")
    assert (code, out, err) == (3, "", "edge-cloud: gateway gw-1 is claimed already\n")
    code, rotated, _ = run("gateway", "claim", "gw-1", "--rotate")
    assert code == 0 and rotated != secret
    assert run("gateway", "disable", "gw-1")[0] == 0
    assert run("gateway", "enable", "gw-1") == (0, "", "")
    assert run("gateway", "enable", "gw-2") == (1, "", "edge-cloud: gateway gw-2 not found\n")
    assert run("gateway", "disable", "gw-2") == (1, "", "edge-cloud: gateway gw-2 not found\n")
    assert run("gateway", "list")[1].startswith("gw-1\toffline\t")


@pytest.mark.parametrize("count", ["-5", "0", "10001", "1e3", "many"])
def test_so_many_claims_as_there_may_be(run: Run, count: str) -> None:
    code, out, err = run("gateway", "claim", "gw-1", "--count", count)
    assert (code, out) == (2, "")
    assert err.endswith("error: argument --count: a whole number from 1 to 10000\n")


def test_claims_of_a_wrong_identity_make_none(run: Run) -> None:
    run("migrate")
    code, out, err = run("gateway", "claim", "a/b", "--count", "2")
    assert (code, out) == (1, "") and err.startswith("edge-cloud: gateway: 3 to 40 letters")
    code, out, err = run("gateway", "claim", "g" * 38, "--count", "10")  # the tenth has 41 characters
    assert (code, out) == (1, "") and err.startswith("edge-cloud: gateway: 3 to 40 letters")
    assert run("gateway", "list") == (0, "", "")


@pytest.mark.parametrize("setting", ["EDGE_BROKER_PORT", "EDGE_PORT"])
def test_a_taken_port_is_one_line_that_names_its_setting(tmp_path: Path, setting: str) -> None:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("EDGE_")}
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        environment |= {"EDGE_DATA_DIR": str(tmp_path), "EDGE_PORT": "0", "EDGE_BROKER_PORT": "0"}
        environment[setting] = str(port)
        command = [sys.executable, "-m", "cloud", "serve"]
        done = subprocess.run(
            command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
        )
    said = done.stdout + done.stderr
    assert done.returncode == 1
    assert not any(word in said for word in ("Traceback", "CancelledError"))
    (line,) = [line for line in said.splitlines() if setting + ":" in line]
    assert str(port) in line and "ddress already in use" in line


def test_databases_are_for_the_clouds_own_user(run: Run, tmp_path: Path) -> None:
    assert run("gateway", "claim", "gw-1")[0] == 0
    files = [path for path in (tmp_path / "data").rglob("*") if path.is_file()]
    assert files and all(path.stat().st_mode & 0o077 == 0 for path in files)


def test_a_database_that_a_verb_makes_is_said_once(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "data" / "cloud.db"
    code, out, err = run("gateway", "list")
    assert (code, out) == (0, "")
    assert err == f"edge-cloud: made a new database, {file}; set EDGE_DATA_DIR to use another\n"
    assert run("gateway", "list") == (0, "", "")


@pytest.mark.parametrize("verb", [("migrate",), ("user", "add", "admin")])
def test_verbs_of_the_first_setup_make_it_without_a_word(run: Run, verb: tuple[str, ...]) -> None:
    code, _, err = run(*verb)
    assert (code, err) == (0, "")


def test_wrong_identity_names_field_and_rule(run: Run) -> None:
    run("migrate")
    code, out, err = run("gateway", "claim", "a/b")
    assert (code, out) == (1, "") and err.startswith("edge-cloud: gateway: 3 to 40 letters")


def test_a_name_that_is_too_short_is_told_its_rule_and_is_long_enough_with_a_number(run: Run) -> None:
    run("migrate")
    code, _, err = run("gateway", "claim", "fw")
    assert (code, err[:39]) == (1, "edge-cloud: gateway: 3 to 40 letters, d")
    assert "3 to 40 letters" in " ".join(run("gateway", "claim", "--help")[1].split())
    code, out, _ = run("gateway", "claim", "fw", "--count", "2")
    assert (code, set(json.loads(out))) == (0, {"fw-1", "fw-2"})


def test_users(run: Run) -> None:
    code, made, _ = run("user", "add", "admin")
    assert (code, len(made.strip())) == (0, 16)
    assert run("user", "add", "admin")[0] == 3
    assert run("user", "password", "admin", "--password-stdin", stdin="correct!horse\n") == (0, "", "")
    code, _, err = run("user", "password", "admin", "--password-stdin", stdin="short\n")
    assert (code, err) == (1, "edge-cloud: password: 8 to 200 letters, digits and !@#$%^&*\n")


def test_users_below_users(run: Run) -> None:
    assert run("user", "add", "admin")[0] == 0
    assert run("user", "add", "factory", "--type", "1", "--parent", "admin")[0] == 0
    assert run("user", "add", "agent", "--type", "2", "--parent", "factory")[0] == 0
    assert run("user", "add", "x2", "--type", "1", "--parent", "agent") == (
        1, "", "edge-cloud: user_type: greater than 2, the type of agent\n"
    )  # fmt: skip
    assert run("user", "add", "x2", "--type", "1", "--parent", "nobody")[0] == 1
    assert run("user", "list")[1].splitlines() == [
        "admin\t0\tnormal\t-\t", "agent\t2\tnormal\tfactory\t", "factory\t1\tnormal\tadmin\t"
    ]  # fmt: skip


def test_wrong_setting_ends_with_2_and_names_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDGE_PORT", "70000")
    code, out, err = run("migrate")
    assert (code, out) == (2, "") and err.startswith("edge-cloud: EDGE_PORT: ")


def test_database_out_of_reach_ends_with_1(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    url = f"postgresql+asyncpg://edge:hidden@/edge?host={tmp_path}"
    monkeypatch.setenv("EDGE_DATABASE_URL", url)
    code, _, err = run("migrate")
    assert code == 1 and err.startswith("edge-cloud: ") and "hidden" not in err


def test_an_error_of_the_database_is_the_drivers_sentence(run: Run, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "cloud.db").write_bytes(b"no database at all" * 100)
    code, _, err = run("gateway", "list")
    assert (code, err) == (1, "edge-cloud: database: file is not a database\n")


def test_document_is_complete(run: Run) -> None:
    code, out, _ = run("openapi")
    document = json.loads(out)
    operations = [operation for path in document["paths"].values() for operation in path.values()]
    assert code == 0 and len({operation["operationId"] for operation in operations}) >= 16
    refusals = {"400", "401", "403", "404", "405", "409", "413", "429", "503"}
    assert all(refusals <= operation["responses"].keys() for operation in operations)
    answers = {
        operation["operationId"]: {"200", "206"} & operation["responses"].keys() for operation in operations
    }
    in_parts = {name: found for name, found in answers.items() if found != {"200"}}
    assert in_parts == {"getMapFile": {"206"}, "downloadFirmware": {"200", "206"}}
    assert not any({"422", "4XX", "5XX"} & operation["responses"].keys() for operation in operations)
    assert all(len(operation["tags"]) == 1 for operation in operations)
