"""Secrets of a station that may lie in the data folder (forwarding/passwords.py). Pure."""

from __future__ import annotations

from edge_agent.errors import ConfigError
from edge_agent.forwarding.hj212.options import PASSWORD, Hj212Options
from edge_agent.forwarding.hj212.sm4 import Sm4Key

PW, CIPHER_SECRET = "pw", "cipher_secret"


def places(options: Hj212Options) -> dict[str, str]:
    """Where secrets go that the options leave out: to this server, in the name of this station."""
    place = f"{options.server}:{options.port}/{options.mn}"
    taken = [] if options.pw else [PW]
    if options.cipher is not None and not options.cipher_secret:
        taken.append(CIPHER_SECRET)
    return dict.fromkeys(taken, place)


def secret_fault(name: str, secret: str) -> str | None:
    """The rule that a secret of the data folder breaks; it quotes nothing of it."""
    if name == PW:
        return None if PASSWORD.fullmatch(secret) else "must be at most 6 letters and digits"
    try:
        Sm4Key(secret)
    except ConfigError as error:
        return error.rule
    return None


def lacks_key(options: Hj212Options) -> bool:
    """Whether packets are to be encrypted, and there is no key for it yet."""
    return options.cipher is not None and not options.cipher_secret
