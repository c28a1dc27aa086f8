"""What a modem says, whole and byte by byte; malformed answers end in errors, not in numbers."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_agent.errors import BadFrame, FieldbusError, NoAnswer
from edge_agent.system import cellular
from edge_agent.system.cellular import (
    STRONGEST,
    ModemRefused,
    ModemWatch,
    answer_of,
    iccid_of,
    imei_of,
    signal_of,
)
from edge_contract.cellular import UNKNOWN_SIGNAL, ModemState

GOLDEN = Path(__file__).with_name("modem_replies.csv")
ERRORS = {"ModemRefused": ModemRefused, "BadFrame": BadFrame}
READERS: dict[str, Callable[[str], object]] = {"signal": signal_of, "imei": imei_of, "iccid": iccid_of}


def golden() -> list[tuple[str, str, str]]:
    with GOLDEN.open(newline="") as file:
        return [
            (row["question"], row["reply"].encode().decode("unicode_escape"), row["outcome"])
            for row in csv.DictReader(file)
        ]


def read(question: str, reply: str) -> object:
    answer = answer_of(reply)
    return None if answer is None else READERS[question](answer)


@pytest.mark.parametrize(("question", "reply", "outcome"), golden())
def test_replies(question: str, reply: str, outcome: str) -> None:
    if outcome in ERRORS:
        with pytest.raises(ERRORS[outcome]):
            read(question, reply)
    else:
        assert str(read(question, reply)) == outcome


@pytest.mark.parametrize(
    ("question", "reply", "outcome"),
    [case for case in golden() if case[2].isdigit()],
)
def test_bytes_come_one_by_one_and_others_follow(question: str, reply: str, outcome: str) -> None:
    end = reply.rindex("OK") + 2
    assert all(read(question, reply[:cut]) is None for cut in range(end - 1))
    assert str(read(question, reply + "\r\nRING\r\n\r\n+CSQ: 1,1\r\n\r\nOK\r\n")) == outcome


@given(st.integers(0, 255), st.integers(0, 99))
def test_every_value_is_a_strength_or_unknown(value: int, errors: int) -> None:
    said = read("signal", f"AT+CSQ\r\r\n+CSQ: {value},{errors}\r\n\r\nOK\r\n")
    assert said == (value if value <= STRONGEST else UNKNOWN_SIGNAL)


@given(st.sampled_from(sorted(READERS)), st.text(st.characters(max_codepoint=127), max_size=60))
def test_anything_else_is_unfinished_or_an_error(question: str, reply: str) -> None:
    try:
        said = read(question, reply)
    except FieldbusError:
        return
    assert said is None or isinstance(said, int if question == "signal" else str)


class Script:
    """A modem that answers as the list says; the clock stops the test at its end."""

    def __init__(self, *answers: ModemState | FieldbusError) -> None:
        self._answers = list(answers)
        self.asked: list[int] = []
        self.slept: list[float] = []
        self.now = 0

    async def signal(self) -> int:
        return UNKNOWN_SIGNAL

    async def state(self, now_ms: int) -> ModemState:
        self.asked.append(now_ms)
        answer = self._answers.pop(0)
        if isinstance(answer, FieldbusError):
            raise answer
        return answer

    def now_ms(self) -> int:
        return self.now

    def monotonic(self) -> float:
        return self.now / 1000

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += round(seconds * 1000)
        if not self._answers:
            raise EndOfScript


class EndOfScript(Exception):
    """Nothing is left to answer."""


@pytest.mark.clause("C-220")
async def test_the_modem_is_asked_every_ten_minutes_and_not_spoken_of_while_it_is_away() -> None:
    known = ModemState(imei="490154203237518", iccid="89860100123456789012", signal=17, read_ms=0)
    seen: list[ModemState | None] = []
    script = Script(known, NoAnswer("away"), NoAnswer("away"), known)
    watch = ModemWatch(script, script)
    sleep = script.sleep

    async def noting(seconds: float) -> None:
        seen.append(watch.state)
        await sleep(seconds)

    script.sleep = noting  # type: ignore[method-assign]
    with pytest.raises(EndOfScript):
        await watch.run()
    assert seen == [known, None, None, known]
    assert script.slept == [cellular.WATCH_S] * 4 == [600.0] * 4
    assert script.asked == [0, 600_000, 1_200_000, 1_800_000]
