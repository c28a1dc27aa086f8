"""Settings of a line as a client of RFC 2217 asks for them, one by one and at their limits."""

from __future__ import annotations

from typing import Literal

import pytest

from cloud.tunnels.codec import MODEM_MASK, Purge, Rfc2217, Say, SetLine, setting, wanted_line
from edge_contract.tunnel import Line

BAUD, DATA_BITS, PARITY, STOP_BITS, CONTROL, PURGE = 1, 2, 3, 4, 5, 12
LINE = Line(baud=9600, parity="O", data_bits=8, stop_bits=1)


def line_of(
    baud: int, parity: Literal["N", "O", "E"], data_bits: Literal[7, 8], stop_bits: Literal[1, 2]
) -> Line:
    return Line(baud=baud, parity=parity, data_bits=data_bits, stop_bits=stop_bits)


def frame(command: int, value: bytes) -> bytes:
    return b"\xff\xfa\x2c" + bytes((command,)) + value.replace(b"\xff", b"\xff\xff") + b"\xff\xf0"


def session() -> Rfc2217:
    made = Rfc2217(LINE, "edge")
    made.feed(b"\xff\xfb\x2c")
    return made


@pytest.mark.parametrize(
    ("command", "value", "line"),
    [
        (BAUD, 300, line_of(300, "O", 8, 1)), (BAUD, 921_600, line_of(921_600, "O", 8, 1)), (BAUD, 299, None),
        (BAUD, 921_601, None), (BAUD, 0, None),
        (DATA_BITS, 7, line_of(9600, "O", 7, 1)), (DATA_BITS, 8, LINE), (DATA_BITS, 6, None),
        (DATA_BITS, 9, None), (DATA_BITS, 0, None),
        (PARITY, 1, line_of(9600, "N", 8, 1)), (PARITY, 2, LINE), (PARITY, 3, line_of(9600, "E", 8, 1)),
        (PARITY, 0, None), (PARITY, 4, None), (STOP_BITS, 0, None), (STOP_BITS, 3, None),
        (STOP_BITS, 1, LINE), (STOP_BITS, 2, line_of(9600, "O", 8, 2)),
    ],
)  # fmt: skip
def test_what_a_line_can_be_set_to(command: int, value: int, line: Line | None) -> None:
    size = 4 if command == BAUD else 1
    assert wanted_line(LINE, command, value.to_bytes(size, "big")) == line
    assert wanted_line(LINE, command, value.to_bytes(size + 1, "big")) is None
    here = session()
    actions = here.feed(frame(command, value.to_bytes(size, "big")))
    if line is None:
        assert actions == [Say(frame(command + 100, setting(LINE, command)))], "what is in use"
    else:
        assert actions == [SetLine(line)]
        assert here.line_is(line) == frame(command + 100, value.to_bytes(size, "big"))


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        *((n, 1) for n in (0, 1, 2, 3)),  # no flow control
        *((n, 6) for n in (4, 5, 6)),  # no break
        *((n, 8) for n in (7, 8, 9)),  # DTR on
        *((n, 11) for n in (10, 11, 12)),  # RTS on
        *((n, 14) for n in (13, 14, 15, 19, 255)),  # no flow control inbound
    ],
)
def test_what_cannot_be_set_is_answered_with_what_is_in_use(asked: int, answer: int) -> None:
    assert session().feed(frame(CONTROL, bytes((asked,)))) == [Say(frame(105, bytes((answer,))))]
    assert session().feed(frame(CONTROL, bytes((asked, 1)))) == []


@pytest.mark.parametrize("what", range(5))
def test_what_is_purged(what: int) -> None:
    said = Say(frame(112, bytes((what,))))
    assert session().feed(frame(PURGE, bytes((what,)))) == ([Purge(), said] if what in (1, 3) else [said])


def test_a_suboption_is_at_most_256_bytes_with_its_option_and_command() -> None:
    for size, answered in ((254, True), (255, False)):
        actions = session().feed(frame(MODEM_MASK, bytes((7,)) * size))
        assert actions == ([Say(frame(111, b"\x07"))] if answered else [])
    assert session().feed(b"\xff\xfa\x2c\xff\xf0") == [], "an option without a command"
    assert session().feed(b"\xff\xfa\x2d\x0b\x01\xff\xf0") == [], "another option"


def test_a_byte_of_255_in_a_value_is_doubled_both_ways() -> None:
    assert session().feed(frame(MODEM_MASK, b"\xff")) == [Say(frame(111, b"\xff"))]
    here = session()
    assert here.feed(frame(BAUD, (0x12FF).to_bytes(4, "big"))) == [SetLine(line_of(0x12FF, "O", 8, 1))]
    assert here.line_is(line_of(0x12FF, "O", 8, 1)) == frame(101, b"\0\0\x12\xff")


def test_the_signature_is_told_when_it_is_asked_for() -> None:
    assert session().feed(frame(0, b"")) == [Say(frame(100, b"edge"))]
    assert session().feed(frame(0, b"client")) == []


def test_modem_lines_are_told_once_and_when_they_are_asked_for() -> None:
    lines = Say(frame(107, b"\xb0"))
    here = Rfc2217(LINE, "edge")
    assert here.feed(frame(0, b"client")) == [lines]
    assert here.feed(frame(0, b"client")) == []
    assert here.feed(frame(7, b"\0")) == [lines] and here.feed(frame(7, b"\0")) == [lines]


def test_options_are_agreed_once() -> None:
    here = Rfc2217(LINE, "edge")
    will, wont, do, dont = 251, 252, 253, 254

    def answers(verb: int, option: int) -> list[tuple[int, int]]:
        return [tuple(action.data[1:3]) for action in here.feed(bytes((255, verb, option)))]  # type: ignore[union-attr, misc]

    assert answers(do, 0) == answers(will, 0) == answers(will, 3) == answers(do, 3) == []
    assert answers(dont, 3) == [(wont, 3)] and answers(dont, 3) == []
    assert answers(do, 3) == [(will, 3)]
    assert answers(wont, 0) == [(dont, 0)] and answers(wont, 0) == []
    assert answers(will, 0) == [(do, 0)]
    assert (answers(do, 1), answers(will, 1)) == ([(wont, 1)], [(dont, 1)])
    assert answers(wont, 1) == answers(dont, 1) == []
