"""What one hostile gateway may send: every message of the contract at its limits."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from edge_contract import batch, tunnel
from edge_contract.collection import Collection, CollectionRecord, Missed, PointReads, ReadGap, SlaveReads
from edge_contract.deployment import ConfigurationReport, Origin, Receipt, Step, document_hash
from edge_contract.edge_rules import RuleEvent, RuleEventKind, RuleEvents, RuleProblem, RulesReport
from edge_contract.edge_tasks import EdgeTaskRun, TaskProblem, TaskReport, TaskWriteResult
from edge_contract.exchange_rules import ExchangeProblem, ExchangeReport, ExchangeResult
from edge_contract.limits import (
    COLLECTION_GAPS,
    COLLECTION_POINTS,
    COLLECTION_RECORDS,
    MAX_EDGE_RULES,
    MAX_EDGE_TASKS,
    MAX_EVENTS,
    MAX_EXCHANGE_RESULTS,
    MAX_EXCHANGE_RULES,
    MAX_TASK_RUNS,
    MAX_TRACE_CHARACTERS,
    MAX_TRACE_ENTRIES,
)
from edge_contract.model import Sample, rows_of
from edge_contract.payloads import (
    Catalog,
    CommandResult,
    Hello,
    PointEntry,
    Pulse,
    SlaveEntry,
    SlaveHealth,
    State,
    catalog_hash,
    decode,
    encode,
)
from edge_contract.topics import Message
from edge_contract.trace import TraceEntry, TraceKind, TraceReport
from edge_contract.upgrade import FirmwareReport, FirmwareState, UpgradeStep

STREAM = "ee" * 8
BOOT = "bb" * 8

OWN_POINTS = 2000
"""Points of the gateway before it begins."""

Payloads = Sequence[bytes]
Maker = Callable[[int], Payloads]
"""How many messages, to those messages."""


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def _random() -> str:
    return os.urandom(8).hex()


@cache
def large_catalog(prefix: str, points: int = 20_000, slaves: int = 1000) -> bytes:
    """With names that begin so."""
    some = [
        SlaveEntry(name=f"s{n}", title=f"Slave {n}", protocol="modbus_tcp", port="lan", address=str(n))
        for n in range(slaves)
    ]
    entries = [
        PointEntry(
            id=n + 1, slave=f"s{n % slaves}", name=f"{prefix}{n}", title=f"Point number {n}", kind="num",
            rw="readonly", data_type="float32", unit="kWh", period_ms=1000,
        )
        for n in range(points)
    ]  # fmt: skip
    return encode(Catalog(hash=catalog_hash(some, entries), t_ms=1, slaves=some, points=entries))


@cache
def own_catalog() -> Catalog:
    """What the gateway has before it begins."""
    return decode(Catalog, large_catalog("own_", OWN_POINTS, 1000))


def _batch(seq: int, catalog: str, stream: str = STREAM, samples: int = 1) -> bytes:
    now = now_ms()
    some = [Sample(1 + number % OWN_POINTS, now + number, float(number)) for number in range(samples)]
    return batch.encode(stream, seq, catalog, now, rows_of(some))


def random_catalogs(count: int) -> Payloads:
    """Small batches, each of a catalog that nobody knows."""
    return [_batch(seq, _random()) for seq in range(1, count + 1)]


def random_streams(count: int) -> Payloads:
    """Small batches, each of a stream of its own."""
    return [_batch(1, "cc" * 8, _random()) for _ in range(count)]


def large_batches(count: int) -> Payloads:
    """As many samples as a batch may have; in a stream of their own, so that none is a duplicate."""
    stream, catalog = _random(), own_catalog().hash
    return [_batch(seq, catalog, stream, 20_000) for seq in range(1, max(count // 100, 2) + 1)]


def duplicates(count: int) -> Payloads:
    """The same batch again and again."""
    return [_batch(1, "cc" * 8)] * count


def broken(count: int) -> Payloads:
    """Batches that fail their checks, each three times."""
    payloads: list[bytes] = []
    for seq in range(1, count // 3 + 1):
        frame = bytearray(_batch(seq, "cc" * 8, samples=100))
        frame[-6] ^= 1
        payloads += [bytes(frame)] * 3
    return payloads


def hellos(count: int) -> Payloads:
    """Each of a stream of its own."""
    return [
        encode(
            Hello(
                version_min=1, version_max=1, agent="1", boot=_random(), stream=_random(), first_seq=1,
                next_seq=1000, catalog=_random(), clock_set=True, t_ms=now_ms(),
            )
        )
        for _ in range(count)
    ]  # fmt: skip


def states(count: int) -> Payloads:
    """Coming and going."""
    return [encode(State(online=bool(n % 2), boot=BOOT, t_ms=now_ms())) for n in range(count)]


def catalogs(count: int) -> Payloads:
    """20,000 new names, three times."""
    return [large_catalog(f"{_random()}_") for _ in range(min(count, 3))]


def pulses(count: int) -> Payloads:
    """1,000 slaves that come and go."""
    payloads = []
    for n in range(max(count // 10, 2)):
        slaves = [
            SlaveHealth(name=f"s{i}", online=bool((n + i) % 2), last_good_ms=1, reason="no_answer")
            for i in range(1000)
        ]
        pulse = Pulse(
            t_ms=now_ms(), boot=BOOT, stream=STREAM, next_seq=2**40, outbox_batches=1, outbox_bytes=1,
            hours_left=None, evicted_batches=0, slaves=slaves,
        )  # fmt: skip
        payloads.append(encode(pulse))
    return payloads


def results(count: int) -> Payloads:
    """Of commands that nobody gave."""
    return [encode(CommandResult(id=f"nobodys-{n}", state="resp", t_ms=now_ms())) for n in range(count)]


def receipts(count: int) -> Payloads:
    """Of deployments that nobody asked for."""
    return [
        encode(Receipt(id=f"nobodys-{n}", step=Step.CONFIRMED, t_ms=now_ms(), running="0" * 64))
        for n in range(count)
    ]


def configurations(count: int) -> Payloads:
    """Of 4 MB, each another one."""
    payloads = []
    for n in range(max(count // 300, 2)):
        points = [
            {"slave": "s", "name": f"p{i}", "title": f"{n} {i} " + "x" * 150, "address": {"offset": i}}
            for i in range(18_000)
        ]
        document = {"gateway": {"id": "gw-hostile"}, "points": points}
        report = ConfigurationReport(
            hash=document_hash(document), origin=Origin.LOCAL, t_ms=now_ms(), document=document
        )
        payloads.append(encode(report))
    return payloads


def frames(count: int) -> Payloads:
    """Of tunnels that are not open, as large as a frame may be."""
    data = os.urandom(tunnel.MAX_DATA)
    return [tunnel.encode(tunnel.Frame(_random(), n + 1, tunnel.Kind.DATA, data)) for n in range(count)]


def values_of_random_catalogs(count: int) -> Payloads:
    """Values of points that are not stored, each of a catalog that nobody knows."""
    return random_catalogs(count)


def large_values(count: int) -> Payloads:
    """As many values of points that are not stored as a batch may have."""
    return large_batches(count)


def _report(seq: int, stream: str, gaps: int) -> bytes:
    """An hour of 1,000 slaves with names of their own and as many points and gaps as a record may have."""
    from_ms = now_ms() - 3_600_000 - 60_000
    lost = {str(reason): 1 for reason in list(Missed)[:10]}
    slaves = [SlaveReads(name=f"{seq}-s{n}", expected=2**40, good=1, missed=lost) for n in range(1000)]
    points = [
        PointReads(slave=f"{seq}-s{n}", point=f"p{n}", expected=9, good=1) for n in range(COLLECTION_POINTS)
    ]
    some = [
        ReadGap(
            slave=f"{seq}-s{n}", from_ms=from_ms + n * 10, to_ms=from_ms + n * 10 + 1 + seq % 5,
            reason="no_answer", points=[f"point-{seq}-{n}-{i}" for i in range(17)],
        )
        for n in range(gaps)
    ]  # fmt: skip
    records = [
        CollectionRecord(
            seq=COLLECTION_RECORDS * seq + n, from_ms=from_ms + n * 60_000, to_ms=from_ms + (n + 1) * 60_000,
            slaves=slaves, points=points, gaps=some,
        )
        for n in range(5)
    ]  # fmt: skip
    return encode(Collection(stream=stream, records=records))


def large_reports(count: int) -> Payloads:
    """Reports of collection of about the largest size, and too many of them; in a stream of their own."""
    stream = _random()
    return [_report(seq, stream, COLLECTION_GAPS) for seq in range(1, max(count // 100, 3) + 1)]


def reports_of_many_streams(count: int) -> Payloads:
    """Small reports, each of a stream of its own."""
    now = now_ms()
    reads = [SlaveReads(name="s", expected=1, good=0)]
    return [
        encode(
            Collection(
                stream=_random(),
                records=[CollectionRecord(seq=1, from_ms=now - 60_000, to_ms=now, slaves=reads)],
            )
        )
        for _ in range(count)
    ]


def rules_reports(count: int) -> list[bytes]:
    """Each names as many rules as a report may."""
    problems = [RuleProblem(rule=1 + at, code="x" * 200) for at in range(MAX_EDGE_RULES)]
    return [encode(RulesReport(hash=os.urandom(32).hex(), problems=problems)) for _ in range(count)]


def rule_events(count: int) -> list[bytes]:
    """Full reports of a new stream each, of rules that are not the gateway's."""
    now = now_ms()
    events = [
        RuleEvent(
            seq=1 + at,
            kind=RuleEventKind.RAISED,
            rule=1 + at,
            version=1,
            t_ms=now,
            raised_ms=now,
            since_ms=now,
        )
        for at in range(1, MAX_EVENTS + 1)
    ]
    return [encode(RuleEvents(stream=_random(), events=events)) for _ in range(count)]


def exchange_reports(count: int) -> list[bytes]:
    """Full reports, of rules that are not the gateway's."""
    now = now_ms()
    problems = [ExchangeProblem(rule=1 + at, code="x" * 200) for at in range(MAX_EXCHANGE_RULES)]
    results = [
        ExchangeResult(rule=1 + at, source="x" * 200, value="x" * 200, t_ms=now)
        for at in range(MAX_EXCHANGE_RESULTS)
    ]
    return [
        encode(ExchangeReport(id=_random(), hash=os.urandom(32).hex(), problems=problems, results=results))
        for _ in range(count)
    ]


def task_reports(count: int) -> list[bytes]:
    """Full reports, of tasks that are not the gateway's."""
    now = now_ms()
    problems = [TaskProblem(task=1 + at, code="x" * 200) for at in range(MAX_EDGE_TASKS)]
    results = [
        TaskWriteResult(slave="x", point=f"p{at}", value="x" * 200, read="x" * 200, t_ms=now)
        for at in range(20)
    ]
    runs = [
        EdgeTaskRun(
            seq=1 + at, task=1 + at, version=1, planned_ms=now, begun_ms=now, ended_ms=now, results=results
        )
        for at in range(MAX_TASK_RUNS)
    ]
    return [
        encode(TaskReport(id=_random(), hash=os.urandom(32).hex(), problems=problems, results=runs))
        for _ in range(count)
    ]


def firmware_reports(count: int) -> list[bytes]:
    """Of upgrades that nobody ordered."""
    firmware = FirmwareState(
        name="x", model="x", version=1, version_text="x" * 200, security_version=0, upgrade_types=[1]
    )
    return [
        encode(
            FirmwareReport(
                id=_random(), step=UpgradeStep.CONFIRMED, t_ms=now_ms(), firmware=firmware, detail="x" * 200
            )
        )
        for _ in range(count)
    ]


def trace_reports(count: int) -> list[bytes]:
    """Full reports of a trace that nobody asked for."""
    entries = [
        TraceEntry(seq=1 + at, t_ms=now_ms(), kind=TraceKind.LOG, text="x" * MAX_TRACE_CHARACTERS)
        for at in range(MAX_TRACE_ENTRIES)
    ]
    return [encode(TraceReport(since_ms=now_ms(), upto=MAX_TRACE_ENTRIES, entries=entries))] * count


ATTACKS: Mapping[Message, Mapping[str, Maker]] = {
    Message.LIVE: {
        "random_catalogs": random_catalogs,
        "random_streams": random_streams,
        "large_batches": large_batches,
        "duplicates": duplicates,
    },
    Message.HISTORY: {"broken": broken},
    Message.HELLO: {"hellos": hellos},
    Message.STATE: {"states": states},
    Message.CATALOG: {"catalogs": catalogs},
    Message.PULSE: {"pulses": pulses},
    Message.RESULT: {"results": results},
    Message.RECEIPT: {"receipts": receipts},
    Message.CONFIGURATION: {"configurations": configurations},
    Message.VALUES: {"values_of_random_catalogs": values_of_random_catalogs, "large_values": large_values},
    Message.COLLECTION: {
        "large_reports": large_reports,
        "reports_of_many_streams": reports_of_many_streams,
    },
    Message.EVALUATION: {"rules_reports": rules_reports},
    Message.EVENTS: {"rule_events": rule_events},
    Message.EXCHANGED: {"exchange_reports": exchange_reports},
    Message.TASK_RUNS: {"task_reports": task_reports},
    Message.FIRMWARE: {"firmware_reports": firmware_reports},
    Message.TRACED: {"trace_reports": trace_reports},
    Message.TUNNEL_UP: {"frames": frames},
}
"""Every message that gateways send; a new one without an attack fails the test that reads this."""
