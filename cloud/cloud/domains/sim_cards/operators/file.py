"""Readings from a file that the operator's site has given: works with every one of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import date

from cloud.domains.sim_cards.columns import USED, USED_ON
from cloud.domains.sim_cards.operators.base import CardReading
from cloud.domains.sim_cards.sheets import CardSheetRow


class FileAdapter:
    """Rows without faults. today: the day of those that name none."""

    source = "file"

    def __init__(self, rows: Iterable[CardSheetRow], today: date) -> None:
        self._readings = {
            row.iccid: CardReading(
                row.iccid,
                row.values.get(USED_ON) or today,
                used_bytes=row.values.get(USED),
                status=row.values.get("status"),
                expires_on=row.values.get("expires_on"),
                balance_fen=row.values.get("balance_fen"),
            )
            for row in rows
        }

    async def fetch(self, iccids: Collection[str]) -> list[CardReading]:
        return [self._readings[iccid] for iccid in iccids if iccid in self._readings]
