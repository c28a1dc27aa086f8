"""`edge-agent firmware inspect`: everything that is wrong, in words and as JSON, and nothing is changed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from edge_agent.__main__ import main
from edge_contract.firmware import MAGIC

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Signer


@pytest.fixture
def look(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, dict[str, Any]]]:
    def run(file: Path, *words: str) -> tuple[int, dict[str, Any]]:
        code = main(["firmware", "inspect", str(file), "--json", *words])
        return code, json.loads(capsys.readouterr().out)

    return run


def payload(make_wheel: Callable[..., Path]) -> bytes:
    from firmware_files import files

    wheel = make_wheel({"edge_agent/__main__.py": "print('2.0')"})
    out = wheel.with_suffix(".payload")
    files.pack([wheel], out)
    return out.read_bytes()


@pytest.mark.clause("C-201")
def test_a_sound_file(
    signer: Signer, look: Callable[..., tuple[int, dict[str, Any]]], tmp_path: Path,
    make_wheel: Callable[..., Path],
) -> None:  # fmt: skip
    data = tmp_path / "data"
    signer.settings(data)
    before = sorted(data.rglob("*"))
    file = signer.sign(payload(make_wheel), version=3, version_text="2.0")
    code, said = look(file, "--data", str(data))
    assert (code, said["refused"], said["signature"]) == (0, [], "valid")
    assert said["manifest"]["version"] == 3
    assert said["file"]["size"] == file.stat().st_size
    assert said["gateway"]["version"] == 0
    assert "MiB are free" in said["machine"]["disk"]
    assert sorted(data.rglob("*")) == before
    code, said = look(file)
    assert (code, said["signature"], said["gateway"]) == (0, "unknown", None)


@pytest.mark.clause("C-200", "C-201")
def test_everything_that_is_refused_is_said(
    signer: Signer, look: Callable[..., tuple[int, dict[str, Any]]], tmp_path: Path
) -> None:
    data = tmp_path / "data"
    signer.settings(data)
    file = signer.sign(b"no wheels", models=["other"], min_agent="99", upgrade_type=2)
    changed = bytearray(file.read_bytes())
    changed[-1] ^= 1
    file.write_bytes(changed)
    code, said = look(file, "--data", str(data))
    assert code == 1
    assert {one["code"] for one in said["refused"]} == {"hash", "model", "upgrade_type", "min_agent"}
    assert all(one["rule"] and one["field"] for one in said["refused"])


def test_a_payload_without_wheels_is_said(
    signer: Signer, look: Callable[..., tuple[int, dict[str, Any]]], tmp_path: Path
) -> None:
    signer.settings(tmp_path / "data")
    code, said = look(signer.sign(b"no wheels"), "--data", str(tmp_path / "data"))
    assert (code, [one["code"] for one in said["refused"]]) == (1, ["payload"])


@pytest.mark.parametrize("content", [b"", b"x", MAGIC, MAGIC + b"\xff\xff\xff\xff", bytes(100)])
def test_a_file_that_is_no_firmware(
    tmp_path: Path, look: Callable[..., tuple[int, dict[str, Any]]], content: bytes
) -> None:
    (tmp_path / "x.bin").write_bytes(content)
    code, said = look(tmp_path / "x.bin")
    assert (code, said["manifest"], [one["code"] for one in said["refused"]]) == (1, None, ["format"])


def test_words_for_a_person(
    signer: Signer, tmp_path: Path, capsys: pytest.CaptureFixture[str], make_wheel: Callable[..., Path]
) -> None:
    signer.settings(tmp_path / "data")
    file = signer.sign(payload(make_wheel), models=["other"])
    assert main(["firmware", "inspect", str(file), "--data", str(tmp_path / "data")]) == 1
    said = capsys.readouterr().out
    assert "signature: valid" in said
    assert "REFUSED (model) models: for other, this gateway is gw-200" in said


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "is missing"),
        ("model = 1", "model"),
        ("model = 'x'", "keys"),
        ("model = 'x'\nmodle = 'y'\n[keys]", "modle"),
        ("model = 'x'\n[keys]\nk = 'AAAA'", "32 bytes in base64"),
        ("model = 'x'\n[keys]\nk = '!'", "32 bytes in base64"),
        ("=", "not TOML"),
    ],
)
def test_settings_that_are_wrong_name_their_field(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | None, words: str
) -> None:
    if text is not None:
        (tmp_path / "firmware.toml").write_text(text)
    (tmp_path / "x.bin").write_bytes(b"")
    assert main(["firmware", "inspect", str(tmp_path / "x.bin"), "--data", str(tmp_path)]) != 0
    assert words in capsys.readouterr().err


def test_a_file_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["firmware", "inspect", str(tmp_path / "none.bin")]) == 1
    assert "No such file" in capsys.readouterr().err


def test_no_line_of_a_private_key_looks_like_a_public_one(tmp_path: Path) -> None:
    from firmware_files import files

    printed = files.make_key("release", tmp_path)
    lines = (tmp_path / "release.key").read_text().splitlines()
    assert lines[0] == "-----BEGIN PRIVATE KEY-----"
    assert [line for line in lines if re.fullmatch(r"[A-Za-z0-9+/]{43}=", line)] == []
    key_id, key = files.read_key(tmp_path / "release.key")
    assert printed == f'{key_id} = "{files.public_text(key)}"'
