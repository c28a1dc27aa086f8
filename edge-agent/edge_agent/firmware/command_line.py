"""`edge-agent firmware inspect FILE`: what a file is and what would be refused; nothing is changed."""

from __future__ import annotations

import argparse
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec

from edge_agent.errors import AgentError
from edge_agent.firmware.building import free_bytes
from edge_agent.firmware.inspection import Inspection, Trust, inspect
from edge_agent.firmware.installers import PackageInstaller
from edge_agent.firmware.launcher import DELIVERED, FOLDER
from edge_agent.firmware.preparation import RESERVE_BYTES
from edge_agent.firmware.settings import SETTINGS_FILE, FirmwareSettings, read_settings
from edge_agent.firmware.slots import Slots
from edge_agent.system.battery import read_battery
from edge_contract.firmware import FirmwareError, FirmwareTarget

OK, FAILED = 0, 1


def inspect_file(chosen: argparse.Namespace) -> int:
    """Exit code 0 when the file is sound and, with --data, this gateway would take it.

    Raises AgentError when a file cannot be read, ConfigError for a wrong firmware.toml.
    """
    settings = None
    if chosen.data is not None and (settings := read_settings(chosen.data)) is None:
        raise AgentError(f"{chosen.data / SETTINGS_FILE} is missing: this gateway takes no firmware")
    target = _target(chosen.data, settings) if settings is not None else None
    trust = Trust(settings.public_keys) if settings is not None else None
    try:
        report = inspect(chosen.file, trust, target)
        machine = _machine(chosen, settings, report) if settings is not None else {}
    except OSError as error:
        raise AgentError(f"{chosen.file}: {error.strerror}") from None
    document = _document(report, target, machine)
    if chosen.json:
        sys.stdout.write(msgspec.json.encode(document).decode() + "\n")
    else:
        sys.stdout.write("\n".join(_lines(document)) + "\n")
    return FAILED if document["refused"] else OK


def _target(folder: Path, settings: FirmwareSettings) -> FirmwareTarget:
    """What is confirmed there; the installation that runs this command otherwise."""
    slots = Slots(folder / FOLDER, DELIVERED)
    content = slots.content(slots.state.slot)
    return FirmwareTarget(
        name=settings.name,
        model=settings.model,
        version=content.manifest.version if content else 0,
        security_version=slots.state.security_version,
        agent=content.manifest.version_text if content else version("edge-agent"),
        upgrade_types=[int(PackageInstaller.upgrade_type)],
    )


def _machine(
    chosen: argparse.Namespace, settings: FirmwareSettings, report: Inspection
) -> dict[str, dict[str, Any]]:
    """Space and battery, each with whether an upgrade would be refused for it now."""
    free, battery = free_bytes(chosen.data / FOLDER), read_battery()
    needed = report.size + RESERVE_BYTES
    if report.header is not None and not report.faults:
        try:
            needed += PackageInstaller().unpacked_bytes(chosen.file, report.header)
        except AgentError as error:
            return {"payload": {"refused": True, "says": str(error)}}
    low = battery is not None and not battery.external and battery.percent < settings.min_battery_percent
    charge = f"{battery.percent} %" if battery else "not known, which is no reason against it"
    return {
        "disk": {
            "refused": free < needed,
            "says": f"{needed // 2**20 + 1} MiB are needed, {free // 2**20} MiB are free",
        },
        "battery": {"refused": low, "says": charge},
    }


def _document(
    report: Inspection, target: FirmwareTarget | None, machine: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    refused = [_fault(error) for error in (*report.faults, *report.refused)]
    refused += [
        {"code": name, "field": name, "rule": each["says"]}
        for name, each in machine.items()
        if each["refused"]
    ]
    manifest = msgspec.to_builtins(report.header.manifest) if report.header else None
    installed = None if target is None else {
        "name": target.name, "model": target.model, "version": target.version,
        "security_version": target.security_version, "agent": target.agent,
    }  # fmt: skip
    return {
        "file": {"size": report.size, "sha256": report.sha256},
        "manifest": manifest,
        "signature": report.signature,
        "gateway": installed,
        "machine": {name: each["says"] for name, each in machine.items()},
        "refused": refused,
    }


def _fault(error: FirmwareError) -> dict[str, str]:
    return {"code": error.code.value, "field": error.field, "rule": error.rule}


def _lines(document: dict[str, Any]) -> list[str]:
    """The same for a person."""
    lines = [f"file: {document['file']['size']} bytes, SHA-256 {document['file']['sha256']}"]
    for name, value in (document["manifest"] or {}).items():
        lines.append(f"{name}: {', '.join(value) if isinstance(value, list) else value}")
    unknown = "not compared with any key: give --data" if document["manifest"] else "none that can be read"
    words = {"unknown": unknown, "refused": "refused", "valid": "valid"}
    lines.append(f"signature: {words[document['signature']]}")
    if document["gateway"] is not None:
        words_of = ", ".join(f"{name} {value}" for name, value in document["gateway"].items())
        lines.append(f"this gateway: {words_of}")
    lines += [f"{name}: {says}" for name, says in document["machine"].items()]
    lines += [f"REFUSED ({one['code']}) {one['field']}: {one['rule']}" for one in document["refused"]]
    return lines if document["refused"] else [*lines, "nothing is wrong with it"]
