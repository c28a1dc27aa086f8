"""Scripts of a configuration on the simulated plant, in the real sandbox."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import pytest

from edge_agent.config.load import ConfigErrors, parse
from edge_agent.errors import BadValue
from edge_agent.model import PointKey, Quality
from edge_agent.sandbox import ScriptHost


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine may give the sandbox no turn for a second."""
    defaults = ScriptHost.__init__.__kwdefaults__
    assert defaults is not None
    monkeypatch.setitem(defaults, "grace_s", 15.0)


def output(name: str, more: str = 'script = "work"') -> str:
    return f'\n[[points]]\nslave = "one"\nname = "{name}"\ntype = "cal"\ndata_type = "double"\n{more}\n'


def script(text: str, more: str = 'inputs = { a = "p0", b = "p1" }') -> str:
    return f'\n[[scripts]]\nname = "work"\nslave = "one"\n{more}\ntext = """\n{text}\n"""\n'


async def until(done: Callable[[], bool]) -> None:
    """The sandbox is a process: its answers come in real time."""
    async with asyncio.timeout(20):
        while not done():  # noqa: ASYNC110 (looks at what was stored, which announces nothing)
            await asyncio.sleep(0.01)


TOTAL = script(
    "total = total + a\nif b is None:\n  share = None\nelse:\n  share = a / b",
    'inputs = { a = "p0", b = "one.p1" }\nstate = { total = 0.0 }',
)


async def test_outputs_once_a_cycle_and_state_from_run_to_run(site: Any, make_toml: Any) -> None:
    text = (
        make_toml("a.one", offsets=(0, 1)) + output("total", 'script = "work"\nratio = 0.5') + output("share")
    )
    here = site(text + TOTAL, one={0: 6, 1: 3})
    for turn in range(1, 4):
        await here.clock.advance(1 if turn > 1 else 0.5)
        await until(lambda turn=turn: len(here.stored("one", "total")) >= turn)  # type: ignore[misc]
    assert here.stored("one", "total") == [(3.0, "GOOD"), (6.0, "GOOD"), (9.0, "GOOD")]
    assert here.stored("one", "share") == [(2.0, "GOOD")] * 3
    key = PointKey("one", "total")
    assert (await here.bus.read(key, 1)).value == 9.0
    with pytest.raises(BadValue, match="is calculated"):
        await here.bus.write(key, 1, 1)


async def test_what_a_script_cannot_do_shows_in_the_quality(
    site: Any, make_toml: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    text = make_toml("a.one", offsets=(0, 1)) + output("share") + script("share = a / b")
    here = site(text, one={0: 6, 1: 0})
    await here.clock.advance(0.5)
    await until(lambda: bool(here.stored("one", "share")))
    assert here.stored("one", "share") == [(None, "OUT_OF_RANGE")]
    assert caplog.text.count("script work has no result: fault in line") == 1
    here.plant.memory["one"][1] = 2
    await here.clock.advance(1)
    await until(lambda: here.stored("one", "share")[-1] == (3.0, "GOOD"))
    assert "script work has results again" in caplog.text


async def test_an_endless_script_costs_nobody_anything(site: Any, make_toml: Any) -> None:
    text = make_toml("a.one", offsets=(0, 1)) + output("x") + script("x = 1\nwhile x > 0:\n  x = 1")
    here = site(text)
    await here.clock.advance(0.5)
    await until(lambda: bool(here.stored("one", "x")))
    assert here.stored("one", "x") == [(None, "OUT_OF_RANGE")]
    reads = len(here.plant.requests("one"))
    await here.clock.advance(5)
    assert len(here.plant.requests("one")) == reads + 5


async def test_a_missing_input_is_none_and_an_output_without_value_says_why(
    site: Any, make_toml: Any
) -> None:
    text = make_toml("a.one", "b.two") + output("best") + output("both")
    lines = "best = a\nif b is not None:\n  best = max(a, b)\nboth = None\nif b is not None:\n  both = a + b"
    here = site(text + script(lines, 'inputs = { a = "p0", b = "two.p0" }'), one={0: 1}, two={0: 2})
    here.plant.down.add("b")
    await here.clock.advance(4)
    await until(lambda: bool(here.stored("one", "both")))
    assert here.stored("one", "best")[-1] == (1, "GOOD"), "the script took the missing value into account"
    assert here.stored("one", "both")[-1] == (None, "PORT_DOWN")
    assert (await here.bus.read(PointKey("one", "both"), 1)).quality is Quality.PORT_DOWN


def test_faults_of_scripts_all_at_once(make_toml: Any) -> None:
    text = (
        make_toml("a.one")
        + output("wrong", 'script = "none"')
        + output("two", 'script = "work"\nformula = "p0"')
        + output("x")
        + script("x = open(1)", 'inputs = { a = "p77" }')
        + '\n[[scripts]]\nname = "idle"\nslave = "nobody"\ntext = "y = 1"\n'
    )
    with pytest.raises(ConfigErrors) as caught:
        parse(text)
    rules = {error.field: error.rule for error in caught.value.errors}
    assert set(rules) == {
        "points[1].script", "points[2].formula", "scripts[0].inputs.a", "scripts[0].text", "scripts[1].slave",
        "scripts[1]",
    }, rules  # fmt: skip
    assert "line 1, column 5" in rules["scripts[0].text"]


def test_a_ring_through_a_script(make_toml: Any) -> None:
    text = make_toml("a.one") + output("x") + output("y", 'formula = "x + 1"')
    with pytest.raises(ConfigErrors, match=r"must not need its own value: one\.x -> one\.y -> one\.x"):
        parse(text + script("x = a", 'inputs = { a = "y" }'))
