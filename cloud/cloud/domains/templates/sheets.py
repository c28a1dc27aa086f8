"""Templates written to a workbook, and what a workbook would make of one.

A workbook has a sheet for each kind of row and says all of them: what it does not list goes, an empty cell
empties. Reading one changes nothing. At most 1 MiB; .xls is read, .xlsx written.
"""

from __future__ import annotations

import asyncio

from cloud.core.xlsx import WorkbookLimits, WrongFile, read_workbook
from cloud.db import Database
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.sheets.columns import Language
from cloud.domains.sheets.schemas import ImportCell
from cloud.domains.templates.content import MAX_POINTS, MAX_ROWS
from cloud.domains.templates.repository import TemplateRepository
from cloud.domains.templates.schemas import TemplateSheetRow, TemplateSheets
from cloud.domains.templates.sheet_difference import Comparison, compared
from cloud.domains.templates.versions import document_of, template
from cloud.domains.templates.workbook import workbook
from cloud.errors import Busy, NotFound, ParameterError
from edge_contract.deployment import Document

LIMITS = WorkbookLimits(
    max_rows=MAX_POINTS + 2 * MAX_ROWS,
    max_columns=200,
    max_bytes=1024 * 1024,
    unpacked_bytes=100 * 1024 * 1024,
)
WAIT_S = 8.0
"""One file is read at a time, about a second each; a browser waits ten."""


class SheetService:
    """Nothing is changed here: who takes what a workbook says saves it as a version."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._reading = asyncio.Lock()

    async def workbook(
        self, user: CurrentUser, template_id: int, version: int | None, language: Language
    ) -> bytes:
        """A version as an .xlsx, the newest unless named."""
        async with self._database.reading() as session:
            repository = TemplateRepository(session, user.scope)
            node = await template(repository, template_id)
            document = await document_of(repository, template_id, version or node.newest)
        return await asyncio.to_thread(workbook, node.category, document, language)

    async def known(self, user: CurrentUser, template_id: int) -> None:
        """NotFound before anything is said of a file."""
        async with self._database.reading() as session:
            await template(TemplateRepository(session, user.scope), template_id)

    async def compare(
        self, user: CurrentUser, template_id: int, content: bytes, filename: str
    ) -> TemplateSheets:
        """What a workbook would change of the newest version; ParameterError says what is wrong with it.

        Raises NotFound without a version, Busy while another file is being read.
        """
        async with self._database.reading() as session:
            repository = TemplateRepository(session, user.scope)
            node = await template(repository, template_id)
            if node.newest == 0:
                raise NotFound("version")
            document = await document_of(repository, template_id, node.newest)
        try:
            async with asyncio.timeout(WAIT_S):
                await self._reading.acquire()
        except TimeoutError:
            raise Busy("another file is being read", reason="import.busy") from None
        try:
            tables = await asyncio.to_thread(read_workbook, content, filename, LIMITS)
        except WrongFile as wrong:
            raise ParameterError("file", wrong.rule, reason=wrong.reason) from None
        finally:
            self._reading.release()
        comparison = await asyncio.to_thread(compared, node.category, node.protocol, document, tables)
        return await asyncio.to_thread(_sheets_of, node.newest, document, comparison)


def _sheets_of(version: int, document: Document, comparison: Comparison) -> TemplateSheets:
    return TemplateSheets(
        version=version,
        differs=comparison.document != document,
        unchanged=comparison.unchanged,
        ignored=comparison.ignored,
        rows=[
            TemplateSheetRow(
                kind=each.kind,
                sheet=each.sheet,
                number=each.number,
                key=list(each.key),
                cells=[
                    ImportCell(
                        field=cell.field,
                        before=cell.before,
                        after=cell.after,
                        code=cell.fault.code if cell.fault else "",
                        arguments=dict(cell.fault.arguments) if cell.fault else {},
                    )
                    for cell in each.cells
                ],
            )
            for each in comparison.rows
        ],
        document=comparison.document,
    )
