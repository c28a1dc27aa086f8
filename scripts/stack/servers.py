"""Real servers that tests and benchmarks use where they are at hand: EMQX, InfluxDB 2."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from stack.program import StackError


def find_server(name: str, variable: str) -> Path | None:
    """The program `name`: what the environment variable names (the program, or the folder that holds it),
    else the one on the PATH; None when there is none. StackError when the variable names nothing that runs.
    """
    given = os.environ.get(variable)
    if not given:
        found = shutil.which(name)
        return None if found is None else Path(found).resolve()
    program = Path(given).resolve()
    if program.is_dir():
        program /= name
    if not (program.is_file() and os.access(program, os.X_OK)):
        raise StackError(f"{variable}: {program} is no program")
    return program
