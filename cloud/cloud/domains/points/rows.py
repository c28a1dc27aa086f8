"""Changes of rows of a configuration document, with the errors of the API. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager

from cloud.domains.points.fields import Row
from cloud.errors import Conflict, NotFound, ParameterError, Thing
from edge_contract.deployment import Document
from edge_contract.document import patch, rows
from edge_contract.document.patch import hanging
from edge_contract.document.rows import Key
from edge_contract.errors import RowMissing, RowTwice, RowUnnamed

NOUNS: Mapping[str, Thing] = {
    "ports": "port",
    "slaves": "slave device",
    "points": "data point",
    "scripts": "script",
    "forwarders": "forwarding target",
}


def empty(gateway: str) -> Document:
    """A document with nothing in it yet."""
    return {"gateway": {"id": gateway}, "ports": [], "slaves": [], "points": []}


def row_of(document: Document, section: str, key: Key) -> Row:
    """The row of that name; NotFound when there is none."""
    with refusing():
        return rows.row_of(document, section, key)


def with_rows(
    document: Document,
    section: str,
    added: Sequence[rows.Row] = (),
    changed: Mapping[Key, rows.Row] | None = None,
    removed: Collection[Key] = (),
    after: Mapping[Key, Key] | None = None,
) -> Document:
    """patch.with_rows; NotFound for a key that is not there, Conflict for a name that is there already."""
    with refusing():
        return patch.with_rows(document, section, added, changed, removed, after)


def without(document: Document, section: str, key: Key, *, cascade: bool) -> Document:
    """A document without a port or slave; Conflict with what hangs on it unless that goes too."""
    row_of(document, section, key)
    below = hanging(document, section, key)
    if below and not cascade:
        raise Conflict(
            f"{NOUNS[section]} {key[0]} is still used",
            field="cascade",
            rule="true, or remove what hangs on it first",
            reason="points.in_use",
            arguments={name: len(below.get(name, ())) for name in ("slaves", "points", "scripts")},
        )
    return patch.without(document, section, key)


@contextmanager
def refusing() -> Iterator[None]:
    """Errors of the document as those of the API.

    Raises NotFound for a row that is missing, ParameterError for one without a name, Conflict for one that is
    there already.
    """
    try:
        yield
    except RowMissing as error:
        raise NotFound(NOUNS[error.section]) from None
    except RowUnnamed:
        raise ParameterError("name", "a text") from None
    except RowTwice as error:
        name = error.key[-1]
        raise Conflict(
            f"{NOUNS[error.section]} {name} is there already",
            field="name",
            rule=error.rule,
            reason="points.twice",
            arguments={"name": name},
        ) from None
