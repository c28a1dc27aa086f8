"""edge-agent decode hj212_...: one packet as JSON, or what is wrong with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hj212_packets import KEY, golden, goldens, rows, wire

from edge_agent.__main__ import main
from edge_agent.forwarding.hj212.description import crc_fault, describe, packet_bytes
from edge_agent.forwarding.hj212.packet import BadPacket

H08 = golden("H08").data.decode().rstrip()


def decoded(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    assert main(["decode", *words]) == 0
    answer: dict[str, object] = json.loads(capsys.readouterr().out)
    return answer


def test_a_packet_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert decoded(capsys, "hj212_2017", H08) == {
        "standard": "HJ 212-2017",
        "command": {
            "number": "2011",
            "name": "real-time data",
            "kind": "upload",
            "sent_by": "field",
            "answers": "9014",
        },
        "header": {
            "QN": "20160801085857223",
            "ST": "32",
            "CN": "2011",
            "PW": "***",
            "MN": "010000A8900016F000169DC0",
            "Flag": 5,
        },
        "flag": {
            "version_bits": 1,
            "version": "HJ 212-2017",
            "packet_numbers": False,
            "answer_wanted": True,
        },
        "parameters": {"DataTime": "20160801085857"},
        "factors": {
            "w01001": {"Rtd": "7.1", "Flag": "N"},
            "w01018": {"SampleTime": "20160801070000", "Rtd": "2.2", "Flag": "N", "EFlag": "A01"},
        },
        "faults": [],
        "tolerances": [],
        "length": 218,
        "crc": {"given": "6E80", "computed": "6E80", "fits": "standard"},
    }


def test_as_hexadecimal_digits(capsys: pytest.CaptureFixture[str]) -> None:
    as_text = decoded(capsys, "hj212_2017", H08)
    assert decoded(capsys, "hj212_2017", golden("H08").data.hex(" ")) == as_text
    assert decoded(capsys, "hj212_2017", *golden("H08").data.hex(" ").split()) == as_text
    assert decoded(capsys, "hj212_2017", H08 + "\\r\\n") == as_text
    assert decoded(capsys, "hj212_2017", H08 + "\r\n") == as_text


def test_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decode", "hj212_2017", H08.replace("6E80", "6E81")]) == 1
    words = "CRC at byte 224: '6E81', must be 6E80; no other variant fits either (HJ 212-2017, annex A)\n"
    assert capsys.readouterr().err == words
    assert main(["decode", "hj212_2017", "23 2"]) == 2
    assert main(["decode", "hj212_2017", "--direction", "answer", H08]) == 2
    assert "--direction: is not for hj212" in capsys.readouterr().err
    assert main(["decode", "modbus_rtu", "--key-file", "x", "01"]) == 2
    assert capsys.readouterr().err == "--key-file: is for hj212_2025\n"
    assert main(["decode", "hj212_2017", "--key-file", "x", H08]) == 2
    assert capsys.readouterr().err == "--key-file: is for hj212_2025\n"


def test_other_check_digits_are_described_and_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decode", "hj212_2017", H08.replace("6E80", "806E")]) == 1
    said = capsys.readouterr()
    assert json.loads(said.out)["crc"] == {"given": "806E", "computed": "6E80", "fits": "standard_swapped"}
    assert said.err == "CRC 806E is standard_swapped, not standard\n"
    assert main(["decode", "hj212_2017", H08.replace("6E80", "A55A")]) == 1
    assert json.loads(capsys.readouterr().out)["crc"]["fits"] == "universal"


def test_an_encrypted_packet(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    packet = golden("J46").data.hex()
    assert main(["decode", "hj212_2025", packet]) == 1
    assert "must be clear text, or encrypted with the key of --key-file" in capsys.readouterr().err
    key = tmp_path / "key"
    key.write_text("0" * 16 + "\n")
    answer = decoded(capsys, "hj212_2025", "--key-file", str(key), packet)
    assert answer["parameters"] == {"SKCreateTime": "20240601085857223", "NewSK": "***"}
    key.write_text("0" * 15)
    assert main(["decode", "hj212_2025", "--key-file", str(key), packet]) == 2
    assert capsys.readouterr().err.startswith("key: must be 16 printable ASCII characters")
    assert main(["decode", "hj212_2025", "--key-file", str(tmp_path), packet]) == 2
    assert "--key-file" in capsys.readouterr().err


@pytest.mark.parametrize("packet", goldens(), ids=lambda each: each.name)
def test_every_golden_packet(packet: object) -> None:
    each = golden(packet.name)  # type: ignore[attr-defined]
    answer = describe(each.data, each.version, KEY if each.encrypted else None)
    assert set(answer["tolerances"]) == each.tolerances
    assert answer["crc"]["fits"] == "standard"
    text = json.dumps(answer)
    assert answer["header"].get("PW", "***") == "***"
    assert "7Qm2xZ9dK4tB8vLs" not in text


VARIANTS = {
    "N01": "crc16_modbus",
    "N02": "standard_swapped",
    "K01": "crc16_modbus",
    "M03": "universal",
}


@pytest.mark.parametrize("row", rows("malformed.csv"), ids=lambda row: row["id"])
def test_tolerances_and_variants_are_named(row: dict[str, str]) -> None:
    try:
        answer = describe(wire(row["packet"]), row["version"])
    except BadPacket as error:
        assert row["error"]
        assert not row["tolerances"] or row["id"] == "M03", error
        return
    named = set(answer["tolerances"]) | ({"universal_crc"} if row["id"] == "M03" else set())
    assert named == set(row["tolerances"].split())
    assert answer["crc"]["fits"] == VARIANTS.get(row["id"], "standard")


def test_a_crc_over_the_cipher() -> None:
    row = next(row for row in rows("malformed.csv") if row["id"] == "K16")
    answer = describe(wire(row["packet"]), "2025", KEY)
    assert answer["crc"] == {"given": "C901", "computed": "E401", "fits": "standard over the cipher"}
    assert crc_fault(answer) == "", "the standard can be read so"


def test_texts() -> None:
    assert packet_bytes("##x") == b"##x\r\n"
    assert packet_bytes("2323") is None
