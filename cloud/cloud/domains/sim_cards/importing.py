"""Files of SIM cards: template, export, and an import with its preview.

An import is one request that names the digest of its preview: what happens is what somebody looked at. Cards
that are not there are added, the others changed where the file says something; an empty cell says nothing.
Rows with a fault are left out.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from pydantic import ValidationError
from sqlalchemy.exc import IntegrityError

from cloud.core.changes import record_change
from cloud.core.clock import NowMs, now_ms
from cloud.core.constraints import broken
from cloud.core.xlsx import WrongFile
from cloud.db import Database
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.sim_cards.columns import ICCID, USED, USED_ON
from cloud.domains.sim_cards.iccid import is_suspect
from cloud.domains.sim_cards.models import SimCard
from cloud.domains.sim_cards.operators.base import OperatorAdapter
from cloud.domains.sim_cards.operators.file import FileAdapter
from cloud.domains.sim_cards.repository import SimCardRepository
from cloud.domains.sim_cards.rows import FIELDS, MAX_PERIOD_DAYS, sheet_of
from cloud.domains.sim_cards.schemas import (
    CardFilter,
    Language,
    SimCardBody,
    SimCardFault,
    SimCardFaultyRow,
    SimCardImportPreview,
    SimCardImportResult,
)
from cloud.domains.sim_cards.service import MAX_CARDS, SimCardService, owner_of, too_many
from cloud.domains.sim_cards.sheets import MAX_ROWS, MAX_SAID, CardSheet, CardSheetRow, read_sheet, workbook
from cloud.errors import Busy, Conflict, ParameterError

MAX_LISTED = 100
"""Wrong rows that a preview shows."""

WAIT_S = 8.0
"""One file is read or written at a time, about a second each; a browser waits ten."""

Known = Mapping[str, Mapping[str, Any] | None]
"""Cards that are there by number, with their fields; None for somebody else's."""


@dataclass
class CardImportPlan:
    """What an import does. added: fields of new cards; changed: of those that are there, what differs; right:
    rows without a fault.
    """

    added: list[dict[str, Any]] = field(default_factory=list)
    changed: dict[str, dict[str, Any]] = field(default_factory=dict)
    right: list[CardSheetRow] = field(default_factory=list)
    wrong: list[CardSheetRow] = field(default_factory=list)

    @property
    def unchanged(self) -> int:
        return len(self.right) - len(self.added) - len(self.changed)

    @property
    def billed(self) -> int:
        return sum(USED in row.values for row in self.right)

    def digest(self, content: bytes) -> str:
        """Of the file and of what it does now."""
        done = [sorted(card[ICCID] for card in self.added), sorted(self.changed), len(self.wrong)]
        return hashlib.sha256(content + repr(done).encode()).hexdigest()[:32]


class CardImportService:
    """One file at a time: reading costs a process of its own."""

    def __init__(self, database: Database, cards: SimCardService, *, clock: NowMs = now_ms) -> None:
        self._database = database
        self._cards = cards
        self._clock = clock
        self._working = asyncio.Lock()

    async def template(self, user: CurrentUser, language: Language) -> bytes:
        """An .xlsx with a head only."""
        return await asyncio.to_thread(workbook, [], language)

    async def export(self, user: CurrentUser, wanted: CardFilter, language: Language) -> bytes:
        """Cards of a list as an .xlsx that an import takes back without a change. Raises Busy, Conflict for
        more than MAX_ROWS.
        """
        today = self._cards.today()
        async with self._turn():
            async with self._database.reading() as session:
                repository = SimCardRepository(session, user.scope)
                cards = await repository.all(wanted, today, MAX_ROWS + 1)
                if len(cards) > MAX_ROWS:
                    raise Conflict(
                        f"at most {MAX_ROWS} cards in a file",
                        reason="sim_card.export_long",
                        arguments={"most": MAX_ROWS},
                    )
                since = today - timedelta(days=MAX_PERIOD_DAYS)
                billed = await repository.newest_billing([card.id for card in cards], since)
            rows = [sheet_of(card, billed.get(card.id)) for card in cards]
            return await asyncio.to_thread(workbook, rows, language)

    async def preview(self, user: CurrentUser, content: bytes, filename: str) -> SimCardImportPreview:
        """What an import would do. Raises ParameterError for a file that cannot be read, Busy."""
        async with self._turn():
            sheet = await _read(content, filename)
            async with self._database.reading() as session:
                known = await _known(SimCardRepository(session, user.scope), sheet)
            plan = await asyncio.to_thread(planned, sheet.rows, known)
        return SimCardImportPreview(
            digest=plan.digest(content),
            added=len(plan.added),
            changed=len(plan.changed),
            unchanged=plan.unchanged,
            billed=plan.billed,
            wrong=len(plan.wrong),
            suspect=sum(is_suspect(card[ICCID]) for card in plan.added),
            rows=[_faulty(row) for row in plan.wrong[:MAX_LISTED]],
            ignored=[head[:MAX_SAID] for head in sheet.ignored],
        )

    async def apply(
        self, user: CurrentUser, content: bytes, filename: str, digest: str
    ) -> SimCardImportResult:
        """Do it, all or nothing. Raises Conflict when it would do something else than the preview said, or
        the owner had more than MAX_CARDS; ParameterError and Busy as preview.
        """
        now = self._clock()
        async with self._turn():
            sheet = await _read(content, filename)
            async with self._database.session() as session:
                repository = SimCardRepository(session, user.scope)
                known = await _known(repository, sheet)
                plan = await asyncio.to_thread(planned, sheet.rows, known)
                if plan.digest(content) != digest:
                    raise _moved_on()
                if plan.added and await repository.count_of(owner_of(user)) + len(plan.added) > MAX_CARDS:
                    raise too_many()
                made = {"owner_id": owner_of(user), "noted_ms": now, "changed_ms": now}
                try:
                    await repository.add_many([{**card, **made} for card in plan.added])
                    cards = await repository.of_iccids([row.iccid for row in plan.right])
                    await _change(repository, plan, cards, now)
                    adapter = FileAdapter(plan.right, self._cards.today())
                    await take(repository, adapter, cards, now)
                    await session.commit()
                except IntegrityError:  # somebody has added one of them meanwhile
                    raise _moved_on() from None
        counts = {"added": len(plan.added), "changed": len(plan.changed), "billed": plan.billed}
        record_change({}, counts)
        return SimCardImportResult(**counts, wrong=len(plan.wrong))

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(WAIT_S):
                await self._working.acquire()
        except TimeoutError:
            raise Busy("another file is being read", reason="import.busy") from None
        try:
            yield
        finally:
            self._working.release()


async def take(
    repository: SimCardRepository, adapter: OperatorAdapter, cards: Mapping[str, SimCard], now: int
) -> None:
    """Record what an operator says of cards. cards: by number. Raises OperatorUnreachable."""
    rows: list[Mapping[str, Any]] = []
    for each in await adapter.fetch(list(cards)):
        card = cards[each.iccid]
        for name in ("status", "expires_on", "balance_fen"):
            said = getattr(each, name)
            if said is not None and said != getattr(card, name):
                setattr(card, name, said)
        if each.used_bytes is not None:
            rows.append(
                {
                    "card_id": card.id,
                    "day": each.day,
                    "used_bytes": each.used_bytes,
                    "source": adapter.source,
                    "noted_ms": now,
                }
            )
    await repository.put_billing(rows)


def planned(rows: Sequence[CardSheetRow], known: Known) -> CardImportPlan:
    """Sort rows by what becomes of them."""
    plan, taken = CardImportPlan(), set[str]()
    for row in rows:
        card = known.get(row.iccid)
        fault = _fault(row, known, taken)
        taken.add(row.iccid)
        if fault is not None or row.faults:
            plan.wrong.append(_with(row, () if fault is None else (fault,)))
            continue
        given = {name: value for name, value in row.values.items() if name in FIELDS}
        try:
            body = SimCardBody.model_validate({**(card or {}), **given}).model_dump()
        except ValidationError as error:
            plan.wrong.append(_with(row, tuple(_broken(row, each) for each in error.errors())))
            continue
        plan.right.append(row)
        if card is None:
            plan.added.append(body)
        elif differs := {name: value for name, value in body.items() if value != card[name]}:
            plan.changed[row.iccid] = differs
    return plan


def _fault(row: CardSheetRow, known: Known, taken: set[str]) -> tuple[str, str, str] | None:
    if not row.iccid:
        return None
    if row.iccid in taken:
        return ICCID, row.iccid, "twice"
    if row.iccid in known and known[row.iccid] is None:
        return ICCID, row.iccid, "taken"
    used = row.values.get(USED)
    if used is not None and not 0 <= used <= 2**50:
        return USED, str(used), "number"
    if USED_ON in row.values and used is None:
        return USED, "", "required"
    return None


def _with(row: CardSheetRow, faults: tuple[tuple[str, str, str], ...]) -> CardSheetRow:
    return CardSheetRow(row.number, row.values, row.faults + faults)


def _broken(row: CardSheetRow, error: Any) -> tuple[str, str, str]:
    """Of one of pydantic's errors: a rule over several fields is the later day's."""
    name = str(error["loc"][0]) if error["loc"] else "billing_end"
    code, _ = broken(error)
    return name, str(row.values.get(name, ""))[:MAX_SAID], code if error["loc"] else "billing_order"


def _faulty(row: CardSheetRow) -> SimCardFaultyRow:
    faults = [SimCardFault(field=name, value=value, code=code) for name, value, code in row.faults]
    return SimCardFaultyRow(number=row.number, iccid=row.iccid, faults=faults)


async def _read(content: bytes, filename: str) -> CardSheet:
    try:
        return await asyncio.to_thread(read_sheet, content, filename)
    except WrongFile as wrong:
        raise ParameterError("file", wrong.rule, reason=wrong.reason) from None


async def _known(repository: SimCardRepository, sheet: CardSheet) -> Known:
    numbers = {row.iccid for row in sheet.rows} - {""}
    mine = await repository.of_iccids(numbers)
    others: set[str] = await repository.taken(numbers) - mine.keys()
    fields = {number: {name: getattr(card, name) for name in FIELDS} for number, card in mine.items()}
    return {**fields, **dict.fromkeys(others)}


async def _change(
    repository: SimCardRepository, plan: CardImportPlan, cards: Mapping[str, SimCard], now: int
) -> None:
    """Together what changes the same fields."""
    alike: dict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    for iccid, fields in plan.changed.items():
        alike[tuple(sorted(fields))].append({**fields, "id": cards[iccid].id, "changed_ms": now})
    for rows in alike.values():
        await repository.change_many(rows)


def _moved_on() -> Conflict:
    return Conflict("the cards have changed since the preview", reason="sim_card.preview_old")
