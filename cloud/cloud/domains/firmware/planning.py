"""Which gateways get a file, and in which wave. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from cloud.domains.firmware.rollout import wave_sizes
from edge_contract.firmware import FirmwareRefusal, FirmwareTarget, Manifest, refusals

READ_ONLY, NO_FIRMWARE, INSTALLED = "read_only", "no_firmware", "installed"


@dataclass(frozen=True, slots=True)
class TargetGateway:
    """A gateway in a plan's range. target: what it runs, by its own word; None: it takes no firmware."""

    device_id: int
    online: bool
    target: FirmwareTarget | None
    is_writable: bool
    title: str = ""


@dataclass(frozen=True, slots=True)
class PlannedGateway:
    """A gateway with its wave; code: why it is left out."""

    device_id: int
    online: bool
    wave: int
    code: str = ""


@dataclass(frozen=True, slots=True)
class Misfit:
    """A rule by which a gateway does not get a file. file: what that has or needs; gateway: what the gateway
    said; both empty where nothing is compared.
    """

    code: str
    file: str = ""
    gateway: str = ""


def faults(
    target: FirmwareTarget | None, manifest: Manifest, *, allow_older: bool, is_writable: bool = True
) -> list[Misfit]:
    """Every reason why a gateway does not get a file; none when it does. What it says itself decides."""
    if not is_writable:
        return [Misfit(READ_ONLY)]
    if target is None:
        return [Misfit(NO_FIRMWARE)]
    found = [
        Misfit(each.code.value, *_compared(each.code, manifest, target))
        for each in refusals(manifest, target, allow_older=allow_older)
    ]
    if not found and target.version == manifest.version:
        return [Misfit(INSTALLED, str(manifest.version), str(target.version))]
    return found


def refusal(
    target: FirmwareTarget | None, manifest: Manifest, *, allow_older: bool, is_writable: bool = True
) -> str:
    """The first reason as a code; empty when the gateway gets the file."""
    found = faults(target, manifest, allow_older=allow_older, is_writable=is_writable)
    return found[0].code if found else ""


def _compared(code: FirmwareRefusal, manifest: Manifest, target: FirmwareTarget) -> tuple[str, str]:
    types = " / ".join(str(int(each)) for each in sorted(target.upgrade_types))
    return {
        FirmwareRefusal.NAME: (manifest.name, target.name),
        FirmwareRefusal.MODEL: (", ".join(manifest.models), target.model),
        FirmwareRefusal.TYPE: (str(int(manifest.upgrade_type)), types),
        FirmwareRefusal.SECURITY: (str(manifest.security_version), str(target.security_version)),
        FirmwareRefusal.OLDER: (str(manifest.version), str(target.version)),
        FirmwareRefusal.AGENT: (manifest.min_agent, target.agent),
    }[code]


@dataclass(frozen=True)
class Waves:
    """scope, control_count: of the plan; growth, max_wave: of its rules. first: number of the first wave."""

    scope: int
    control_count: int | None
    growth: float
    max_wave: int
    first: int = 0

    def sizes(self, total: int) -> list[int]:
        """Gateways of each wave."""
        return wave_sizes(total, self.scope, self.control_count, self.growth, self.max_wave)


def plan_waves(
    targets: Sequence[TargetGateway], manifest: Manifest, waves: Waves, *, allow_older: bool
) -> list[PlannedGateway]:
    """targets: in the order of their turn. At scope 1 those beyond the first are not planned at all."""
    fitting: list[PlannedGateway] = []
    others: list[PlannedGateway] = []
    for each in targets:
        code = refusal(each.target, manifest, allow_older=allow_older, is_writable=each.is_writable)
        planned = PlannedGateway(each.device_id, each.online, waves.first, code)
        (others if code else fitting).append(planned)
    numbers = [number for number, size in enumerate(waves.sizes(len(fitting))) for _ in range(size)]
    chosen = [
        PlannedGateway(planned.device_id, planned.online, waves.first + number)
        for planned, number in zip(fitting, numbers, strict=False)
    ]
    return [*chosen, *others]


def left_out(planned: Sequence[PlannedGateway]) -> Counter[str]:
    """How many for each reason."""
    return Counter(each.code for each in planned if each.code)


def faults_of(
    targets: Sequence[TargetGateway], manifest: Manifest, *, allow_older: bool
) -> dict[Misfit, list[str]]:
    """Titles of the gateways by each fault that they have, the most frequent first."""
    titles: dict[Misfit, list[str]] = defaultdict(list)
    for each in targets:
        for fault in faults(each.target, manifest, allow_older=allow_older, is_writable=each.is_writable):
            titles[fault].append(each.title)
    return dict(sorted(titles.items(), key=lambda item: -len(item[1])))
