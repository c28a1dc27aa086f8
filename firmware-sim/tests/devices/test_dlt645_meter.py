"""Frames on the wire, most of them known from the standard's figures and from public captures."""

from datetime import datetime, timedelta

import pytest

from edge_agent.protocols.dlt645.codec import Decoder, Frame, encode
from firmware_sim.devices.dlt645.description import MeterDevice
from firmware_sim.devices.dlt645.line import collided
from firmware_sim.devices.dlt645.meter import Dlt645Meter
from firmware_sim.errors import ScenarioError
from firmware_sim.plant.load import read
from firmware_sim.process.process import Process

ITEMS = {
    "Ua": 220.1, "Ub": 219.8, "Uc": 221.4, "Ia": -5.123, "Ib": 99.968, "PS": 12.3456, "Pa": -0.5678,
    "QS": -1.2345, "PF": -0.987, "PFa": 1.0, "HZ": 50.01, "NI": 0.123, "EP": -12.34,
    "EPF": 1000.50, "EPF1": 100.10, "EPF2": 200.20, "EPF3": 300.10, "EPF4": 400.10,
    "REM": 1234.56, "OVD": 20.0,
}  # fmt: skip

READS = [
    (
        "address",
        "68 AA AA AA AA AA AA 68 13 00 DF 16",
        "68 42 00 15 11 23 20 68 93 06 75 33 48 44 56 53 F1 16",
    ),
    ("Ia", "02020100", "68 42 00 15 11 23 20 68 91 07 33 34 35 35 56 84 B3 71 16"),
    ("Ib, 68h in BCD", "02020200", "68 42 00 15 11 23 20 68 91 07 33 35 35 35 9B CC 3C 88 16"),
    ("PS", "02030000", "68 42 00 15 11 23 20 68 91 07 33 33 36 35 89 67 45 19 16"),
    ("Pa", "02030100", "68 42 00 15 11 23 20 68 91 07 33 34 36 35 AB 89 B3 CC 16"),
    ("QS", "02040000", "68 42 00 15 11 23 20 68 91 07 33 33 37 35 78 56 B4 67 16"),
    ("PF", "02060000", "68 42 00 15 11 23 20 68 91 06 33 33 39 35 BA BC 5C 16"),
    ("PFa", "02060100", "68 42 00 15 11 23 20 68 91 06 33 34 39 35 33 43 5D 16"),
    ("HZ", "02800002", "68 42 00 15 11 23 20 68 91 06 35 33 B3 35 34 83 19 16"),
    ("NI", "02800001", "68 42 00 15 11 23 20 68 91 07 34 33 B3 35 56 34 33 1F 16"),
    ("EP, minus", "00000000", "68 42 00 15 11 23 20 68 91 08 33 33 33 33 67 45 33 B3 72 16"),
    ("REM", "00900200", "68 42 00 15 11 23 20 68 91 08 33 35 C3 33 89 67 45 33 DA 16"),
    ("OVD", "00900201", "68 42 00 15 11 23 20 68 91 08 34 35 C3 33 33 53 33 33 5F 16"),
    (
        "energies in one block",
        "0001FF00",
        "68 42 00 15 11 23 20 68 91 18 33 32 34 33 83 33 43 33 43 33 34 33 53 33 35 33 43 33 36 33 43 33 37"
        " 33 A6 16",
    ),
    (
        "voltages in one block",
        "0201FF00",
        "68 42 00 15 11 23 20 68 91 0A 33 32 34 35 34 55 CB 54 47 55 28 16",
    ),
    ("closed relay", "04000503", "68 42 00 15 11 23 20 68 91 06 36 38 33 37 33 33 50 16"),
    ("no such data", "02010A00", "68 42 00 15 11 23 20 68 D1 01 35 82 16"),
    ("no such block", "0204FFFF", "68 42 00 15 11 23 20 68 D1 01 35 82 16"),
]

TRIP = "FE FE FE FE 68 42 00 15 11 23 20 68 1C 10 35 33 33 33 33 33 33 33 4D 33 8C 8C 56 64 45 58 30 16"
CLOSE = "FE FE FE FE 68 42 00 15 11 23 20 68 1C 10 35 33 33 33 33 33 33 33 4F 33 8C 8C 56 64 45 58 32 16"
WRITE_DATE = "FE FE FE FE 68 42 00 15 11 23 20 68 14 10 34 34 33 37 35 89 67 45 34 33 33 33 36 45 44 58 BF 16"


class Clock:
    """The plant's moment, moved by hand."""

    def __init__(self) -> None:
        self.now = datetime.fromisoformat("2025-11-12T15:30:00")

    def __call__(self) -> datetime:
        return self.now


def meter(**words: object) -> tuple[Dlt645Meter, Process, Clock]:
    values = {**ITEMS, **words.pop("values", {})}  # type: ignore[dict-item]
    signals = "\n".join(
        f"  - {{name: {name}, kind: setpoint, value: {value}}}" for name, value in values.items()
    )
    chosen = words.pop("items", list(values))
    items = "\n".join(f"      - {{item: {name}, signal: {name}}}" for name in chosen)  # type: ignore[attr-defined]
    address = words.pop("address", "202311150042")
    relay = "" if words.get("statute") == "1997" else "    relay: contact\n"
    extra = "".join(f"    {key}: {value!r}\n" for key, value in words.items())
    plant = read(
        f"title: t\nsignals:\n{signals}\n  - {{name: contact, kind: setpoint, value: 1}}\n"
        "lines: [{name: bus, kind: dlt645}]\ndevices:\n  - name: m\n    kind: dlt645\n    line: bus\n"
        f'    address: "{address}"\n{relay}{extra}    items:\n{items}\n'
    )
    device = plant.devices[0]
    assert isinstance(device, MeterDevice)
    process, clock = Process(plant.signals, step_s=0.1, seed=1, day_s=0), Clock()
    return Dlt645Meter(device, process, clock), process, clock


def ask(made: Dlt645Meter, request: str | Frame) -> str | None:
    """Answer's wire bytes without wake-up; request: whole frame, or an identifier to read."""
    if isinstance(request, Frame):
        answer = made.answer(request)
        return None if answer is None else encode(answer, 0).hex(" ").upper()
    text = request.replace(" ", "")
    if len(text) in (4, 8):
        control = 0x11 if len(text) == 8 else 0x01
        return ask(made, Frame(made.address, control, bytes.fromhex(text)[::-1]))
    (frame,) = Decoder().feed(bytes.fromhex(text))
    answer = made.answer(frame)
    return None if answer is None else encode(answer, 0).hex(" ").upper()


@pytest.mark.parametrize(("request_", "answer"), [row[1:] for row in READS], ids=[row[0] for row in READS])
def test_read(request_: str, answer: str) -> None:
    assert ask(meter()[0], request_) == answer


def test_a_voltage_has_no_sign_and_energy_goes_over_to_zero() -> None:
    made, process, _ = meter(values={"Ua": 830.5, "EPF": 123456.78})
    assert ask(made, "02010100") == "68 42 00 15 11 23 20 68 91 06 33 34 34 35 38 B6 D0 16"
    assert ask(made, "00010000") == "68 42 00 15 11 23 20 68 91 08 33 33 34 33 AB 89 67 45 C1 16"
    process.set("EPF", 1_000_000.26)
    made.refresh()
    answer = ask(made, "00010000")
    assert answer is not None
    assert answer.split()[14:18] == ["59", "33", "33", "33"]  # 0.26


def test_a_missing_phase_is_ff_in_its_block() -> None:
    made, _, _ = meter(items=["Ua", "Uc"])
    answer = ask(made, "0201FF00")
    assert answer is not None
    assert answer.split()[14:20] == ["34", "55", "32", "32", "47", "55"]


def test_long_blocks_follow_up() -> None:
    made, _, _ = meter(items=["EPF", "EPF1", "EPF2", "EPF3"], frame_bytes=8)
    assert ask(made, "0001FF00") == "68 42 00 15 11 23 20 68 B1 0C 33 32 34 33 83 33 43 33 43 33 34 33 0D 16"
    follow = "FE FE FE FE 68 42 00 15 11 23 20 68 12 05 33 32 34 33 34 92 16"
    last = "68 42 00 15 11 23 20 68 92 0D 33 32 34 33 53 33 35 33 43 33 36 33 34 E7 16"
    assert ask(made, follow) == last
    assert ask(made, follow) == last  # asked again, it comes again
    ask(made, "02010100")
    assert ask(made, follow) == "68 42 00 15 11 23 20 68 D2 01 35 83 16"


def test_the_relay_moves_after_its_delay() -> None:
    made, process, clock = meter()
    assert ask(made, TRIP) == "68 42 00 15 11 23 20 68 9C 00 17 16"
    assert ask(made, "04000503") == "68 42 00 15 11 23 20 68 91 06 36 38 33 37 73 33 90 16"  # ordered
    clock.now += timedelta(seconds=1)
    made.refresh()
    assert process.value("contact") == 0
    assert ask(made, "04000503") == "68 42 00 15 11 23 20 68 91 06 36 38 33 37 83 33 A0 16"  # open
    ask(made, CLOSE)
    clock.now += timedelta(seconds=1)
    made.refresh()
    assert ask(made, "04000503") == "68 42 00 15 11 23 20 68 91 06 36 38 33 37 33 33 50 16"


def test_a_relay_command_is_refused_after_its_deadline_or_with_another_password() -> None:
    made, process, clock = meter()
    clock.now = datetime.fromisoformat("2026-01-01T00:00:00")
    assert ask(made, TRIP) == "68 42 00 15 11 23 20 68 DC 01 34 8C 16"
    made, process, clock = meter(password="123456")
    assert ask(made, TRIP) == "68 42 00 15 11 23 20 68 DC 01 37 8F 16"
    clock.now += timedelta(seconds=5)
    made.refresh()
    assert process.value("contact") == 1


def test_a_relay_command_needs_the_whole_address() -> None:
    made, _, _ = meter()
    body = bytearray.fromhex(TRIP.replace("FE", "").replace(" ", ""))
    body[6] = 0xAA
    body[-2] = sum(body[:-2]) & 0xFF
    assert ask(made, body.hex()) is None


def test_the_clock_is_read_and_written() -> None:
    made, _, _ = meter(password="123456")
    assert ask(made, "04000102") == "68 42 00 15 11 23 20 68 91 07 35 34 33 37 33 63 48 C4 16"  # 15:30:00
    assert ask(made, WRITE_DATE) == "68 42 00 15 11 23 20 68 94 00 0F 16"
    assert ask(meter()[0], WRITE_DATE) == "68 42 00 15 11 23 20 68 D4 01 37 87 16"


def test_broadcast_time_is_taken_within_five_minutes_and_unanswered() -> None:
    made, _, clock = meter()
    sync = "68 99 99 99 99 99 99 68 08 06 78 63 48 45 44 58 78 16"  # 2025-11-12 15:30:45
    assert ask(made, sync) is None
    assert made.now == datetime.fromisoformat("2025-11-12T15:30:45")
    clock.now += timedelta(hours=1)
    assert ask(made, sync) is None
    assert made.now == datetime.fromisoformat("2025-11-12T16:30:45")


def test_a_shortened_address_is_answered_with_the_whole_one() -> None:
    made, _, _ = meter()
    request = "FE FE FE FE 68 42 00 15 AA AA AA 68 11 04 35 33 B3 35 8A 16"
    assert ask(made, request) == "68 42 00 15 11 23 20 68 91 06 35 33 B3 35 34 83 19 16"
    other = bytearray.fromhex("684300 15AAAAAA68110435 33B335".replace(" ", ""))
    assert ask(made, (other + bytes((sum(other) & 0xFF, 0x16))).hex()) is None


def test_answers_of_others_are_not_requests() -> None:
    assert ask(meter()[0], "68 42 00 15 11 23 20 68 9C 00 17 16") is None


def test_two_answers_at_once_are_none() -> None:
    assert collided([b"\x0f\xff", b"\xf3"]) == b"\x03\xff"


OLD = {
    "Ua": 100, "Ia": 12.34, "PS": 1.2345, "QS": 12.34, "PF": 0.987,
    "EPF": 1000.50, "EPF1": 100.10, "EPF2": 200.20, "EPF3": 300.10, "EPF4": 400.10, "EPR": 65.43,
}  # fmt: skip

OLD_READS = [
    ("Ia", "68 56 34 12 00 00 00 68 01 02 54 E9 AC 16", "68 56 34 12 00 00 00 68 81 04 54 E9 67 45 DA 16"),
    ("Ia, AA in the unused bytes", "FE FE 68 56 34 12 00 AA AA 68 01 02 54 E9 00 16",
     "68 56 34 12 00 00 00 68 81 04 54 E9 67 45 DA 16"),
    ("PS", "B630", "68 56 34 12 00 00 00 68 81 05 63 E9 78 56 34 40 16"),
    ("QS", "B640", "68 56 34 12 00 00 00 68 81 04 73 E9 67 45 F9 16"),
    ("PF", "B650", "68 56 34 12 00 00 00 68 81 04 83 E9 BA 3C 53 16"),
    ("EPR", "9020", "68 56 34 12 00 00 00 68 81 06 53 C3 76 98 33 33 7D 16"),
    ("energies in one block", "901F",
     "68 56 34 12 00 00 00 68 81 16 52 C3 83 33 43 33 43 33 34 33 53 33 35 33 43 33 36 33 43 33 37 33 CE 16"),
    ("no such identifier", "B612", "68 56 34 12 00 00 00 68 C1 01 35 63 16"),
]  # fmt: skip


def old(**words: object) -> tuple[Dlt645Meter, Process, Clock]:
    return meter(statute="1997", address="000000123456", values=OLD, items=list(OLD), **words)


@pytest.mark.parametrize(
    ("request_", "answer"), [row[1:] for row in OLD_READS], ids=[row[0] for row in OLD_READS]
)
def test_read_1997(request_: str, answer: str) -> None:
    assert ask(old()[0], request_) == answer


def test_1997_answers_the_broadcast_read_with_its_own_address() -> None:
    request = "68 99 99 99 99 99 99 68 01 02 43 C3 6F 16"
    answer = ask(old()[0], request)
    assert answer is not None
    assert answer.startswith("68 56 34 12 00 00 00 68 81 06 43 C3")
    assert ask(meter()[0], Frame("999999999999", 0x11, b"\0\0\1\0")) is None


def test_1997_keeps_silent_at_commands_of_2007_and_the_other_way_round() -> None:
    address = "AAAAAAAAAAAA"
    assert ask(old()[0], Frame(address, 0x13)) is None
    assert ask(old()[0], Frame(address, 0x11, bytes(4))) is None
    assert ask(old()[0], Frame("000000123456", 0x1C, bytes(16))) is None
    made, _, _ = meter()
    refused = made.answer(Frame("202311150042", 0x01, b"\x10\x90"))
    assert refused == Frame("202311150042", 0xC1, b"\x01")


def test_1997_follow_up_frames_come_in_order_and_again_on_demand() -> None:
    made, _, _ = old(frame_bytes=8)
    own, di = "000000123456", b"\x1f\x90"
    assert made.answer(Frame(own, 0x01, di)) == Frame(own, 0xA1, di + bytes.fromhex("5000100010000100"))
    second = Frame(own, 0xA2, di + bytes.fromhex("2000020010000300"))
    assert made.answer(Frame(own, 0x02, di)) == second
    assert made.answer(Frame(own, 0x03)) == Frame(own, 0xA3, second.data)
    assert made.answer(Frame(own, 0x02, di)) == Frame(own, 0x82, di + bytes.fromhex("10000400"))
    assert made.answer(Frame(own, 0x02, di)) == Frame(own, 0xC2, b"\x02")
    made.answer(Frame(own, 0x01, b"\x11\xb6"))
    assert made.answer(Frame(own, 0x02, di)) == Frame(own, 0xC2, b"\x02")


def test_1997_clock_is_written_without_an_operator() -> None:
    made, _, _ = old(password="123456")
    own, time = "000000123456", bytes.fromhex("11C0")
    assert made.answer(Frame(own, 0x01, time)) == Frame(own, 0x81, time + bytes.fromhex("003015"))
    data = time + bytes.fromhex("02563412") + bytes.fromhex("453015")
    assert made.answer(Frame(own, 0x04, data)) == Frame(own, 0x84)
    assert made.now == datetime.fromisoformat("2025-11-12T15:30:45")
    wrong = time + bytes.fromhex("02000000") + bytes.fromhex("453015")
    assert made.answer(Frame(own, 0x04, wrong)) == Frame(own, 0xC4, b"\x04")
    assert made.answer(Frame("AAAAAA123456", 0x04, data)) is None


def test_1997_has_no_relay() -> None:
    with pytest.raises(ScenarioError, match="a meter of 1997 takes no command"):
        read(
            "title: t\nsignals: [{name: contact, kind: setpoint, value: 1}]\n"
            "lines: [{name: bus, kind: dlt645}]\ndevices: [{name: m, kind: dlt645, line: bus, "
            'address: "000000123456", statute: "1997", relay: contact, items: [{item: Ua, signal: contact}]}]'
        )
