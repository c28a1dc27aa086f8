"""Writes while everything is killed: some by the API, some said again and again, some too late.

The truth is the served-values log of the device that is written to: each wanted value is used by one
command only. A command that was answered `resp` stands there exactly once; one that had expired, never;
others at most once.
"""

from __future__ import annotations

import contextlib
import json
import random
import secrets
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from evidence import sources
from mosquitto import Mosquitto
from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion
from stack import GATEWAY, StackError

from edge_contract.payloads import Ack, Command, CommandAction, CommandResult, decode, encode
from edge_contract.topics import Message, topic
from faults.chaos_site import SETPOINT, Site

NAME = "repeater"
FINAL = ("resp", "fail", "networkError", "notAuthorized", "error")
NO_ANSWER = "networkError"
"""The cloud's word for a command without a result in time; the result may come all the same."""
PAUSE_S = (0.2, 0.6)
LIFE_MS = 6000
"""Of a command that is said again and again: some copies come after its end."""
STALE = 0.2
COPIES = (2, 5)
COPIES_WITHIN_S = 12.0
LATE_MS = 3000
"""From the last look at the expiry to the device's note, on a busy machine."""


@dataclass
class SentCommand:
    """One command: the value that it alone writes, and the result that came back."""

    id: str
    value: int
    expires_ms: int
    stale: bool = False
    by_api: bool = False
    outcomes: set[tuple[str, str]] = field(default_factory=set)


@dataclass
class CommandVerdict:
    """Counts of commands; empty faults say that the proof holds."""

    commands: int = 0
    copies: int = 0
    executed: int = 0
    answered: int = 0
    stale: int = 0
    faults: list[str] = field(default_factory=list)


class Storm:
    """start() and stop() around the kills, compare() when everything has come to rest."""

    def __init__(self, target: Site, chance: random.Random) -> None:
        self._site = target
        self._chance = chance
        self._said: dict[str, SentCommand] = {}
        self._number = 0
        self._copies = 0
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="storm", daemon=True)
        self._dsid = sources(target.stack, GATEWAY)[f"valve.{SETPOINT}"]
        self._client = self._repeater() if isinstance(target.broker, Mosquitto) else None

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join(60)

    def answered(self) -> bool:
        """Whether every command of the API has a final state; what its state is, is noted."""
        return all(self._final(said) for said in self._said.values() if said.by_api)

    def executed(self) -> int:
        """How many different values the device has noted so far."""
        return len({value for value, _ in self._written()})

    def compare(self) -> CommandVerdict:
        """Compare what was sent with what the device noted."""
        if self._client is not None:
            self._client.disconnect()
            with contextlib.suppress(AttributeError):  # it may end by itself while paho looks
                self._client.loop_stop()
        verdict = CommandVerdict(commands=len(self._said), copies=self._copies)
        written: Counter[int] = Counter()
        latest: dict[int, int] = {}
        for value, t_ms in self._written():
            written[value] += 1
            latest[value] = t_ms
        for said in self._said.values():
            self._compare(verdict, said, written[said.value], latest.get(said.value, 0))
        if foreign := written.keys() - {said.value for said in self._said.values()}:
            verdict.faults.append(f"written by nobody: {sorted(foreign)[:10]}")
        return verdict

    def _written(self) -> Iterator[tuple[int, int]]:
        """Each value that was written to the device, with the moment; an unfinished line is left."""
        text = self._site.served_log.read_text()
        for line in text[: text.rfind("\n") + 1].splitlines():
            row = json.loads(line)
            if row.get("written"):
                yield row["value"], row["t_ms"]

    @staticmethod
    def _compare(verdict: CommandVerdict, said: SentCommand, times: int, t_ms: int) -> None:
        verdict.executed += times > 0
        verdict.answered += bool(said.outcomes)
        verdict.stale += said.stale
        outcomes = sorted(said.outcomes)
        if times > 1:
            verdict.faults.append(f"command {said.id} was executed {times} times")
        if len(outcomes) > 1:
            verdict.faults.append(f"command {said.id} has two outcomes: {outcomes}")
        if times and (said.stale or t_ms > said.expires_ms + LATE_MS):
            verdict.faults.append(f"command {said.id} was executed {t_ms - said.expires_ms} ms after its end")
        for state, code in outcomes:
            if state == "resp" and times != 1:
                verdict.faults.append(f"command {said.id} was answered resp and executed {times} times")
            if code == "expired" and times:
                verdict.faults.append(f"command {said.id} was answered expired and executed")

    def _run(self) -> None:
        due: list[tuple[float, bytes]] = []
        while not self._stopped.wait(self._chance.uniform(*PAUSE_S)):
            self._number += 1
            if self._client is None or self._chance.random() < 0.5:
                self._by_api()
            else:
                due += self._by_repeater()
            due.sort()
            while due and due[0][0] <= time.monotonic() and self._client is not None:
                self._client.publish(topic(GATEWAY, Message.COMMAND), due.pop(0)[1], qos=1)
                self._copies += 1

    def _by_api(self) -> None:
        body = {"dsid": self._dsid, "value": self._number}
        until_ms = time.time_ns() // 1_000_000 + 60_000
        try:
            made = self._site.stack.api.call("POST", "/device/cmd", body)
        except StackError:  # the cloud is away: whether it was taken is not known
            self._said[f"unanswered {self._number}"] = SentCommand("unanswered", self._number, until_ms)
            return
        self._said[made["id"]] = SentCommand(made["id"], self._number, until_ms, by_api=True)

    def _final(self, said: SentCommand) -> bool:
        status = self._site.stack.api.get(f"/device/cmdStatus?id={said.id}")
        if status["status"] in FINAL and status["status"] != NO_ANSWER:
            said.outcomes.add((status["status"], status["code"]))
        return status["status"] in FINAL

    def _by_repeater(self) -> list[tuple[float, bytes]]:
        """A new command, as copies with the moments at which they are said."""
        now_ms, stale = time.time_ns() // 1_000_000, self._chance.random() < STALE
        said = SentCommand(secrets.token_hex(8), self._number, now_ms + (-1 if stale else LIFE_MS), stale)
        self._said[said.id] = said
        payload = encode(
            Command(
                id=said.id, action=CommandAction.WRITE, expires_ms=said.expires_ms, slave="valve",
                point=SETPOINT, value=said.value,
            )
        )  # fmt: skip
        now = time.monotonic()
        return [
            (now + self._chance.uniform(0, COPIES_WITHIN_S), payload)
            for _ in range(self._chance.randint(*COPIES))
        ]

    def _repeater(self) -> Client:
        """A client of mosquitto that may say commands of the gateway and hear their results."""
        broker = self._site.broker
        assert isinstance(broker, Mosquitto)
        secret = secrets.token_hex(12)
        control = [
            "mosquitto_ctrl", "-h", "127.0.0.1", "-p", str(broker.port), "-u", "admin", "-P",
            broker.admin_password, "dynsec",
        ]  # fmt: skip
        for words in (
            ["createClient", NAME, "-p", secret],
            ["createRole", NAME],
            ["addRoleACL", NAME, "publishClientSend", f"v1/{GATEWAY}/down/#", "allow"],
            ["addRoleACL", NAME, "subscribePattern", f"v1/{GATEWAY}/up/#", "allow"],
            ["addClientRole", NAME, NAME],
        ):
            subprocess.run([*control, *words], check=True, capture_output=True)
        client = Client(CallbackAPIVersion.VERSION2, client_id=NAME)
        client.username_pw_set(NAME, secret)
        client.reconnect_delay_set(1, 1)
        client.on_connect = lambda there, *_: there.subscribe(topic(GATEWAY, Message.RESULT), qos=1)
        client.on_message = self._result
        client.connect("127.0.0.1", broker.port)
        client.loop_start()
        return client

    def _result(self, client: Client, data: object, message: MQTTMessage) -> None:
        """Note a result of one of its commands, and confirm it as the cloud would."""
        result = decode(CommandResult, bytes(message.payload))
        said = self._said.get(result.id)
        if said is not None:
            said.outcomes.add((str(result.state), result.code))
            if not said.by_api:
                client.publish(topic(GATEWAY, Message.ACK), encode(Ack(commands=[result.id])), qos=1)
