"""Imports and their rows as the API shows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cloud.domains.importing.schemas import ImportColumn, ImportPreview, ImportRow, ImportSheet, ImportState
from cloud.domains.importing.workfile import Result
from cloud.domains.sheets.columns import GATEWAY, KEYS, SHEETS, columns_of
from cloud.domains.sheets.schemas import ImportCell

KEEP_MS = 24 * 3600 * 1000


def import_state(import_id: str, meta: Mapping[str, Any]) -> ImportState:
    single = meta.get("gateway_id") is not None
    needed = {kind: {*KEYS[kind], *(() if single else (GATEWAY,))} for kind in SHEETS}
    columns = {
        kind: [
            ImportColumn(
                field=column.field,
                zh=column.zh,
                en=column.en,
                is_key=column.field in needed[kind],
            )
            for column in columns_of(kind).values()
        ]
        for kind in SHEETS
    }
    preview = meta.get("preview")
    return ImportState(
        id=import_id,
        file_name=meta["file_name"],
        created_ms=meta["created_ms"],
        expires_ms=meta["created_ms"] + KEEP_MS,
        sheets=[ImportSheet(**sheet) for sheet in meta["sheets"]],
        columns=columns,
        preview=None if preview is None else ImportPreview(**preview),
        applied=bool(meta.get("applied")),
        job_id=meta.get("job_id"),
        gateway_id=meta.get("gateway_id"),
    )


def import_row(result: Result) -> ImportRow:
    cells = [
        ImportCell(field=field, before=before, after=after, code=code, arguments=arguments)
        for field, before, after, code, arguments in result.cells
    ]
    return ImportRow.model_validate(
        {
            "kind": result.kind,
            "sheet": result.sheet,
            "number": result.number,
            "gateway_id": result.gateway,
            "key": result.key,
            "cells": cells,
            "by_template": result.by_template,
        }
    )
