"""Which of the batches that can be stored are stored next: gateways take turns. Pure.

Deficit round robin: each turn gives a gateway the same share of work, and what a batch costs above its share
is saved over several turns, so that neither small batches nor large ones get more than their part.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence

from cloud.link.rows import Head

TURN = 2500
"""Work of one turn."""

BATCH = 50
"""Work of a batch beside its samples."""

BYTES = 16
"""Bytes that count as one sample: texts make a batch of few samples large."""


def cost(head: Head) -> int:
    """Work of one batch, in samples."""
    return BATCH + head.samples + head.size // BYTES


def choose(
    waiting: Mapping[str, Sequence[Head]],
    credit: MutableMapping[str, int],
    max_batches: int,
    max_samples: int,
) -> list[Head]:
    """Batches for one group: at most so many, ending with the one that reaches so many samples.

    waiting: by gateway, whose turn it is first. credit: saved work; changed. A lone gateway needs no turns.
    """
    chosen: list[Head] = []
    chosen_samples = 0
    left = {gateway: list(reversed(heads)) for gateway, heads in waiting.items() if heads}
    while left:
        is_single = len(left) == 1
        for gateway, heads in list(left.items()):
            credit[gateway] = credit.get(gateway, 0) + TURN
            while heads and (is_single or cost(heads[-1]) <= credit[gateway]):
                head = heads.pop()
                credit[gateway] = max(credit[gateway] - cost(head), 0)
                chosen.append(head)
                chosen_samples += head.samples
                if len(chosen) >= max_batches or chosen_samples >= max_samples:
                    if not heads:
                        credit.pop(gateway, None)
                    return chosen
            if not heads:
                credit.pop(gateway, None)
                del left[gateway]
    return chosen
