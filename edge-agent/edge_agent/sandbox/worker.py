"""The sandbox process: runs translated scripts, one after the other, behind limits that it cannot lift again.

Started by host.py as `python -I -S worker.py FUNCTIONS RUNTIME MEMORY_MB`: an empty environment, the
standard library only, no file but the two pipes. One JSON object a line comes in, one goes out. It ends with
its input.
"""

from __future__ import annotations

import base64
import importlib.util
import json
import marshal
import os
import resource
import signal
import sys
from types import CodeType, FrameType, ModuleType
from typing import Any

NOBODY = 65534
LONGEST_LINE = 1 << 20  # bytes
MAX_TEXT = 1000  # characters of an output
SPARE_FILES = 3  # the standard ones; nothing can be opened beyond them


class OutOfTime(BaseException):
    """The script has used its processor time."""


def loaded(name: str, path: str) -> ModuleType:
    """A module of one file, without the package that it lies in.

    Raises SystemExit when the file is no module.
    """
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{path}: cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def confine(memory_mb: int) -> None:
    """No files, processes or core dumps, no rights, and so much memory beyond what is in use."""
    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123  # pathlib is memory
        in_use = int(file.read().split()[0]) * resource.getpagesize()
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    for what, limit in (
        (resource.RLIMIT_AS, in_use + memory_mb * 2**20),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, SPARE_FILES),
        (resource.RLIMIT_NPROC, 0),
    ):
        resource.setrlimit(what, (limit, limit))


def line_of(error: BaseException, file: str) -> int:
    """Line of the script where an error arose; 0 when it did not arise there."""
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno or line  # jumps between lines have none
        trace = trace.tb_next
    return line


class Worker:
    """Scripts by name, as functions."""

    def __init__(self, names: dict[str, Any], fault: type[Exception]) -> None:
        self._names = names
        self._fault = fault
        self._scripts: dict[str, Any] = {}
        self._running = False
        signal.signal(signal.SIGPROF, self._time_is_up)

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """load: a name, with base64 of its code; run: a name, with arguments and processor seconds."""
        if "load" in request:
            self._load(request["load"], request["code"])
            return {"loaded": request["load"]}
        return self._run(self._scripts[request["run"]], request["arguments"], request["cpu_s"])

    def _load(self, name: str, code: str) -> None:
        function_code = marshal.loads(base64.b64decode(code))  # noqa: S302  # the agent wrote it a moment ago
        if not isinstance(function_code, CodeType):
            raise TypeError("code is needed")
        space: dict[str, Any] = {"__builtins__": {}, **self._names}
        exec(function_code, space)  # noqa: S102  # translated by the agent from an allow-list, in a confined process
        self._scripts[name] = space["script"]

    def _run(self, script: Any, arguments: list[Any], cpu_s: float) -> dict[str, Any]:
        try:
            try:
                self._running = True
                signal.setitimer(signal.ITIMER_PROF, cpu_s)
                results = list(script(*arguments))
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
                self._running = False
            for value in results:
                if isinstance(value, tuple) or (isinstance(value, str) and len(value) > MAX_TEXT):
                    raise self._fault("an output or state must be one number or one short text, not a row")
        except OutOfTime as error:
            return {"trouble": "time", "detail": f"more than {cpu_s:g} s", "line": line_of(error, "<script>")}
        except MemoryError as error:
            return {"trouble": "memory", "detail": "too much memory", "line": line_of(error, "<script>")}
        except Exception as error:  # noqa: BLE001  # whatever a script does must not end the process
            return {"trouble": "fault", "detail": str(error)[:200], "line": line_of(error, "<script>")}
        return {"results": results}

    def _time_is_up(self, _signal: int, _frame: FrameType | None) -> None:
        if self._running:
            raise OutOfTime


def main(functions: str, runtime: str, memory_mb: str) -> None:
    """Serve until the input ends."""
    formula, operations = loaded("functions", functions), loaded("runtime", runtime)
    names = operations.callables(formula.FUNCTIONS, formula.CHECKED_OPERATORS)
    worker = Worker(names, operations.Fault)
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    confine(int(memory_mb))
    while line := requests.readline(LONGEST_LINE):
        answer = worker.answer(json.loads(line))
        answers.write(json.dumps(answer, allow_nan=False).encode() + b"\n")
        answers.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
