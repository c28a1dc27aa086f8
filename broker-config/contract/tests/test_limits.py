"""Numbers that gateways in the field keep to: a change of one is a change of the contract."""

from __future__ import annotations

from edge_contract import limits

MIB = 1024 * 1024
WEEK_MS = 604_800_000


def test_every_number_of_the_contract() -> None:
    found = {name: value for name, value in vars(limits).items() if name.isupper()}
    assert found == {
        "MAX_BATCH_BYTES": 262_144,
        "MAX_BATCH_SAMPLES": 20_000,
        "WINDOW": 32,
        "RESEND_AFTER_S": 15,
        "PULSE_S": 30,
        "OFFLINE_AFTER_S": 75,
        "KEEPALIVE_S": 30,
        "COMMAND_EXPIRY_S": 20,
        "CLOCK_AHEAD_MS": 600_000,
        "EARLIEST_MS": 1_577_836_800_000,
        "MAX_TEXT": 200,
        "MAX_TARGET_REASON": 500,
        "MAX_POSITION_TEXT": 20,
        "MAX_USER": 64,
        "MAX_MISSING": 20,
        "MAX_GROUP_STATES": 32,
        "MAX_TRIED": 200,
        "MAX_COUNT": 9_007_199_254_740_992,
        "MAX_BODY_BYTES": MIB,
        "COLLECTION_S": 60,
        "COLLECTION_RECORDS": 32,
        "COLLECTION_SPAN_MS": WEEK_MS,
        "COLLECTION_GAPS": 500,
        "COLLECTION_POINTS": 500,
        "MAX_COLLECTION_BYTES": 2 * MIB,
        "WAITING_BATCHES": 20_000,
        "WAITING_BYTES": 32 * MIB,
        "WAITING_CATALOGS": 32,
        "WAITING_MS": WEEK_MS,
        "WATCHED_POINTS": 5000,
        "WATCH_S": 60,
        "CATALOGS_AN_HOUR": 60,
        "REMOVED_POINTS": 20_000,
        "STREAMS": 50,
        "MAX_EDGE_RULES": 2000,
        "MAX_RULES_BYTES": 1024 * 1024,
        "MAX_EXCHANGE_RULES": 500,
        "MAX_EXCHANGE_RESULTS": 100,
        "EXCHANGE_REPORT_S": 1,
        "MAX_EDGE_TASKS": 200,
        "MAX_TASK_WRITES": 200,
        "MAX_TASK_RUNS": 50,
        "MAX_WAITING_RUNS": 2000,
        "MAX_FIRMWARE_BYTES": 1024 * MIB,
        "MAX_MANIFEST_BYTES": 16_384,
        "FIRMWARE_REPORT_S": 5,
        "MAX_EVENTS": 100,
        "MAX_EVENTS_BYTES": MIB,
        "TRACE_S": 60,
        "TRACE_INTERVAL_S": 0.25,
        "TRACE_ENTRIES_S": 200,
        "TRACE_BYTES_S": 65_536,
        "MAX_TRACE_ENTRIES": 100,
        "MAX_TRACE_BYTES": 65_536,
        "MAX_TRACE_FRAME": 1024,
        "MAX_TRACE_CHARACTERS": 2000,
    }
