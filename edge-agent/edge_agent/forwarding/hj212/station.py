"""A station as its platform knows it: options with the secrets of the data folder, and what to compare."""

from __future__ import annotations

from pathlib import Path

import msgspec

from edge_agent.forwarding.hj212.codec import PacketOptions
from edge_agent.forwarding.hj212.options import Hj212Options
from edge_agent.forwarding.hj212.profile import Tolerance
from edge_agent.forwarding.hj212.secrets import places
from edge_agent.forwarding.hj212.sm4 import Encryption, Sm4Key
from edge_agent.forwarding.passwords import SET_IT, PasswordState, password_of

RECEIVING = frozenset(
    {
        Tolerance.MISSING_FIELDS,
        Tolerance.ANY_ORDER,
        Tolerance.ANY_VERSION,
        Tolerance.PART_NUMBERS,
        Tolerance.TRIM_BLANKS,
    }
)
"""A packet with these is read all the same; a request with a fault of them is refused by its code."""


def with_secrets(options: Hj212Options, folder: Path, name: str) -> tuple[Hj212Options, str]:
    """Options with the secrets that the data folder has for them, and which of them it has not, in words."""
    given: dict[str, str] = {}
    missing: list[str] = []
    for secret, place in places(options).items():
        text, state = password_of(folder, name, secret, place)
        if text is not None:
            given[secret] = text
        elif state is PasswordState.OTHER_PLACE:
            missing.append(f"the {secret} was set for another server, port or MN: {SET_IT}")
        else:
            missing.append(f"no {secret} is set for this target: {SET_IT}")
    return msgspec.structs.replace(options, **given), "; ".join(missing)


def packet_options(options: Hj212Options, previous: str = "") -> PacketOptions:
    """previous: key before this one, for packets on their way. ConfigError for a key that is none; without a
    key nothing is encrypted.
    """
    tolerances = RECEIVING | frozenset(options.tolerances) | {Tolerance.ANY_MN}
    encryption = None
    if options.cipher is not None and options.cipher_secret:
        key = Sm4Key(options.cipher_secret)
        encryption = Encryption(
            key,
            form=options.cipher,
            crc_over_cipher=options.crc_over_cipher,
            previous=Sm4Key(previous) if previous else None,
        )
    return PacketOptions(options.crc, tolerances, None, encryption)


def advice(options: Hj212Options) -> str:
    """Where to look when a platform takes nothing."""
    return (
        f"nothing was acknowledged in this connection: compare MN={options.mn}, ST={options.st}, pw, version"
        f" {options.version} and crc = {options.crc} with what the platform has for this station"
    )
