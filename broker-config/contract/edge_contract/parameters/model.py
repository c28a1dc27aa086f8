"""What every parameter group is made of: base of the models, labels, faults, the group itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec

from edge_contract.deployment import Document, Fault

Json = dict[str, Any]
Row = Mapping[str, Any]
"""Fields of a group by name, without those that have their default because nobody gave them."""

RowName = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{1,64}$(?!\n)")]
PointText = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{1,64}\.[A-Za-z0-9_]{1,64}$(?!\n)")]
"""slave.point"""
TcpPort = Annotated[int, msgspec.Meta(ge=1, le=65535)]


class Parameters(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of the models. The fields are those that a form asks for, in its order."""


def label(zh: str, en: str, *, secret: bool = False) -> msgspec.Meta:
    """Words of a form for one field. secret: its value is not shown to every reader."""
    marks: Json = {"x-label": {"zh": zh, "en": en}}
    return msgspec.Meta(extra_json_schema=marks | ({"x-secret": True} if secret else {}))


def fault(field: str, rule: str) -> Fault:
    """A rule that a field breaks. Texts are cut to what a receipt may carry."""
    return Fault(field=field[:200], rule=rule[:200])


def _no_faults(parameters: Any) -> Iterator[Fault]:
    return iter(())


def _no_row_faults(rows: Sequence[Any]) -> Iterator[Fault]:
    return iter(())


@dataclass(frozen=True)
class ParameterGroup:
    """A parameter group.

    model: of the group, or of each of its rows. key: fields that are unique together, none of a group that is
    there once. read: its rows in a document, none where the document has no such section. write: the
    document with these rows in place of its own. dependencies: faults between the fields of one row, by
    field. between: faults between rows.
    """

    name: str
    zh: str
    en: str
    model: type[Parameters]
    read: Callable[[Document], list[Json]]
    write: Callable[[Document, Sequence[Row]], Document]
    key: tuple[str, ...] = ()
    max_rows: int = 1
    dependencies: Callable[[Any], Iterator[Fault]] = _no_faults
    between: Callable[[Sequence[Any]], Iterator[Fault]] = _no_row_faults

    def row_name(self, row: Row) -> str:
        """What a row is known by, such as slave.point; empty of a group that is there once."""
        return ".".join(str(row.get(name, "")) for name in self.key)
