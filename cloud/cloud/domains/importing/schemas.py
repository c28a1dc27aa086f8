"""Shapes of imports and exports. Times are UTC milliseconds."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from cloud.domains.importing.outcome import Mode
from cloud.domains.sheets.changes import RowKind
from cloud.domains.sheets.columns import Language, SheetKind
from cloud.domains.sheets.schemas import ImportCell

ImportId = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
FieldText = Annotated[str, Field(max_length=80, pattern=r"^[^\x00]*$")]


class ImportColumn(BaseModel):
    """A field that a column of a sheet may be."""

    field: str
    zh: str
    en: str
    is_key: bool


class ImportSheet(BaseModel):
    """A sheet of the file. kind, fields: what it and its columns are taken for; sample: its first rows."""

    name: str
    header: list[str]
    rows: int
    kind: SheetKind | None
    fields: list[str | None]
    sample: list[list[str]]


class ImportCounts(BaseModel):
    """Rows of one sheet."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    wrong: int = 0


class ImportPreview(BaseModel):
    """What an import would do. id: names it when it is to be done. gateways: how many it changes, with
    new_devices, which it makes. by_template: those of the counts that no row of the file says, but a gateway
    template that one names.

    removed_devices: those that go with everything of them, because the file does not name them.
    """

    id: str
    mode: Mode
    counts: dict[SheetKind, ImportCounts]
    by_template: dict[SheetKind, ImportCounts] = {}
    unchanged: int
    gateways: int
    new_devices: int
    removed_devices: int = 0


class ImportState(BaseModel):
    """An upload that was read. preview: null until there is one. applied: it has been done.

    columns: the fields of each kind of sheet. job_id: of the job that runs or ran last, or null.
    gateway_id: of the only gateway that it is for, or null; its rows need not name that one.
    """

    id: str
    file_name: str
    created_ms: int
    expires_ms: int
    sheets: list[ImportSheet]
    columns: dict[SheetKind, list[ImportColumn]]
    preview: ImportPreview | None
    applied: bool
    job_id: int | None
    gateway_id: str | None = None


class SheetMapping(BaseModel):
    """What a sheet of the file is, and the field of each of its columns; null to leave it out."""

    model_config = ConfigDict(extra="forbid")

    kind: SheetKind | None
    fields: Annotated[list[FieldText | None], Field(max_length=300)]


class RemoveDevices(BaseModel):
    """Gateways of the importer's own that the file does not name go, with everything of them.

    project_id: only of this project and what is below it.
    """

    model_config = ConfigDict(extra="forbid")

    project_id: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = None


class PreviewImportBody(BaseModel):
    """sheets: one for each of the file, in its order. mode: see outcome.Mode.

    remove_devices: only of a replacing import with a sheet of devices.
    """

    model_config = ConfigDict(extra="forbid")

    sheets: Annotated[list[SheetMapping], Field(max_length=20)]
    mode: Mode = "merge"
    remove_devices: RemoveDevices | None = None


class ApplyImportBody(BaseModel):
    """preview: the id of the one that was looked at. skip_wrong: do the others all the same when rows are
    wrong; none may be wrong when gateways go.

    remove_devices: how many gateways the preview removes, as who confirms it read it there.
    """

    model_config = ConfigDict(extra="forbid")

    preview: ImportId
    skip_wrong: bool = False
    remove_devices: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0


class ImportRow(BaseModel):
    """number: of the row in the file, 0 when it stands there in none. key: names within the gateway.

    by_template: a gateway template does it.
    """

    kind: RowKind
    sheet: SheetKind
    number: int
    gateway_id: str
    key: list[str]
    cells: list[ImportCell]
    by_template: bool = False


RowFilter = Literal["", "added", "changed", "removed", "wrong"]
SheetFilter = Literal["", "devices", "ports", "slaves", "points"]

ListText = Annotated[str, Field(max_length=100, pattern=r"^[^\x00]*$")]
ModelText = Annotated[str, Field(max_length=64, pattern=r"^[^\x00]*$")]
ProjectNumber = Annotated[int, Field(ge=0, le=2**31 - 1)]
DeviceNumber = Annotated[int, Field(ge=1, le=2**31 - 1)]
ProductNumber = Annotated[int, Field(ge=1, le=2**31 - 1)]
ProtocolNumber = Annotated[int, Field(ge=1, le=9)]
GatewayType = Annotated[int, Field(ge=1, le=3)]
ExpiresBefore = Annotated[int, Field(ge=0, le=2**53)]


class ExportBody(BaseModel):
    """Which gateways, as in their list, and in which language the heads are."""

    model_config = ConfigDict(extra="forbid")

    search: ListText = ""
    status: ListText = ""
    project_id: ProjectNumber | None = None
    product_id: ProductNumber | None = None
    protocol: ProtocolNumber | None = None
    model: ModelText = ""
    gateway_type: GatewayType | None = None
    expires_before_ms: ExpiresBefore | None = None
    bound: bool | None = None
    ids: Annotated[list[DeviceNumber], Field(max_length=500)] | None = None
    language: Language = "zh"
