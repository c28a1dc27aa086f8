"""What is taken for the answer on a serial line, and what is never taken."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from modbus_golden import Golden, exchanges

from edge_agent.errors import BadFrame, FieldbusError, NoAnswer
from edge_agent.protocols.modbus.frames import read_request, rtu, write_register
from edge_agent.protocols.modbus.listener import Listener

READ = rtu(1, read_request(3, 0, 2))
ANSWER = rtu(1, bytes.fromhex("03 04 000A 000B"))
VALUE = ANSWER[1:-2]
WRITE = rtu(1, write_register(5, b"\x12\x34"))
READS = [pair for pair in exchanges("rtu") if pair[0].frame != pair[1].frame]


def outcome(listener: Listener, request: bytes, chunks: Iterable[bytes]) -> bytes | FieldbusError:
    """PDU of the answer, or the error at the time-out."""
    listener.begin(request)
    try:
        for chunk in chunks:
            if (answer := listener.heard(chunk)) is not None:
                return answer
        return listener.gave_up(0.1)
    except FieldbusError as error:
        return error


def single(data: bytes) -> list[bytes]:
    return [data[at : at + 1] for at in range(len(data))]


@pytest.mark.parametrize("pair", exchanges("rtu"), ids=lambda pair: pair[0].exchange)
def test_golden_answers_at_once_in_bytes_and_with_a_tail(pair: tuple[Golden, Golden]) -> None:
    request, answer = (golden.frame for golden in pair)
    silent_line = Listener()
    error = outcome(silent_line, READ, [])
    assert isinstance(error, NoAnswer) and str(error) == "no answer within 100 ms"
    for tail in (b"", b"\0", b"\xff\xff\xff"):
        for chunks in ([answer + tail], single(answer + tail)):
            assert outcome(silent_line, request, chunks) == answer[1:-2]
            assert silent_line.echoes is False


@pytest.mark.parametrize("pair", exchanges("rtu"), ids=lambda pair: pair[0].exchange)
def test_no_cut_or_changed_answer_is_taken(pair: tuple[Golden, Golden]) -> None:
    request, answer = (golden.frame for golden in pair)
    line = Listener()
    assert isinstance(outcome(line, READ, []), NoAnswer)
    for size in range(1, len(answer)):
        assert isinstance(outcome(line, request, [answer[:size]]), BadFrame)
    for at in range(8 * len(answer)):
        changed = bytearray(answer)
        changed[at // 8] ^= 1 << at % 8
        assert isinstance(outcome(line, request, [bytes(changed)]), FieldbusError)


@pytest.mark.parametrize("pair", READS, ids=lambda pair: pair[0].exchange)
def test_the_echo_is_not_the_answer(pair: tuple[Golden, Golden]) -> None:
    request, answer = (golden.frame for golden in pair)
    for chunks in ([request + answer], [request, answer], single(request + answer)):
        line = Listener()
        assert outcome(line, request, chunks) == answer[1:-2]
        assert line.echoes is (True if len(answer) != len(request) else None)
    line = Listener()
    error = outcome(line, request, [request])
    assert isinstance(error, NoAnswer)
    assert "only the echo" in str(error)


def test_a_write_on_a_line_that_echoes_needs_two_copies() -> None:
    line = Listener()
    assert outcome(line, READ, [READ + ANSWER]) == VALUE
    assert line.echoes is True
    assert isinstance(outcome(line, WRITE, [WRITE]), NoAnswer)
    assert outcome(line, WRITE, [WRITE + WRITE]) == WRITE[1:-2]
    assert outcome(line, WRITE, single(WRITE + WRITE)) == WRITE[1:-2]
    assert isinstance(outcome(line, WRITE, [b"\xff\x00" + WRITE]), FieldbusError)
    assert outcome(line, WRITE, [b"\xff\x00" + WRITE + WRITE]) == WRITE[1:-2]
    refusal = rtu(1, b"\x86\x02")
    assert outcome(line, WRITE, [WRITE + refusal]) == b"\x86\x02"


def test_a_write_on_a_line_not_heard_yet_is_not_confirmed_by_one_copy() -> None:
    assert isinstance(outcome(Listener(), WRITE, [WRITE]), NoAnswer)
    line = Listener()
    assert outcome(line, READ, [ANSWER]) == VALUE
    assert line.echoes is False
    assert outcome(line, WRITE, [WRITE]) == WRITE[1:-2]


def test_an_adapter_that_begins_to_echo_is_noticed() -> None:
    line = Listener()
    assert outcome(line, READ, [ANSWER]) == VALUE
    assert outcome(line, READ, [READ + ANSWER]) == VALUE
    assert line.echoes is True
    assert isinstance(outcome(line, WRITE, [WRITE]), NoAnswer)


def test_an_echo_that_looks_like_an_answer() -> None:
    """The request for 18 coils from 0312 is byte for byte an answer with three bytes of coils."""
    request = rtu(1, read_request(1, 0x0312, 18))
    answer = rtu(1, bytes.fromhex("01 03 FF FF 03"))
    assert outcome(Listener(), request, [request + answer]) == answer[1:-2]
    assert outcome(Listener(), request, [b"\0" + request + answer]) == answer[1:-2]
    silent = Listener()
    assert isinstance(outcome(silent, READ, []), NoAnswer)
    assert outcome(silent, request, [request]) == request[1:-2]


@pytest.mark.parametrize("noise", ["FF 00", "00", "01", "01 03", "01 03 FF", "01 83", "01 03 04 00 0A"])
def test_noise_in_front(noise: str) -> None:
    """At the latest when the line is silent."""
    line = Listener()
    line.begin(READ)
    assert (line.heard(bytes.fromhex(noise) + ANSWER) or line.silent()) == VALUE
    assert line.echoes is (False if len(bytes.fromhex(noise)) < len(READ) // 2 else None)  # a damaged echo?
    echoing = Listener()
    assert outcome(echoing, READ, [bytes.fromhex(noise) + READ + ANSWER]) == VALUE


def test_other_frames_are_not_taken_and_do_not_hide_the_answer() -> None:
    others = {
        "answer of unit 2, asked 1": rtu(2, VALUE),
        "answer of function 4, asked 3": rtu(1, b"\x04" + VALUE[1:]),
        "answer of 2 data bytes, 4 expected": rtu(1, bytes.fromhex("03 02 0001")),
        "answer of function 6, asked 3": WRITE,
    }
    for words, other in others.items():
        error = outcome(Listener(), READ, [other])
        assert isinstance(error, BadFrame)
        assert words in str(error)
        assert outcome(Listener(), READ, [other + ANSWER]) == VALUE
        assert outcome(Listener(), READ, [READ + other + ANSWER]) == VALUE


def test_a_late_answer_of_a_unit_that_owes_one_is_no_fault_of_the_next() -> None:
    line = Listener()
    line.begin(READ, owing=2)
    assert line.heard(rtu(2, VALUE)) is None
    with pytest.raises(NoAnswer):
        line.gave_up(0.1)


def test_words() -> None:
    damaged = ANSWER[:-1] + b"\0"
    for chunks, words in (
        ([], "no answer within 100 ms"),
        ([damaged], "checksum 9b00, 9bf6 expected for 01 03 04 00 0a 00 0b 9b 00"),
        ([ANSWER[:5]], "half an answer, 5 of 9 bytes: 01 03 04 00 0a"),
        ([b"\xff\xfe\xfd"], "no frame of unit 1 in ff fe fd"),
        ([bytes(20)], "no frame of unit 1 in 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 ..."),
    ):
        assert words in str(outcome(Listener(), READ, chunks))


def test_a_damaged_answer_is_known_as_soon_as_the_line_is_silent() -> None:
    line = Listener()
    line.begin(READ)
    assert line.heard(ANSWER[:-1]) is None
    assert line.silent() is None  # the rest may still come
    assert line.heard(b"\0") is None
    with pytest.raises(BadFrame, match="checksum"):
        line.silent()


def test_what_nobody_requested_is_counted_and_dropped() -> None:
    line = Listener()
    assert line.heard(ANSWER) is None
    assert line.strays == len(ANSWER)
    assert isinstance(outcome(line, READ, []), NoAnswer)
    line.begin(READ)
    for _ in range(1000):
        assert line.heard(b"\xff" * 100) is None
    assert isinstance(outcome(line, READ, [b"\xff" * 5000]), BadFrame)


def test_the_time_that_was_waited_is_in_milliseconds() -> None:
    line = Listener()
    line.begin(READ)
    with pytest.raises(NoAnswer, match="no answer within 2500 ms"):
        line.gave_up(2.5)
