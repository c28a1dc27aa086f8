"""Scripts for scripts/fuzz: generated and changed texts, run in the real sandbox process."""

from __future__ import annotations

import asyncio
import atexit
import base64
import marshal
from collections import Counter
from math import isfinite
from random import Random

from edge_agent.errors import ConfigError
from edge_agent.model import Value
from edge_agent.sandbox import SandboxScript, ScriptHost, Trouble, compile_script
from fuzzing.formula import VALUES, changed

NAME = "s"
INPUTS, OUTPUTS = ("a", "b"), ("x", "t")
STATE: dict[str, Value] = {"y": 1}
FRAGMENTS = [
    *(
        "\n",
        "\n    ",
        "\n  ",
        "(",
        ")",
        "[",
        "]",
        ":",
        ",",
        "=",
        "'",
        '"',
        "#",
        "é",
        "\x00",
        "\\",
        "_",
        ".",
        "@",
    ),
    *(
        "if a:",
        "while 1:",
        "for t in range(9):",
        "break",
        "continue",
        "return",
        "pass",
        "del x",
        "x = x,",
        "x = y",
    ),
    *(
        "import os",
        "lambda: 1",
        "a.__class__",
        "def f():",
        "yield",
        "await x",
        "global x",
        "x: int",
        "try:",
        "**",
    ),
    *(
        "{1: 2}",
        "[i for i in y]",
        "len(",
        "interpolate(",
        "max(",
        "range(",
        " in ",
        " is None",
        "1e999",
        "0x",
        "9" * 30,
    ),
]
PLAIN: list[Value] = [1, 2.5, 3, 7, 64, False]
NUMBERS = ["x", "y", "a", "b", "t", "0", "1", "2.5", "64", "-1"]
RUN_S = 0.01  # processor time of a run
GRACE_S = 20.0  # a busy machine is no failure
ENDS = {None, Trouble.FAULT, Trouble.TIME, Trouble.MEMORY}
MAX_TEXT = 1000


class OneScript(ScriptHost):
    """A host whose one script is replaced again and again, so that one process meets them all."""

    def replace(self, text: str) -> None:
        """ConfigError when it is no script."""
        script = SandboxScript(NAME, text, INPUTS, OUTPUTS, STATE)
        code = marshal.dumps(compile_script(script))
        self._scripts[NAME] = script
        self._codes[NAME] = base64.b64encode(code).decode()
        self._loaded.discard(NAME)
        self.enable(NAME)


class Scripts:
    """Half of the texts are generated, half of them changed after that."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self._host = OneScript([SandboxScript(NAME, "x = 1", INPUTS, OUTPUTS, STATE)], grace_s=GRACE_S)
        atexit.register(self.stop)

    def mutant(self, chance: Random) -> tuple[int, bytes]:
        text = random_script(chance)
        if chance.random() < 0.5:
            text = changed(text, FRAGMENTS, chance)
        return 0, text.encode()

    def check(self, origin: int, data: bytes, chance: Random) -> Counter[str]:
        counts: Counter[str] = Counter()
        try:
            self._host.replace(data.decode())
        except ConfigError as error:
            assert error.field == "script"
            counts["refused"] += 1
            return counts
        counts["compiled"] += 1
        values = chance.choices(PLAIN if chance.random() < 0.7 else VALUES, k=len(INPUTS))
        inputs = dict(zip(INPUTS, values, strict=True))
        outcome = self._runner.run(self._host.run(NAME, inputs, RUN_S))
        assert outcome.trouble in ENDS, f"{outcome} of {inputs}"
        for value in (*outcome.outputs.values(), *self._host.state(NAME).values()):
            assert value is None or isinstance(value, (int, float, str)), outcome
            assert not isinstance(value, str) or len(value) <= MAX_TEXT
            assert not isinstance(value, float) or isfinite(value), outcome
        assert (self._host.counters.starts, self._host.counters.kills) == (1, 0), self._host.counters
        counts["values" if outcome.trouble is None else str(outcome.trouble)] += 1
        return counts

    def stop(self) -> None:
        """End the process; at the latest it ends with the program."""
        atexit.unregister(self.stop)
        self._runner.run(self._host.stop())
        self._runner.close()


def random_script(chance: Random) -> str:
    """Sound but for what it does when it runs; mostly its variables have values from the beginning."""
    begin = ["x = 2", "t = a"] if chance.random() < 0.7 else []
    return "\n".join([*begin, *_block(chance, 3, "")])


def _block(chance: Random, depth: int, indent: str) -> list[str]:
    lines = []
    inner = indent + "  "
    for _ in range(chance.randint(1, 3)):
        kind = chance.choice(["=", "=", "+=", "*=", "if", "while", "for", "range"] if depth else ["=", "*="])
        match kind:
            case "if":
                lines += [f"{indent}if {_expression(chance, 1)}:", *_block(chance, depth - 1, inner)]
            case "while":
                lines += [f"{indent}while {_expression(chance, 1)}:", *_block(chance, depth - 1, inner)]
            case "for":
                lines += [f"{indent}for y in (x, y, 3):", *_block(chance, depth - 1, inner)]
            case "range":
                turns = chance.choice(["3", "1000000", "x"])
                lines += [f"{indent}for t in range({turns}):", *_block(chance, depth - 1, inner)]
            case _:
                lines.append(f"{indent}{chance.choice('xyt')} {kind} {_expression(chance, 2)}")
    return lines


def _expression(chance: Random, depth: int) -> str:
    if depth == 0 or chance.random() < 0.2:
        return chance.choice(NUMBERS if chance.random() < 0.9 else ["'t'", "None", "(1, 2, 3)", "1e300"])
    one, two = _expression(chance, depth - 1), _expression(chance, depth - 1)
    operator = chance.choice(
        ["+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "<", "==", " in ", " and ", " or "]
    )
    simple = chance.choice(["+", "-", "*", "<", ">=", "=="])
    function = chance.choice(["min", "max", "pow", "round", "log", "bit", "sum", "hypot"])
    shapes = [
        *[f"({one}{operator}{two})", f"({one}{simple}{two})"],
        f"(not {one})" if one not in "xyt" else f"{one}[{two}]" if chance.random() < 0.2 else f"abs({one})",
        f"({one}, {two})" if chance.random() < 0.2 else f"(-{one})",
        f"{function}({one}, {two})",
        f"({one} if {two} else 1)",
    ]
    return chance.choice(shapes)
