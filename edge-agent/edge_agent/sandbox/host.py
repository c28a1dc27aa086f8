"""The agent's side of the sandbox: one process, started with the first run, ended when it hangs."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import marshal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Iterable, Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from edge_agent.errors import ConfigError
from edge_agent.model import Value
from edge_agent.points.formula import functions
from edge_agent.sandbox import runtime
from edge_agent.sandbox.language import answered, compile_script
from edge_agent.sandbox.model import Counters, Outcome, SandboxScript, Trouble

log = logging.getLogger(__name__)

WORKER = Path(__file__).with_name("worker.py")
TIMEOUT_S = 0.05  # processor time of one run
GRACE_S = 1.0  # beyond that, on the wall clock: a busy gateway gives the process no turn at once
START_S = 15.0  # an interpreter starts within this even from a slow card
STOP_S = 5.0  # a killed process ends at once; the machine may be busy
MEMORY_MB = 16  # of a script, beyond the interpreter itself
MAX_WAITING = 256
MAX_STRIKES = 3  # runs in a row that end by time, memory or death
MAX_TEXT = 1000  # characters of an input
LONGEST_LINE = 1 << 20  # bytes
STRIKES = {Trouble.TIME, Trouble.MEMORY, Trouble.KILLED}
# No answer, or one that does not make sense: the process is not believed, whatever has become of it.
ANSWERLESS = (OSError, EOFError, LookupError, TypeError, ValueError, RecursionError, TimeoutError)


class ScriptHost:
    """Runs scripts one after the other; run() never raises for what a script does.

    Costs nothing until the first run. Use as `async with`, or call stop().
    """

    def __init__(
        self,
        scripts: Iterable[SandboxScript],
        *,
        memory_mb: int = MEMORY_MB,
        max_waiting: int = MAX_WAITING,
        grace_s: float = GRACE_S,
    ) -> None:
        """ConfigError when a text is no script or a name is given twice."""
        self.counters = Counters()
        self._scripts: dict[str, SandboxScript] = {}
        self._codes: dict[str, str] = {}
        for script in scripts:
            field = f"scripts.{script.id}"
            if script.id in self._scripts:
                raise ConfigError(field, "must be unique")
            code = marshal.dumps(compile_script(script, field))
            self._codes[script.id] = base64.b64encode(code).decode()
            self._scripts[script.id] = script
        self._state = {script.id: dict(script.state) for script in self._scripts.values()}
        self._strikes = dict.fromkeys(self._scripts, 0)
        self._memory_mb = memory_mb
        self._max_waiting = max_waiting
        self._grace_s = grace_s
        self._process: Process | None = None
        self._loaded: set[str] = set()
        self._turn = asyncio.Lock()
        self._waiting = 0

    async def __aenter__(self) -> ScriptHost:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    @property
    def pid(self) -> int | None:
        """Of the process; None when there is none."""
        return None if self._process is None else self._process.pid

    async def run(self, script_id: str, inputs: Mapping[str, Value], timeout_s: float = TIMEOUT_S) -> Outcome:
        """One run. inputs: a value for each input, None where there is none; timeout_s: processor time.

        A run waits for those before it; at most `max_waiting` do.
        """
        script = self._scripts.get(script_id)
        if script is None:
            return Outcome(trouble=Trouble.UNKNOWN, detail=f"there is no script {script_id!r}")
        if self._strikes[script_id] >= MAX_STRIKES:
            return Outcome(trouble=Trouble.DISABLED, detail=f"{MAX_STRIKES} runs in a row had to be ended")
        arguments = [_value(inputs.get(name)) for name in script.inputs]
        for name, value in zip(script.inputs, arguments, strict=True):
            if name not in inputs or (isinstance(value, str) and len(value) > MAX_TEXT):
                detail = f"{name} must be given, and a text must be at most {MAX_TEXT} characters"
                return Outcome(trouble=Trouble.INPUT, detail=detail)
        if self._waiting >= self._max_waiting:
            self.counters.dropped += 1
            return Outcome(trouble=Trouble.BUSY, detail=f"{self._waiting} runs are waiting")
        self._waiting += 1
        try:
            async with self._turn:
                return await self._one(script, arguments, timeout_s)
        finally:
            self._waiting -= 1

    def state(self, script_id: str) -> dict[str, Value]:
        """What a script keeps from run to run. KeyError: no such script."""
        return dict(self._state[script_id])

    def enable(self, script_id: str) -> None:
        """Another chance for a script that was struck out, from its first state. KeyError: no such script."""
        self._state[script_id] = dict(self._scripts[script_id].state)
        self._strikes[script_id] = 0

    async def stop(self) -> None:
        """End the process; a later run starts it again."""
        async with self._turn:
            await self._kill()

    async def _one(self, script: SandboxScript, arguments: list[Value], timeout_s: float) -> Outcome:
        self.counters.runs += 1
        state = self._state[script.id]
        try:
            if self._process is not None and self._process.returncode is not None:
                await self._kill()  # it died while it had nothing to do: not this script's fault
            if self._process is None:
                await self._start()
            if script.id not in self._loaded:
                await self._ask({"load": script.id, "code": self._codes[script.id]}, START_S)
                self._loaded.add(script.id)
            request = {"run": script.id, "arguments": [*arguments, *state.values()], "cpu_s": timeout_s}
            outcome, new_state = understood(script, await self._ask(request, timeout_s + self._grace_s))
        except asyncio.CancelledError:
            await self._kill()  # its answer would reach the next run
            raise
        except ANSWERLESS as error:
            self.counters.kills += 1
            log.warning("script %s: the sandbox does not answer and is ended: %r", script.id, error)
            await self._kill()
            return self._struck(script, Outcome(trouble=Trouble.KILLED, detail="the sandbox did not answer"))
        if outcome.trouble is not None:
            return self._struck(script, outcome)
        self._strikes[script.id] = 0
        state.update(new_state)
        return outcome

    def _struck(self, script: SandboxScript, outcome: Outcome) -> Outcome:
        self.counters.faults += outcome.trouble is Trouble.FAULT
        self.counters.out_of_time += outcome.trouble is Trouble.TIME
        self.counters.out_of_memory += outcome.trouble is Trouble.MEMORY
        if outcome.trouble not in STRIKES:
            self._strikes[script.id] = 0
            return outcome
        self._strikes[script.id] += 1
        if self._strikes[script.id] == MAX_STRIKES:
            log.error("script %s: %d runs in a row had to be ended, it is disabled", script.id, MAX_STRIKES)
        return outcome

    async def _start(self) -> None:
        words = [
            sys.executable,
            "-I",
            "-S",
            "-B",
            str(WORKER),
            str(functions.__file__),
            str(runtime.__file__),
        ]
        self._process = await asyncio.create_subprocess_exec(
            *words, str(self._memory_mb),
            stdin=PIPE, stdout=PIPE, stderr=DEVNULL, limit=LONGEST_LINE,
            cwd="/", env={}, start_new_session=True,
        )  # fmt: skip
        self._loaded.clear()
        self.counters.starts += 1

    async def _ask(self, request: dict[str, Any], within_s: float) -> dict[str, Any]:
        """One request, one answer; an error of ANSWERLESS when there is none."""
        process = self._process
        assert process is not None and process.stdin is not None and process.stdout is not None
        async with asyncio.timeout(within_s):
            process.stdin.write(json.dumps(request, allow_nan=False).encode() + b"\n")
            await process.stdin.drain()
            line = await process.stdout.readline()
        if not line.endswith(b"\n"):
            raise EOFError("it has ended")
        answer: dict[str, Any] = json.loads(line)
        return answer

    async def _kill(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if process.returncode is None:
            process.kill()
        if process.stdin is not None:
            process.stdin.close()
        try:
            async with asyncio.timeout(STOP_S):
                await process.wait()
        except TimeoutError:
            log.error("the sandbox, process %d, was killed and has not ended yet", process.pid)


def _value(value: Value) -> Value:
    """None for what is no finite number of at most 64 bits."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value if not isinstance(value, int) or -(2**64) < value < 2**64 else None


def understood(script: SandboxScript, answer: Mapping[str, Any]) -> tuple[Outcome, dict[str, Value]]:
    """Outcome and new state in an answer; LookupError, TypeError or ValueError when it is none."""
    if "trouble" in answer:
        return Outcome({}, Trouble(answer["trouble"]), str(answer["detail"]), int(answer["line"])), {}
    results = dict(zip(answered(script), answer["results"], strict=True))
    for name, value in results.items():
        if not (value is None or isinstance(value, (int, float, str))) or value != _value(value):
            raise ValueError(f"{name} must be a finite number, a text or nothing")
        if isinstance(value, str) and len(value) > MAX_TEXT:
            raise ValueError(f"{name} must be at most {MAX_TEXT} characters")
    outputs = {name: results[name] for name in script.outputs}
    return Outcome(outputs), {name: results[name] for name in script.state}
