"""kill -9 of agent, broker and cloud at moments of chance, while a plant is collected and written to."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from pathlib import Path

from faults.chaos_commands import CommandVerdict, Storm
from faults.chaos_proof import SampleVerdict, compare, drain, kill_agent, start_agent
from faults.chaos_site import BrokerKind, Site, site

GAP_S = (0.1, 4.0)
"""Between two kills: shorter than a start, and long enough for some seconds of collecting."""
AWAY_S = (0.0, 0.8)
BOTH = 0.15
"""Share of kills that hit two programs at once."""
WIPED = 0.5
"""Share of the broker's kills after which its disk is lost, too."""
COMMAND_EACH = 4
"""So many kills, and one command at least is executed: on a busy machine only after the last."""
CALM_S = 90.0


@dataclass
class KillsOutcome:
    """What a run has shown. kills: by program."""

    seed: int
    verdict: SampleVerdict
    commands: CommandVerdict
    kills: dict[str, int] = field(default_factory=dict)
    wiped: int = 0
    seconds: float = 0.0

    @property
    def faults(self) -> list[str]:
        return self.verdict.faults + self.commands.faults


class Killer:
    """Ends and starts programs; programs that end by themselves are a StackError."""

    def __init__(self, target: Site, chance: random.Random) -> None:
        self.kills: dict[str, int] = {}
        self.wiped = 0
        self._site = target
        self._chance = chance
        self._names = ["agent", "cloud", *(["broker"] if target.broker else [])]

    def strike(self) -> None:
        """One kill, of one program or of two at once; they are started again before it returns."""
        chance = self._chance
        time.sleep(chance.uniform(*GAP_S))
        for program in (self._site.stack.agent, self._site.stack.cloud, self._site.stack.plant):
            program.check()
        victims = chance.sample(self._names, 2 if chance.random() < BOTH else 1)
        for name in victims:
            self._kill(name)
        for name in victims:
            time.sleep(chance.uniform(*AWAY_S))
            self._start(name)

    def _kill(self, name: str) -> None:
        self.kills[name] = self.kills.get(name, 0) + 1
        if name == "agent":
            kill_agent(self._site)
        elif name == "cloud":
            self._site.stack.cloud.kill()
        elif self._site.broker is not None:
            self._site.broker.kill()

    def _start(self, name: str) -> None:
        if name == "agent":
            start_agent(self._site)
        elif name == "cloud":
            self._site.stack.cloud.start()
        elif self._site.broker is not None:
            if self._chance.random() < WIPED:
                self._site.broker.wipe()
                self.wiped += 1
            self._site.broker.start()


def run(folder: Path, kind: BrokerKind, kills: int, seed: int, *, progress: bool = False) -> KillsOutcome:
    """Kill so often, let everything drain, compare."""
    chance = random.Random(seed)
    begun = time.monotonic()
    with site(folder, kind) as target:
        stack = target.stack
        stack.start_cloud()
        stack.start_plant()
        start_agent(target)
        stack.api.login(*stack.sign_in())
        stack.wait(stack.first_value, "a first value", stack.cloud, stack.plant, stack.agent)
        killer = Killer(target, chance)
        storm = Storm(target, random.Random(seed + 1))
        storm.start()
        try:
            while sum(killer.kills.values()) < kills:
                killer.strike()
                done = sum(killer.kills.values())
                if progress and done % 10 < 2:
                    print(f"  {done} kills in {time.monotonic() - begun:.0f} s", flush=True)
            stack.wait(
                lambda: storm.executed() >= kills // COMMAND_EACH,
                "commands are executed again after the last kill",
                stack.cloud,
                stack.agent,
                timeout_s=CALM_S,
            )
        finally:
            storm.stop()
        stack.wait(stack.api.healthy, "the cloud answers", stack.cloud)
        stack.wait(storm.answered, "commands have ended", stack.cloud, stack.agent, timeout_s=60)
        drain(target)
        verdict, commands = compare(target), storm.compare()
    return KillsOutcome(seed, verdict, commands, killer.kills, killer.wiped, time.monotonic() - begun)
