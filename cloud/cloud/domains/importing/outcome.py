"""What an import is compared with, and what comes of it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from cloud.core.xlsx import Cell
from cloud.domains.importing.names import Names
from cloud.domains.sheets.changes import Fault, Fields, RowChange
from cloud.domains.sheets.columns import GATEWAY, SECTIONS, SheetKind
from cloud.domains.templates.content import Reference
from edge_contract.deployment import Document
from edge_contract.document.rows import Key, rows_of

Mode = Literal["merge", "replace"]
"""merge: what the file says is added and changed; an empty cell leaves what is there.

replace: of each gateway that the file names, what it does not list goes; an empty cell empties.
"""

Links = dict[str, Reference]
"""What each slave of a gateway uses; "" is the gateway itself."""


@dataclass(frozen=True)
class GivenRow:
    """A row of the file with the cells of the mapped columns, by field; an empty one is absent."""

    number: int
    cells: Mapping[str, Cell]


@dataclass(frozen=True)
class Given:
    """What the file says of one gateway. mapped: the fields of each sheet that it has. names: of projects."""

    gateway: str
    mode: Mode
    mapped: Mapping[SheetKind, Sequence[str]]
    rows: Mapping[SheetKind, Sequence[GivenRow]]
    names: Names = field(default_factory=Names)

    @property
    def empties(self) -> bool:
        """Does an empty cell take a value away?"""
        return self.mode == "replace"

    def fields(self, sheet: SheetKind) -> list[str]:
        """Fields of a sheet that the file has, but the one that names the gateway."""
        return [name for name in self.mapped[sheet] if name != GATEWAY]


@dataclass(frozen=True)
class TemplatedDraft:
    """A draft with a gateway template applied to it, and what it uses then."""

    document: Document
    links: Links

    def rows(self) -> int:
        return sum(len(rows_of(self.document, name)) for name in SECTIONS)


@dataclass(frozen=True)
class Current:
    """A gateway as it is. fields: None when there is none; document: None when it has none yet.

    claimed: the serial number belongs to a gateway that the user does not see. writes: he may change it.
    refused: fields that may not be as the file wants them, found out by a comparison before this one.
    links, template_id: what its draft uses, where the file says something of that. templated: the draft with
    the gateway template that the file names, when that is another. listed: keys of the rows that the named
    one brings, which a replacing import leaves.
    """

    fields: Fields | None = None
    writes: bool = True
    claimed: bool = False
    document: Document | None = None
    settings: Mapping[Key, Fields] = field(default_factory=dict)
    refused: Mapping[str, Fault] = field(default_factory=dict)
    links: Links = field(default_factory=dict)
    template_id: int | None = None
    templated: TemplatedDraft | None = None
    listed: Mapping[str, set[Key]] = field(default_factory=dict)


@dataclass
class ImportOutcome:
    """rows: all but the unchanged ones. document, links: None when they stay. fields, settings: changes."""

    rows: list[RowChange] = field(default_factory=list)
    unchanged: int = 0
    document: Document | None = None
    content: bytes = b""
    fields: Fields = field(default_factory=dict)
    settings: dict[Key, Fields] = field(default_factory=dict)
    links: Links | None = None
    is_new: bool = False

    @property
    def changes(self) -> bool:
        """Is there anything to do?"""
        changes = self.document is not None or self.links is not None or self.fields or self.settings
        return bool(self.is_new or changes)
