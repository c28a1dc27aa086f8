"""SM4 of HJ 212-2025: the packets that annex A.2 prints, the other forms, and what must be refused."""

from __future__ import annotations

import msgspec
import pytest
from hj212_packets import KEY, golden, packets, rows, strict, wire
from hypothesis import given
from hypothesis import strategies as st

from edge_agent.errors import ConfigError
from edge_agent.forwarding.hj212.codec import PacketCodec
from edge_agent.forwarding.hj212.frame import MAX_LENGTH
from edge_agent.forwarding.hj212.packet import BadPacket, Packet
from edge_agent.forwarding.hj212.profile import Tolerance
from edge_agent.forwarding.hj212.sm4 import CipherForm, Encryption, Side, Sm4Key, must_be_encrypted

OTHER = Sm4Key("1" * 16)
TRAPS = {row["id"]: wire(row["packet"]) for row in rows("malformed.csv")}


def platform(
    key: Sm4Key = KEY, tolerances: frozenset[Tolerance] = frozenset(), **options: object
) -> PacketCodec:
    return strict(
        "2025",
        encryption=Encryption(key, Side.PLATFORM, **options),  # type: ignore[arg-type]
        tolerances=tolerances,
        max_segment=MAX_LENGTH,
    )


def field(key: Sm4Key = KEY, **options: object) -> PacketCodec:
    return strict("2025", encryption=Encryption(key, **options), max_segment=MAX_LENGTH)  # type: ignore[arg-type]


def test_the_published_vector() -> None:
    text = "0123456789ABCDEFFEDCBA9876543210"
    cipher = Sm4Key(text).encrypted(bytes.fromhex(text))
    assert cipher.hex() == "681edf34d206965e86b3e94f536e4246"
    assert Sm4Key(text).decrypted(cipher) == bytes.fromhex(text)


@pytest.mark.parametrize(("clear", "encrypted"), [("J41", "J42"), ("J43", "J44"), ("J24", "J45")])
def test_an_encrypted_packet_says_what_its_clear_twin_says(clear: str, encrypted: str) -> None:
    packet = strict("2025").decode(golden(clear).data)
    assert field().encode(packet) == golden(encrypted).data
    assert platform().decode(golden(encrypted).data) == packet


def test_without_a_key_it_is_refused() -> None:
    with pytest.raises(BadPacket):
        strict("2025").decode(golden("J42").data)


@pytest.mark.parametrize("trap", ["K10", "K11", "K15", "K16", "K17", "K19"])
def test_damaged_or_foreign_cipher(trap: str) -> None:
    with pytest.raises(BadPacket):
        platform().decode(TRAPS[trap])


def test_other_forms_and_keys_are_options() -> None:
    clear = platform().decode(golden("J39").data)
    assert platform(form=CipherForm.LIST).decode(TRAPS["K15"]) == clear
    assert platform(crc_over_cipher=True).decode(TRAPS["K16"]) == clear
    assert platform(OTHER).decode(TRAPS["K19"]) == clear
    assert platform(KEY, previous=OTHER).decode(TRAPS["K19"]) == clear


@given(packets("2025"), st.sampled_from(CipherForm), st.booleans(), st.sampled_from(Side))
def test_round_trip(drawn: tuple[str, Packet], form: CipherForm, over_cipher: bool, side: Side) -> None:
    packet = drawn[1]
    receiver = Side.FIELD if side is Side.PLATFORM else Side.PLATFORM
    sent = field(side=side, form=form, crc_over_cipher=over_cipher).encode(packet)
    assert field(side=receiver, form=form, crc_over_cipher=over_cipher).decode(sent) == packet
    if form is CipherForm.RAW and not over_cipher:
        clear = strict("2025", max_segment=MAX_LENGTH).encode(packet)
        assert (sent[:6], sent[-6:]) == (clear[:6], clear[-6:])


def test_the_tail_within_the_braces() -> None:
    """As one sender writes it."""
    packet = strict("2025").decode(golden("J43").data)
    listed = field(form=CipherForm.LIST).encode(packet)
    moved = listed.replace(b"}g=N&&", b",0x67,0x3D,0x4E}&&")
    moved = b"##%04d%b" % (len(moved) - 12, moved[6:])
    assert moved != listed
    assert platform(form=CipherForm.LIST).decode(moved) == packet


def test_clear_text_where_it_must_be_encrypted() -> None:
    clear = golden("J41").data
    with pytest.raises(BadPacket, match=r"area must be encrypted in CN=2051 \(HJ 212-2025, 6.4\)"):
        platform().decode(clear)
    assert platform(tolerances=frozenset({Tolerance.CLEAR_AREA})).decode(clear)
    short = msgspec.structs.replace(strict("2025").decode(clear), area=((("a-Rtd", "1"),),))
    assert platform().decode(strict("2025").encode(short)) == short


def test_damaged_clear_text_names_its_own_fault() -> None:
    damaged = golden("J25").data.replace(b"21C0", b"21C1")
    with pytest.raises(BadPacket, match="CRC at byte 100: '21C1', must be 21C0"):
        field().decode(damaged)


@pytest.mark.parametrize(
    ("cn", "from_field", "from_platform"),
    [
        ("2011", True, False),
        ("2999", True, False),
        ("1014", True, True),
        ("3020", True, False),
        ("3019", False, False),
        ("9014", False, False),
        ("1000", False, False),
    ],
)
def test_what_must_be_encrypted(cn: str, from_field: bool, from_platform: bool) -> None:
    assert must_be_encrypted(cn, Side.FIELD) is from_field
    assert must_be_encrypted(cn, Side.PLATFORM) is from_platform


def test_keys() -> None:
    assert Sm4Key("30" * 16) == KEY
    assert hash(Sm4Key("30" * 16)) == hash(KEY)
    assert KEY != OTHER
    assert KEY != "0" * 16
    assert "0" * 16 not in f"{Encryption(KEY)} {Encryption(KEY)!r}"
    for wrong in ("", "0" * 15, "0" * 17, "0" * 31, "x" * 32, "é" * 16, "0" * 15 + "\n"):
        with pytest.raises(ConfigError, match="key: must be 16 printable ASCII characters or 32") as caught:
            Sm4Key(wrong)
        assert not wrong or wrong not in str(caught.value)
