"""What somebody reads who calls the agent on the gateway: every fault with its field, and no traceback."""

from __future__ import annotations

import io
import stat
from pathlib import Path

import pytest

from edge_agent.__main__ import main
from edge_agent.forwarding.passwords import FOLDER, PasswordState, all_passwords, password_of
from edge_agent.system.private_files import make_folder


def check(folder: Path, text: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Exit code and what stands on standard error."""
    file = folder / "gateway.toml"
    file.write_text('[gateway]\nid = "gw-1"\n' + text)
    code = main(["check", "--config", str(file)])
    return code, capsys.readouterr().err


def test_check_refuses_a_page_that_would_not_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = f'[local_page]\nhost = "10.0.0.1"\ncert_file = "{tmp_path}/c.pem"\nkey_file = "{tmp_path}/k.pem"\n'
    rule = "must be a file that can be read on this machine: No such file or directory\n"
    assert check(tmp_path, page, capsys) == (1, f"local_page.cert_file: {rule}local_page.key_file: {rule}")
    assert check(tmp_path, page + "enable = false\n", capsys) == (0, "")
    (tmp_path / "c.pem").write_text("nonsense")
    (tmp_path / "k.pem").write_text("nonsense")
    code, said = check(tmp_path, page, capsys)
    assert code == 1 and said.startswith("local_page.cert_file: must be a PEM certificate with its key")


@pytest.mark.parametrize(
    "words",
    [
        ["password"],
        ["secret", "--set"],
        ["network", "--add", "127.0.0.1"],
        ["network", "--default"],
        ["apply"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize(
    ("place", "why"), [("afile", "File exists"), ("/proc/nope", "No such file or directory")]
)
def test_a_data_folder_that_cannot_be_made_is_named(
    words: list[str], place: str, why: str, tmp_path: Path,
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr("sys.stdin", io.StringIO("secret\n"))
    (tmp_path / "afile").touch()
    (tmp_path / "gateway.toml").write_text('[gateway]\nid = "gw-1"\n')
    folder = tmp_path / place
    config = ["--config", str(tmp_path / "gateway.toml")] if words == ["apply"] else []
    assert main([*words, *config, "--data", str(folder)]) == 1
    assert capsys.readouterr().err == f"the data folder {folder} cannot be used: {why}\n"


SLAVE = '[[slaves]]\nname = "boiler"\nport = "lan"\nprotocol = "modbus_tcp"\naddress = "300"\n'


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("[local_page", True),
        ("[local_pge]\n", False),
        ("[storage]\nmax_mb = 0\n", False),
        (SLAVE, True),
        (SLAVE.replace("modbus_tcp", "modbus"), True),
        (SLAVE.replace("name =", "nmae ="), True),
        (SLAVE + '[[points]]\nslave = "boiler"\nname = "p"\ntype = "x"\n', True),
        (SLAVE + '[[points]]\nslave = "boiler"\nname = "p"\naddress = { offset = -1 }\n', True),
    ],
)
def test_check_says_when_more_may_follow(
    text: str, more: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said = check(tmp_path, text, capsys)
    last = said.splitlines()[-1]
    assert code == 1 and last.startswith("Check again once these are mended") == more, said


def test_a_new_password_is_said_in_plain_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["password", "--data", str(tmp_path)]) == 0
    file = tmp_path / "local-admin.txt"
    assert capsys.readouterr().out.splitlines() == [
        f"Local page: user admin, password {file.read_text().strip()}",
        f"The password is also in the file {file}. It is valid now; no restart is needed.",
    ]


PLC = """
[[ports]]
name = "lan"
type = "NET"
host = "127.0.0.1"
port = 502
[[slaves]]
name = "plc"
port = "lan"
protocol = "modbus_tcp"
address = "1"
[[points]]
slave = "plc"
name = "cod"
type = "num"
data_type = "float"
address = { reg_type = "3X", offset = 0 }
"""
TARGETS = """
[gateway]
id = "gw-1"
[[forwarders]]
name = "third"
kind = "mqtt"
options = { server = "broker.example", username = "plant", up_topic = "up" }
[[forwarders]]
name = "open"
kind = "mqtt"
options = { server = "broker.example", up_topic = "up" }
[[forwarders]]
name = "bureau"
kind = "hj212"
enable = false
[forwarders.options]
server = "bureau.example"
port = 9001
mn = "A1"
version = "2025"
cipher = "raw"
mapping = [{ factor = "w01018", point = "plc.cod" }]
"""


def test_a_target_with_several_secrets_takes_each_by_its_name_and_rule(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    config, data = tmp_path / "gateway.toml", tmp_path / "data"
    config.write_text(TARGETS + PLC)
    make_folder(data)
    assert main(["apply", "--config", str(config), "--data", str(data)]) == 0
    there, key = "bureau.example:9001/A1", "0123456789abcdef"
    for secret, text, rule in (
        ("", "1234567\n", "password: must be at most 6 letters and digits"),
        ("cipher_secret", "short\n", "password: must be 16 printable ASCII characters"),
        ("crc", "x\n", "secret: must be one of pw, cipher_secret"),
        ("", "123456\n", ""),
        ("cipher_secret", f"{key}\n", ""),
    ):
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        words = ["target-password", "bureau", "--secret", secret, "--data", str(data)]
        assert main(words) == (2 if rule else 0)
        assert rule in capsys.readouterr().err
    assert password_of(data, "bureau", "pw", there) == ("123456", PasswordState.SET)
    assert password_of(data, "bureau", "cipher_secret", there) == (key, PasswordState.SET)


def test_the_password_of_a_target_is_bound_to_where_it_goes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    config, data = tmp_path / "gateway.toml", tmp_path / "data"
    config.write_text(TARGETS + PLC)
    words = ["target-password", "third", "--data", str(data)]
    assert main(words) == 1
    assert "start the agent once" in capsys.readouterr().err
    make_folder(data)
    assert main(["apply", "--config", str(config), "--data", str(data)]) == 0
    monkeypatch.setattr("sys.stdin", io.StringIO(" s3cret \n"))
    assert main(words) == 0
    assert "s3cret" not in capsys.readouterr().out
    assert stat.S_IMODE((data / FOLDER / "third.password").stat().st_mode) == 0o600
    there = "mqtts://plant@broker.example:8883"
    assert password_of(data, "third", "password", there) == (" s3cret ", PasswordState.SET)
    assert list(all_passwords(data)) == [" s3cret "]
    for part, other in (("broker", "evil"), ("mqtts", "mqtt"), ("8883", "1"), ("plant", "admin")):
        elsewhere = there.replace(part, other)
        assert password_of(data, "third", "password", elsewhere) == (None, PasswordState.OTHER_PLACE)
    assert password_of(data, "none", "password", there) == (None, PasswordState.MISSING)
    for name, text, rule in (
        ("open", "x\n", "target: must be one of third, bureau"),
        ("third", "\n", "password: must be 1 to 4096"),
        ("third", "a\tb\n", "password: must be 1 to 4096"),
    ):
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        assert main(["target-password", name, "--data", str(data)]) == 2
        assert rule in capsys.readouterr().err
    (data / FOLDER / "third.password").write_text("{")
    assert password_of(data, "third", "password", there) == (None, PasswordState.MISSING)
