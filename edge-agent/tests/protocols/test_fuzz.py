"""A bounded sample of scripts/fuzz over every codec, and faults planted to see that it finds them."""

from __future__ import annotations

import re
import time
from collections import Counter
from random import Random

import pytest
from fuzzing import engine
from fuzzing.engine import Target, run
from fuzzing.targets import TARGETS

from edge_agent.protocols.dlt645 import codec
from edge_agent.protocols.dlt645.codec import Frame
from edge_agent.protocols.modbus.wire import TcpWire

CODECS = [name for name in TARGETS if name not in ("formula", "script")]
MUTANTS = 1_200


@pytest.mark.parametrize("name", CODECS)
def test_mutants(name: str) -> None:
    result = run(TARGETS[name](), MUTANTS, seed=20261121, name=name)
    assert not result.failure, result.failure
    assert result.frames == MUTANTS
    few = {
        kind: number for kind, number in result.counts.items() if kind in ("decoded", "described", "values")
    }
    assert len(few) == 3
    assert min(few.values()) > 20, result.counts


def careless(data: bytes) -> Frame | None:
    """A whole frame whatever its checksum."""
    body = data.lstrip(b"\xfe")
    if len(body) < 12 or body[0] != 0x68 or body[7] != 0x68 or body[9] != len(body) - 12:
        return None
    return Frame(body[6:0:-1].hex(), body[8], bytes((byte - 0x33) & 0xFF for byte in body[10:-2]))


def test_a_checksum_that_nobody_looks_at_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codec, "decode_single", careless)
    assert "AssertionError" in run(TARGETS["dlt645_2007"](), 2_000, seed=1).failure


def test_an_answer_to_somebody_else_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    def take(wire: TcpWire, number: int, unit: int, pdu: bytes) -> None:
        if wire._waiting is not None and not wire._waiting.done():
            wire._waiting.set_result(pdu)

    monkeypatch.setattr(TcpWire, "_take", take)
    assert "AssertionError" in run(TARGETS["modbus_tcp"](), 2_000, seed=1).failure


class Weak(Target):
    """Fails or hangs at a byte AAh."""

    def __init__(self, *, hangs: bool) -> None:
        self.hangs = hangs

    def mutant(self, chance: Random) -> tuple[int, bytes]:
        return 0, chance.randbytes(3)

    def check(self, origin: int, data: bytes, chance: Random) -> Counter[str]:
        while self.hangs and 0xAA in data:
            time.process_time()
        if 0xAA in data:
            raise KeyError("weak")
        return Counter()


@pytest.mark.parametrize(("hangs", "words"), [(True, "Hang"), (False, "KeyError")])
def test_a_failure_says_how_to_make_it_again(
    hangs: bool, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "BOUND_S", 0.1)
    result = run(Weak(hangs=hangs), 10_000, seed=7, name="weak")
    assert words in result.failure
    frame = re.search(r"frame ([0-9a-f]{6})", result.failure)
    again = re.search(r"scripts/fuzz weak --seed 7 --first (\d+) --count 1$", result.failure)
    assert frame and again
    assert int(again[1]) == result.frames
    alone = run(Weak(hangs=False), 1, seed=7, first=int(again[1]), name="weak")
    assert alone.frames == 0
    assert f"frame {frame[1]}" in alone.failure
