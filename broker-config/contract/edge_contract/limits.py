"""Numbers that both sides keep to; each is stated by a clause of CONTRACT.md."""

MAX_BATCH_BYTES = 256 * 1024
"""Largest batch payload."""

MAX_BATCH_SAMPLES = 20_000

WINDOW = 32
"""Batches that a gateway may have in flight, unacknowledged."""

RESEND_AFTER_S = 15.0
"""An unacknowledged batch is sent again after this time."""

PULSE_S = 30.0
"""Interval of the pulse."""

OFFLINE_AFTER_S = 75.0
"""A gateway that was silent for this long is offline, whatever the broker says."""

KEEPALIVE_S = 30
"""MQTT keep-alive of a gateway."""

COMMAND_EXPIRY_S = 20.0
"""Default life of a command."""

CLOCK_AHEAD_MS = 10 * 60 * 1000
"""A sample further in the future than this is stored as evidence and gets no history."""

EARLIEST_MS = 1_577_836_800_000
"""2020-01-01; an earlier sample comes from a clock that was not set."""

MAX_TEXT = 200
"""Longest text in a control message, values of commands and their results included."""

MAX_TARGET_REASON = 500
"""Longest reason of a forwarding target."""

MAX_POSITION_TEXT = 20
"""Longest word for a position of a switch."""

MAX_USER = 64
"""Longest name of a user in a command."""

MAX_MISSING = 20
"""Slaves, and points, that a receipt names as missing."""

MAX_GROUP_STATES = 32
"""Parameter groups that a receipt names."""

MAX_TRIED = 200
"""Outputs and state values of one try."""

MAX_COUNT = 2**53
"""Highest number that a control message counts to; every reader of JSON holds it exactly."""

MAX_BODY_BYTES = 1024 * 1024
"""Largest body of a batch after inflating; more is refused without being inflated."""

COLLECTION_S = 60.0
"""Interval at which a linked gateway reports what it read."""

COLLECTION_RECORDS = 32
"""Records in one report."""

COLLECTION_SPAN_MS = 7 * 24 * 3600 * 1000
"""Time that the records of one report cover at most."""

COLLECTION_GAPS = 500
"""Gaps in one record."""

COLLECTION_POINTS = 500
"""Points in one record that fared worse than their slave."""

MAX_COLLECTION_BYTES = 2 * 1024 * 1024
"""Largest report of collection."""

WAITING_BATCHES = 20_000
WAITING_BYTES = 32 * 1024 * 1024
WAITING_CATALOGS = 32
WAITING_MS = 7 * 24 * 3600 * 1000
"""What may wait of one gateway for catalogs that the cloud does not know, and how long."""

WATCHED_POINTS = 5000
"""Points of one gateway that it is told to be watched."""

WATCH_S = 60
"""Longest time that a gateway takes points to be watched without hearing of them again."""

CATALOGS_AN_HOUR = 60
"""Catalogs of one gateway that change something."""

REMOVED_POINTS = 20_000
"""Points of one gateway kept with their history that its catalog left out."""

STREAMS = 50
"""Streams of one gateway that the cloud remembers."""

MAX_EDGE_RULES = 2000
"""Rules that one gateway evaluates."""

MAX_RULES_BYTES = 1024 * 1024
"""Largest message of rules, the state that goes along included."""

MAX_EXCHANGE_RULES = 500
"""Rules of data exchange that one gateway runs."""

MAX_EXCHANGE_RESULTS = 100
"""Results of them in one report."""

EXCHANGE_REPORT_S = 1.0
"""Shortest time between two reports of them, and between two of timed tasks."""

MAX_EDGE_TASKS = 200
"""Timed tasks that one gateway runs."""

MAX_TASK_WRITES = 200
"""Writes of one run of a task."""

MAX_TASK_RUNS = 50
"""Runs of tasks in one report; they have at most MAX_EVENTS_BYTES, but for a single one."""

MAX_WAITING_RUNS = 2000
"""Runs of tasks that wait for the cloud; of more the oldest go."""

MAX_FIRMWARE_BYTES = 1024 * 1024 * 1024
"""Largest payload of firmware."""

MAX_MANIFEST_BYTES = 16 * 1024
"""Largest manifest of firmware."""

FIRMWARE_REPORT_S = 5.0
"""Shortest time between two reports of how far a download is."""

MAX_EVENTS = 100
"""Events of rules in one report."""

MAX_EVENTS_BYTES = 1024 * 1024
"""Of the events of one report; a single event is always less."""

TRACE_S = 60
"""Longest time that a gateway traces without being asked again."""

TRACE_INTERVAL_S = 0.25
"""Shortest time between two reports of a trace, but for those of one moment."""

TRACE_ENTRIES_S = 200
TRACE_BYTES_S = 64 * 1024
"""Entries, and bytes of them, that a gateway sends in a second of a trace; of two seconds at once at most."""

MAX_TRACE_ENTRIES = 100
MAX_TRACE_BYTES = 64 * 1024
"""Entries of one report of a trace, and its size."""

MAX_TRACE_FRAME = 1024
"""Bytes of one frame in a trace."""

MAX_TRACE_CHARACTERS = 2000
"""Longest text of one entry of a trace."""
