"""What of the page stays through a switch of the configuration: who is signed in, and the log."""

from __future__ import annotations

from dataclasses import dataclass, field

from edge_agent.localweb.admission import LoginGate, Sessions
from edge_agent.localweb.logbook import LogBook


@dataclass(frozen=True)
class Lasting:
    """One of it in a process. Loads no web server: it is made also where there is no page."""

    sessions: Sessions = field(default_factory=Sessions)
    gate: LoginGate = field(default_factory=LoginGate)
    log: LogBook = field(default_factory=LogBook)
