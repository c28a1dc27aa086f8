"""Commands of each version, as a table. Pure."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources

from edge_agent.forwarding.hj212.packet import Item, Packet

READY, RESULT, NOTICE_ANSWER, DATA_ANSWER = "9011", "9012", "9013", "9014"


class CommandKind(StrEnum):
    """What an exchange begins with, or what belongs to one."""

    REQUEST = "request"
    UPLOAD = "upload"
    NOTICE = "notice"
    REPLY = "reply"
    ANSWER = "answer"


ANSWERS: dict[CommandKind, tuple[str, ...]] = {
    CommandKind.REQUEST: (READY, RESULT),
    CommandKind.UPLOAD: (DATA_ANSWER,),
    CommandKind.NOTICE: (NOTICE_ANSWER,),
    CommandKind.REPLY: (),
    CommandKind.ANSWER: (),
}
"""Numbers of the answers to each kind, in order; those of uploads and requests only when bit 0 of Flag asks
for them.
"""


class Treatment(StrEnum):
    """What comes of a platform's request or notice. CONFIGURED: it is carried out where the options name
    points for it, else refused.
    """

    EXECUTED = "executed"
    CONFIGURED = "configured"
    NOTICED = "noticed"
    REFUSED = "refused"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Command:
    """One use of a command number. sender: field, platform or both; keys: items of its area, xxx- for any
    factor.
    """

    cn: str
    kind: CommandKind
    sender: str
    keys: frozenset[str]
    name: str

    @property
    def answers(self) -> tuple[str, ...]:
        """Numbers of the commands that answer it, in order."""
        return ANSWERS[self.kind]


@cache
def commands(version: str) -> dict[str, tuple[Command, ...]]:
    """Uses of each number in "2005", "2017" or "2025"."""
    uses: dict[str, tuple[Command, ...]] = {}
    text = resources.files(__package__).joinpath("profiles/commands.csv").read_text(encoding="utf-8")
    for row in csv.DictReader(text.splitlines()):
        if version in row["versions"].split():
            keys = frozenset(row["keys"].split())
            command = Command(row["cn"], CommandKind(row["kind"]), row["sender"], keys, row["name"])
            uses[command.cn] = (*uses.get(command.cn, ()), command)
    return uses


@cache
def _treatments(version: str) -> dict[str, Treatment]:
    text = resources.files(__package__).joinpath("profiles/requests.csv").read_text(encoding="utf-8")
    return {
        row["cn"]: Treatment(row["treatment"])
        for row in csv.DictReader(text.splitlines())
        if version in row["versions"].split()
    }


def treatment_of(cn: str, version: str) -> Treatment:
    """Of a platform's number in "2005", "2017" or "2025"; UNKNOWN when the version has no such request."""
    return _treatments(version).get(cn, Treatment.UNKNOWN)


def command_of(packet: Packet, version: str) -> Command | None:
    """The use of its number that a packet's items fit best; None when the version has no such number."""
    uses = commands(version).get(packet.cn, ())
    names = {_key(item) for item in packet.items}
    return max(uses, key=lambda use: len(names & use.keys) - len(names - use.keys), default=None)


def _key(item: Item) -> str:
    factor, dash, suffix = item[0].rpartition("-")
    return f"xxx-{suffix}" if dash and factor else item[0]
