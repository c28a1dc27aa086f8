"""Who answers on a port: every address with every line setting that somebody wants to try."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from itertools import product
from typing import Any, Literal

from edge_agent.bus.gap_optimiser import byte_s
from edge_agent.commissioning.target import opened, protocol_of, target_of, with_line
from edge_agent.config.model import Port
from edge_agent.errors import BadFrame, ConfigError, DeviceRefused, NoAnswer
from edge_agent.model import Seen
from edge_agent.system.clock import Clock

MAX_ADDRESSES = 1000
MAX_TRIES = 20_000
MAX_SETTINGS = 100  # bauds or parities of one search
LONGEST_NUMBER = 12  # digits of an address
QUOTED = 40  # characters of what is refused
LONGEST_TIMEOUT_MS = 60_000
EXCHANGE_BYTES = 40  # of a request and its answer: a slow line needs longer than the device

Verdict = Literal["answers", "garbled"]


@dataclass(frozen=True)
class ScanPlan:
    """What to try. bauds, parities: empty for the port's own; timeout_ms: for an answer's first byte."""

    protocol: str
    addresses: tuple[str, ...] = ()
    bauds: tuple[int, ...] = ()
    parities: tuple[str, ...] = ()
    timeout_ms: int = 200
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ScanResult:
    """identity: what the device reports of itself. garbled: something answers there that cannot be read.

    tried: address of the request; address: the device's own, which a wildcard finds out. baud, parity: None
    on a network.
    """

    address: str
    tried: str
    verdict: Verdict
    baud: int | None
    parity: str | None
    identity: str
    turnaround_ms: float


@dataclass
class ScanProgress:
    """tried of total; what is being tried now."""

    total: int
    tried: int = 0
    address: str = ""
    baud: int = 0
    parity: str = ""
    results: list[ScanResult] = field(default_factory=list)


def as_table(result: ScanResult) -> dict[str, Any]:
    """For JSON: without line settings where there is no line."""
    lineless = ("baud", "parity") if result.baud is None else ()
    return {
        "asked" if name == "tried" else name: value
        for name, value in asdict(result).items()
        if name not in lineless
    }


def lines_of(port: Port, plan: ScanPlan) -> list[Port]:
    """The port with every line setting to try; a NET port has one.

    Raises ConfigError when they are too many.
    """
    if port.type == "NET":
        return [port]
    bauds, parities = plan.bauds or (port.baud,), plan.parities or (port.parity,)
    for name, values in (("bauds", bauds), ("parities", parities)):
        if len(values) > MAX_SETTINGS:
            raise ConfigError(name, f"must be at most {MAX_SETTINGS}, not {len(values)}")
    return [with_line(port, baud, parity) for baud, parity in product(bauds, parities)]


def addresses_of(plan: ScanPlan, port: Port) -> tuple[str, ...]:
    """The plan's addresses, else the protocol's; ConfigError when they are too many."""
    addresses = plan.addresses or tuple(protocol_of(plan.protocol, port).scan_addresses)
    if len(addresses) > MAX_ADDRESSES:
        raise ConfigError("addresses", f"must be at most {MAX_ADDRESSES}, not {len(addresses)}")
    return addresses


def ranges(text: str) -> tuple[str, ...]:
    """Addresses from words such as "1-16,20"; what is no range of numbers stands for itself.

    ConfigError before anything is counted out.
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    spans = [_span(part) for part in parts]
    total = sum(len(span) if span is not None else 1 for span in spans)
    if total > MAX_ADDRESSES:
        raise ConfigError("addresses", f"must be at most {MAX_ADDRESSES}, not {total}")
    return tuple(
        address
        for part, span in zip(parts, spans, strict=True)
        for address in ([part] if span is None else map(str, span))
    )


def _span(part: str) -> range | None:
    first, dash, last = part.partition("-")
    if not (dash and part.isascii() and first.isdecimal() and last.isdecimal()):
        return None
    quoted = part if len(part) <= QUOTED else part[:QUOTED] + "..."
    if max(len(first), len(last)) > LONGEST_NUMBER:
        raise ConfigError("addresses", f"{quoted}: numbers must have at most {LONGEST_NUMBER} digits")
    if not int(first) <= int(last) < int(first) + MAX_ADDRESSES:
        raise ConfigError("addresses", f"{quoted}: must count upwards over at most {MAX_ADDRESSES} addresses")
    return range(int(first), int(last) + 1)


def progress_of(plan: ScanPlan, port: Port) -> ScanProgress:
    """Nothing tried yet. ConfigError names what is wrong with the plan."""
    addresses, lines = addresses_of(plan, port), lines_of(port, plan)
    if not addresses:
        raise ConfigError("addresses", f"must be given for {plan.protocol}")
    if len(addresses) * len(lines) > MAX_TRIES:
        raise ConfigError(
            "addresses",
            f"{len(addresses)} with {len(lines)} line settings are more than {MAX_TRIES} requests",
        )
    if not 10 <= plan.timeout_ms <= LONGEST_TIMEOUT_MS:
        raise ConfigError("timeout_ms", f"must be from 10 to {LONGEST_TIMEOUT_MS}")
    for line in lines:
        target_of(_slave(plan, addresses[0], line), line)
    for address in addresses:
        target_of(_slave(plan, address, lines[0]), lines[0])
    return ScanProgress(total=len(addresses) * len(lines))


def longest_s(plan: ScanPlan, port: Port) -> float:
    """Upper bound of the whole search."""
    tries = len(addresses_of(plan, port))
    return 10 + sum(5 + tries * 2.5 * _timeout_ms(plan, line) / 1000 for line in lines_of(port, plan))


async def scan(
    plan: ScanPlan,
    port: Port,
    progress: ScanProgress,
    clock: Clock,
    seen: Seen | None,
    report: Callable[[ScanProgress], None] = lambda progress: None,
) -> None:
    """Fill progress. PortDown when the port cannot be opened; the port is closed afterwards."""
    addresses = addresses_of(plan, port)
    for line in lines_of(port, plan):
        protocol = protocol_of(plan.protocol, line)
        async with opened(protocol, line, seen) as driver:
            progress.baud, progress.parity = line.baud, line.parity
            for address in addresses:
                progress.address = address
                report(progress)
                slave = target_of(_slave(plan, address, line), line).slave
                begun = clock.monotonic()
                answered: tuple[Verdict, str] | None = None
                try:
                    answered = "answers", await driver.identify(slave)
                except DeviceRefused as error:
                    answered = "answers", str(error)
                except BadFrame as error:
                    answered = "garbled", str(error)
                except NoAnswer:
                    pass
                took_ms = (clock.monotonic() - begun) * 1000
                if answered is not None:
                    progress.results.append(_result(line, address, *answered, took_ms))
                progress.tried += 1
    report(progress)


def _result(line: Port, tried: str, verdict: Verdict, identity: str, took_ms: float) -> ScanResult:
    wildcard = verdict == "answers" and identity.isdecimal() and not tried.isdecimal()
    serial = line.type == "COM"
    return ScanResult(
        address=identity if wildcard else tried,
        tried=tried,
        verdict=verdict,
        baud=line.baud if serial else None,
        parity=line.parity if serial else None,
        identity="" if wildcard else identity,
        turnaround_ms=round(took_ms, 1),
    )


def _slave(plan: ScanPlan, address: str, line: Port) -> dict[str, Any]:
    return {
        "protocol": plan.protocol,
        "address": address,
        "response_timeout_ms": _timeout_ms(plan, line),
        "retries": 0,
        "options": plan.options,
    }


def _timeout_ms(plan: ScanPlan, line: Port) -> int:
    return min(LONGEST_TIMEOUT_MS, plan.timeout_ms + round(EXCHANGE_BYTES * (byte_s(line) or 0) * 1000))
