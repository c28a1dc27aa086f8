"""Rules of the cloud that are evaluated together, with what is to be recorded of them."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

import msgspec

from cloud.domains.triggers.recording import Ended, GroupFindings
from cloud.domains.triggers.running import EvaluatedRule
from cloud.domains.triggers.stored import Row
from edge_contract.alarms.engine import Engine
from edge_contract.alarms.evaluation import Transition
from edge_contract.alarms.state import EngineState, LinkageRest

log = logging.getLogger(__name__)

SAVE_MS = 10_000
"""A state that only moved on is saved after so long."""


class RuleGroup:
    """device_id: 0 for rules over several gateways. writing: those of its transitions whose linkages are to
    be carried out; rests: of linkages that are left out, begun or over.
    """

    def __init__(
        self, device_id: int, rules: Mapping[int, EvaluatedRule], state: EngineState | None, now_ms: int
    ) -> None:
        self.device_id = device_id
        self.rules = rules
        self.engine = Engine([rule.rule for rule in rules.values()], state, now_ms)
        self.transitions: list[Transition] = []
        self.writing: list[Transition] = []
        self.rests: list[LinkageRest] = []
        self.ended: list[Ended] = []
        self.is_moved = bool(self.engine.dropped)
        self.saved_ms = 0
        self.is_lost = False
        self.waiting: list[tuple[int, Sequence[Row]]] | None = []  # None: it is up to date

    @property
    def has_findings(self) -> bool:
        """Is there more to record than its state?"""
        return bool(self.transitions or self.ended or self.rests)

    @property
    def versions(self) -> list[tuple[int, int]]:
        return [(rule.rule.id, rule.rule.version) for rule in self.rules.values()]

    def take(self, transitions: Sequence[Transition]) -> None:
        """What its engine has found, with its linkages as long as they do not write too often."""
        self.transitions += transitions
        for each in transitions:
            rule = self.rules[each.rule]
            due = [linkage for linkage in rule.body.linkage if linkage.on == each.kind.value]
            if not due:
                continue
            targets = {target for linkage in due for target in rule.targets.get(linkage.preset_id, ())}
            verdict = self.engine.linkages.admit(
                each.rule, due[0].on, due[0].preset_id, targets, each.t_ms, len(due)
            )
            if verdict.may_write:
                self.writing.append(each)
            elif verdict.began is not None:
                log.warning("linkages of rule %d rest: more than they may write", each.rule)
                self.rests.append(verdict.began)

    def end_rests(self, now_ms: int) -> bool:
        """Rests that are over are to be recorded; whether there are any."""
        over = self.engine.linkages.ended(now_ms)
        self.rests += over
        return bool(over)

    def is_due(self, now_ms: int) -> bool:
        """Is there something to record?"""
        if self.is_lost or self.waiting is not None:
            return False
        return self.has_findings or (self.is_moved and now_ms - self.saved_ms >= SAVE_MS)

    def findings(self, now_ms: int) -> GroupFindings:
        """What is to be recorded; it is taken from here."""
        found = GroupFindings(
            self.device_id,
            self.rules,
            self.transitions,
            self.ended,
            msgspec.json.encode(self.engine.state()).decode(),
            self.writing,
            self.rests,
        )
        self.transitions, self.writing, self.rests, self.ended = [], [], [], []
        self.is_moved, self.saved_ms = False, now_ms
        return found
