"""Which gateways get a file, and in which wave: pure."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cloud.domains.firmware.planning import (
    Misfit,
    PlannedGateway,
    TargetGateway,
    Waves,
    faults_of,
    left_out,
    plan_waves,
    refusal,
)
from edge_contract.firmware import FirmwareTarget

from .conftest import MODEL, manifest

MANIFEST = manifest(b"x", security_version=3, min_agent="1.2")
TARGET = FirmwareTarget("edge-agent", MODEL, 1, 3, "1.2.0", [2])


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({}, ""),
        ({"version": 0}, ""),
        ({"version": 2}, "installed"),
        ({"version": 3}, "older"),
        ({"name": "other"}, "name"),
        ({"model": "other"}, "model"),
        ({"upgrade_types": [1]}, "upgrade_type"),
        ({"security_version": 4}, "security_version"),
        ({"agent": "1.1.9"}, "min_agent"),
    ],
)
def test_why_a_gateway_does_not_get_it(changes: dict[str, object], code: str) -> None:
    target = replace(TARGET, **changes)  # type: ignore[arg-type]
    assert refusal(target, MANIFEST, allow_older=False) == code


def test_what_the_cloud_knows_beside_what_the_gateway_says() -> None:
    assert refusal(None, MANIFEST, allow_older=False) == "no_firmware"
    assert refusal(None, MANIFEST, allow_older=False, is_writable=False) == "read_only"
    assert refusal(TARGET, MANIFEST, allow_older=False, is_writable=False) == "read_only"
    newer = replace(TARGET, version=3)
    assert refusal(newer, MANIFEST, allow_older=True) == ""


def gateway(
    number: int, target: FirmwareTarget | None = TARGET, *, is_writable: bool = True
) -> TargetGateway:
    return TargetGateway(number, online=number % 2 == 0, target=target, is_writable=is_writable)


def test_every_fault_says_what_the_file_has_and_what_the_gateway_said() -> None:
    older = replace(TARGET, name="other", model="old", version=7, security_version=9, agent="0.9")
    types = replace(TARGET, upgrade_types=[1, 3])
    targets = [
        TargetGateway(1, online=True, target=older, is_writable=True, title="A"),
        TargetGateway(2, online=True, target=types, is_writable=True, title="B"),
        TargetGateway(3, online=True, target=replace(older, version=1), is_writable=True, title="C"),
        TargetGateway(4, online=True, target=TARGET, is_writable=True, title="D"),
        TargetGateway(5, online=True, target=replace(TARGET, version=2), is_writable=True, title="E"),
        TargetGateway(6, online=True, target=None, is_writable=True, title="F"),
    ]
    assert faults_of(targets, MANIFEST, allow_older=False) == {
        Misfit("name", "edge-agent", "other"): ["A", "C"],
        Misfit("model", MODEL, "old"): ["A", "C"],
        Misfit("security_version", "3", "9"): ["A", "C"],
        Misfit("min_agent", "1.2", "0.9"): ["A", "C"],
        Misfit("older", "2", "7"): ["A"],
        Misfit("upgrade_type", "2", "1 / 3"): ["B"],
        Misfit("installed", "2", "2"): ["E"],
        Misfit("no_firmware"): ["F"],
    }


def test_waves_are_filled_in_the_order_of_the_gateways() -> None:
    targets = [
        gateway(1),
        gateway(2, None),
        gateway(3),
        gateway(4, is_writable=False),
        *map(gateway, range(5, 9)),
    ]
    waves = Waves(scope=2, control_count=1, growth=2, max_wave=100, first=3)
    planned = plan_waves(targets, MANIFEST, waves, allow_older=False)
    assert [(each.device_id, each.wave, each.code) for each in planned] == [
        (1, 3, ""),
        (3, 4, ""),
        (5, 4, ""),
        (6, 5, ""),
        (7, 5, ""),
        (8, 5, ""),
        (2, 3, "no_firmware"),
        (4, 3, "read_only"),
    ]
    assert [each.online for each in planned if each.device_id in (6, 7)] == [True, False]
    assert left_out(planned) == {"no_firmware": 1, "read_only": 1}


def test_at_scope_1_those_beyond_the_first_are_not_planned() -> None:
    waves = Waves(scope=1, control_count=2, growth=3, max_wave=100)
    planned = plan_waves([gateway(number) for number in range(1, 6)], MANIFEST, waves, allow_older=False)
    assert planned == [PlannedGateway(1, False, 0), PlannedGateway(2, True, 0)]
