"""A trace: when it runs, what is in it, how much of it goes; every entry that was dropped is counted."""

from __future__ import annotations

import logging
from typing import Any

import msgspec
import pytest

from edge_agent.bus.trace import MAX_CHUNKS, PAUSE_MS
from edge_agent.signals import Signal, signal
from edge_agent.trace.recorder import BURST_S, MAX_WAITING
from edge_contract.limits import (
    MAX_TRACE_BYTES,
    MAX_TRACE_ENTRIES,
    MAX_TRACE_FRAME,
    TRACE_BYTES_S,
    TRACE_ENTRIES_S,
    TRACE_S,
)
from edge_contract.payloads import decode, encode
from edge_contract.trace import TraceDirection, TraceKind, TraceReport

REQUEST = bytes.fromhex("000100000006010300000002")
ANSWER = bytes.fromhex("000100000007010304000A000B")
log = logging.getLogger("edge_agent.tests.trace")


def spoken(gateway: Any, port: str = "line", slave: str = "boiler") -> None:
    """A request and its answer in two chunks."""
    trace = gateway.ports[port]
    trace.slave = slave
    trace.seen("request", REQUEST)
    trace.seen("answer", ANSWER[:5])
    trace.seen("answer", ANSWER[5:])


@pytest.mark.clause("C-241")
def test_nothing_is_collected_while_nobody_watches(gateway: Any) -> None:
    spoken(gateway)
    gateway.trace.signal(Signal(TraceKind.PORT, "opened", "line"), "port line is open")
    assert gateway.entries() == []
    assert gateway.reports == []
    gateway.ask()
    assert gateway.entries() == []
    assert (gateway.upto, len(gateway.reports)) == (0, 1), "the first report answers the request"
    gateway.entries()
    assert len(gateway.reports) == 1, "nothing is sent without anything new"
    gateway.ask()
    gateway.entries()
    assert len(gateway.reports) == 2, "each request is answered"


@pytest.mark.clause("C-240")
def test_a_trace_ends_by_itself_by_word_and_goes_on_when_prolonged(gateway: Any) -> None:
    gateway.ask(TRACE_S)
    gateway.clock.s += TRACE_S - 1
    assert gateway.trace.is_active
    gateway.ask(TRACE_S)
    gateway.clock.s += TRACE_S - 1
    spoken(gateway)
    assert [entry.seq for entry in gateway.entries(0.5)] == [1, 2]
    began = gateway.reports[-1].since_ms
    gateway.clock.s += TRACE_S
    spoken(gateway)
    assert not gateway.trace.is_active
    assert gateway.trace.reports() == []
    gateway.ask(TRACE_S)
    spoken(gateway)
    assert [entry.seq for entry in gateway.entries()] == [1, 2], "numbers begin anew, with what came since"
    assert gateway.reports[-1].since_ms > began
    gateway.ask(0)
    spoken(gateway)
    assert not gateway.trace.is_active
    assert gateway.trace.reports() == []


@pytest.mark.clause("C-240")
def test_the_audit_names_who_watches_once(gateway: Any, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        gateway.ask()
        gateway.ask()
        gateway.clock.s += TRACE_S
        gateway.entries()
        gateway.entries()
    assert caplog.messages == [
        "audit: signals and frames are traced for ops",
        "audit: the trace of signals and frames has ended",
    ]


@pytest.mark.clause("C-243")
def test_frames_come_with_device_direction_and_what_is_decoded(gateway: Any) -> None:
    gateway.ask()
    spoken(gateway)
    sent, received = gateway.entries()
    assert (sent.kind, sent.source, sent.device) == (TraceKind.FRAME, "line", "boiler")
    assert (sent.direction, sent.data, sent.size) == (TraceDirection.SENT, REQUEST.hex().upper(), 12)
    assert (received.direction, received.data) == (TraceDirection.RECEIVED, ANSWER.hex().upper())
    assert sent.fields["name"] == "read holding registers"
    assert (sent.error, received.error) == ("", "")
    gateway.ports["line"].seen("answer", b"\x01\x02")
    (damaged,) = gateway.entries()
    assert (damaged.fields, bool(damaged.error), damaged.data) == ({}, True, "0102")


def test_an_answer_that_may_still_grow_waits_for_its_end(gateway: Any) -> None:
    gateway.ask()
    spoken(gateway)
    assert [entry.direction for entry in gateway.entries(0.0)] == [TraceDirection.SENT]
    assert [entry.data for entry in gateway.entries(2 * PAUSE_MS / 1000)] == [ANSWER.hex().upper()]


@pytest.mark.clause("C-243")
def test_a_long_frame_is_cut_and_its_size_is_true(gateway: Any) -> None:
    gateway.ask()
    gateway.ports["line"].seen("answer", bytes(5000))
    (entry,) = gateway.entries()
    assert (len(entry.data), entry.size) == (2 * MAX_TRACE_FRAME, 5000)


@pytest.mark.clause("C-242")
def test_what_is_beyond_the_rate_is_dropped_evenly_and_counted(gateway: Any) -> None:
    gateway.ask()
    gateway.entries(60.0 - 20)
    for _ in range(MAX_CHUNKS):
        gateway.ports["line"].seen("request", REQUEST)
    for number in range(50):
        gateway.trace.signal(Signal(TraceKind.DEVICE, "lost", "meters", "meter"), f"lost {number}")
    entries = gateway.entries()
    assert len(entries) == BURST_S * TRACE_ENTRIES_S
    assert [entry.seq for entry in entries] == sorted({entry.seq for entry in entries})
    assert gateway.upto == MAX_CHUNKS + 50, "every entry has a number, also one that was dropped"
    assert len([one for one in entries if one.kind is TraceKind.DEVICE]) == 50, "a busy port takes no place"
    for _ in range(MAX_CHUNKS):
        gateway.ports["line"].seen("request", REQUEST)
    assert len(gateway.entries(1.0)) == TRACE_ENTRIES_S, "the burst is used up"
    assert gateway.upto == 2 * MAX_CHUNKS + 50


@pytest.mark.clause("C-242")
def test_bytes_are_bounded_and_reports_have_their_size(gateway: Any) -> None:
    gateway.ask()
    for _ in range(MAX_CHUNKS):
        gateway.ports["line"].seen("request", bytes(1000))
    entries = gateway.entries()
    assert 0 < len(entries) < BURST_S * TRACE_ENTRIES_S
    sizes = [len(encode(report)) for report in gateway.reports]
    assert sum(len(msgspec.json.encode(entry)) for entry in entries) <= BURST_S * TRACE_BYTES_S
    assert max(sizes) <= MAX_TRACE_BYTES
    assert max(len(report.entries) for report in gateway.reports) <= MAX_TRACE_ENTRIES
    assert gateway.upto == MAX_CHUNKS
    for report in gateway.reports:
        assert decode(TraceReport, encode(report)) == report


@pytest.mark.clause("C-241", "C-242")
def test_what_a_ring_and_the_waiting_line_could_not_hold_is_counted(gateway: Any) -> None:
    """As while the link is down."""
    gateway.ask()
    for _ in range(MAX_CHUNKS + 30):
        gateway.ports["line"].seen("request", REQUEST)
    for number in range(MAX_WAITING + 20):
        gateway.trace.signal(Signal(TraceKind.LOG, "warning", "bus"), str(number))
    gateway.entries()
    assert gateway.upto == MAX_CHUNKS + 30 + MAX_WAITING + 20


@pytest.mark.clause("C-240")
def test_a_trace_goes_on_through_a_switch_of_the_configuration(gateway: Any) -> None:
    gateway.ask()
    gateway.trace.signal(Signal(TraceKind.CONFIGURATION, "switched"), "another version")
    gateway.trace = gateway.again()
    spoken(gateway)
    assert [(one.seq, one.kind) for one in gateway.entries()] == [
        (1, TraceKind.CONFIGURATION),
        (2, TraceKind.FRAME),
        (3, TraceKind.FRAME),
    ]


def test_lines_of_the_log_are_signals_from_warning_on_or_where_they_say_so(gateway: Any) -> None:
    gateway.ask()
    with gateway.trace.listening():
        log.warning("the medium is %s", "full")
        log.info("nobody needs this")
        log.warning("port line is down", extra=signal(TraceKind.PORT, "closed", "line"))
    log.warning("not any more")
    assert [(one.kind, one.source, one.code, one.text) for one in gateway.entries()] == [
        (TraceKind.LOG, "tests.trace", "warning", "the medium is full"),
        (TraceKind.PORT, "line", "closed", "port line is down"),
    ]
