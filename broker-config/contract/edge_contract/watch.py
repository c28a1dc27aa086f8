"""Which points of a gateway somebody looks at (C-152)."""

from __future__ import annotations

from typing import Annotated

import msgspec

from edge_contract.fields import ControlMessage, Hex16, PointNumber
from edge_contract.limits import WATCH_S, WATCHED_POINTS


class Watch(ControlMessage, frozen=True, kw_only=True):
    """Points of this catalog that somebody looks at, in place of those named before; none: nobody looks."""

    catalog: Hex16
    points: Annotated[list[PointNumber], msgspec.Meta(max_length=WATCHED_POINTS)]
    seconds: Annotated[int, msgspec.Meta(ge=1, le=WATCH_S)]  # they are forgotten then, unless named again
