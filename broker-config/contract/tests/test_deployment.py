"""Deployment files: secrets have no default, images are pinned, units are valid and hardened."""

from __future__ import annotations

import configparser
import re
import subprocess
import sys
from pathlib import Path
from shutil import which
from typing import Any

import pytest
import yaml

REPOSITORY = Path(__file__).resolve().parents[3]
DEPLOY = REPOSITORY / "cloud" / "deploy"
COMPOSE = DEPLOY / "compose.yaml"
UNITS = [DEPLOY / "edge-cloud.service", REPOSITORY / "edge-agent" / "deploy" / "edge-agent.service"]
SECRET = re.compile(r"password|token|secret|cookie", re.IGNORECASE)
REQUIRED = re.compile(r"\$\{[A-Z0-9_]+:\?[^}]+\}")
TIMEOUT_S = 30.0


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))
    return content


def test_compose_passes_yamllint() -> None:
    rules = "{extends: default, rules: {line-length: {max: 120}, document-start: disable}}"
    command = [sys.executable, "-m", "yamllint", "--strict", "-d", rules, str(COMPOSE)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_no_secret_has_a_default(compose: dict[str, Any]) -> None:
    text = COMPOSE.read_text(encoding="utf-8")
    references = re.findall(r"\$\{[^}]*\}|\$[A-Za-z_]\w*", text)
    assert len(references) >= 8
    assert [reference for reference in references if not REQUIRED.fullmatch(reference)] == []
    for service in compose["services"].values():
        for name, value in service["environment"].items():
            if SECRET.search(name) and not name.endswith("_FILE"):
                assert REQUIRED.fullmatch(value), name
            if name.endswith("_FILE"):
                assert value.startswith("/run/secrets/"), name


def test_every_secret_of_a_service_is_given(compose: dict[str, Any]) -> None:
    text = COMPOSE.read_text(encoding="utf-8")
    for service in compose["services"].values():
        for name, value in service["environment"].items():
            if name.endswith("_FILE"):
                assert value.removeprefix("/run/secrets/") in service["secrets"]
        assert set(service.get("secrets", [])) <= set(compose["secrets"])
    for secret in compose["secrets"].values():
        if (
            "environment" in secret
        ):  # compose would take an unset one as empty: something else must require it
            assert f"${{{secret['environment']}:?" in text


def test_images_are_pinned(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        assert re.fullmatch(r"[\w./-]+:\d+\.\d+(\.\d+)?(-[a-z]+)?", service["image"]), name
    base = re.findall(r"^FROM (\S+)", (DEPLOY / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(base) == 1
    assert re.fullmatch(r"python:3\.12\.\d+-slim-\w+", base[0])
    assert compose["services"]["emqx"]["image"] == "emqx/emqx:5.8.9"


def test_services_are_watched_and_databases_are_not_reachable(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert all(
        "healthcheck" in service and service["restart"] == "unless-stopped" for service in services.values()
    )
    assert compose["networks"]["inside"]["internal"] is True
    for name in ("postgres", "influxdb"):
        assert services[name]["networks"] == ["inside"]
        assert "ports" not in services[name]
    assert services["emqx"]["ports"] == ["8883:8883"]
    assert all(port.startswith("127.0.0.1:") for port in services["cloud"]["ports"])
    assert {
        volume.partition(":")[0] for service in services.values() for volume in service["volumes"]
    } >= set(compose["volumes"])


def test_mounted_files_exist(compose: dict[str, Any]) -> None:
    for service in compose["services"].values():
        for volume in service["volumes"]:
            source = volume.partition(":")[0]
            if source.startswith("."):
                assert (DEPLOY / source).resolve().is_file(), source


def test_the_image_runs_locked_packages_and_not_as_root() -> None:
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    assert "pip install --require-hashes -r requirements.txt" in text
    assert re.findall(r"^USER (\w+)$", text, re.MULTILINE) == ["edge"]
    assert text.index("USER edge") < text.index("CMD")


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_units_are_hardened_and_restart(unit: Path) -> None:
    parser = configparser.RawConfigParser(strict=False, delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string(unit.read_text(encoding="utf-8"))
    service = parser["Service"]
    assert service["User"] == unit.stem
    assert service["Restart"] == "always"
    assert service["ProtectSystem"] == "strict"
    assert service["StateDirectory"] == unit.stem
    assert service["NoNewPrivileges"] == "yes"
    assert service["CapabilityBoundingSet"] == ""
    assert parser["Unit"]["StartLimitIntervalSec"] == "0"  # a gateway that gives up needs a journey


@pytest.mark.skipif(which("systemd-analyze") is None, reason="systemd is not installed")
@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_units_pass_systemd_analyze(unit: Path, tmp_path: Path) -> None:
    copy = tmp_path / unit.name  # with a program that exists here
    copy.write_text(
        re.sub(r"/opt/[\w-]+/bin/[\w-]+", "/bin/true", unit.read_text(encoding="utf-8")), encoding="utf-8"
    )
    command = ["systemd-analyze", "verify", str(copy)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    assert (done.returncode, done.stderr) == (0, "")
