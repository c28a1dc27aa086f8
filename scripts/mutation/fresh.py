"""A mutant in a process that imports its module with the change. It has the libraries in memory, and not the
product.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from mutation.loading import Finder, module_name
from mutation.processes import (
    BROKEN,
    HOLDS,
    NOT_IMPORTED,
    LastTest,
    Limits,
    Outcome,
    end,
    limited,
    run_pytest,
    wait,
    write_to,
)

IMPORTS = Limits(30, 120.0)
"""What the import of the product may take beside the tests."""


def load(libraries: Iterable[str]) -> None:
    """Have them in memory; whatever cannot be imported alone is not needed alone."""
    for name in libraries:
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    gc.collect()
    gc.freeze()


def attempt(module: Path, tests: Sequence[str], number: int, limits: Limits) -> Outcome:
    """Run the tests with one mutant. No file is changed."""
    more = Limits(limits.cpu_s + IMPORTS.cpu_s, limits.wall_s + IMPORTS.wall_s)
    with tempfile.TemporaryDirectory(prefix="mutant", ignore_cleanup_errors=True) as folder:
        child = os.fork()
        if not child:
            code = BROKEN
            try:
                write_to(Path(folder, "output"))
                limited(more)
                finder = Finder(module_name(module), module, number)
                code = run_pytest(tests, Path(folder), [finder, LastTest(Path(folder))])
                if code == HOLDS and not finder.loader.used:
                    code = NOT_IMPORTED
            finally:
                end(code)
        return wait(child, more, Path(folder))
