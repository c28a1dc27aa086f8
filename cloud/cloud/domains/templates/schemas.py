"""Shapes of templates. Times are UTC milliseconds; a version is named by its number, from 1."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from cloud.domains.sheets.schemas import ImportCell

Id = Annotated[int, Field(ge=1, le=2**31 - 1)]
Number = Annotated[int, Field(ge=1, le=2**31 - 1)]
Title = Annotated[
    str, Field(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f]*[^\x00-\x20][^\x00-\x1f]*$")
]
Words = Annotated[str, Field(max_length=500, pattern=r"^[^\x00]*$")]
Note = Annotated[str, Field(max_length=200, pattern=r"^[^\x00]*$")]
RowName = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[^\x00]*$")]
Category = Literal["point", "gateway"]
TemplateDocument = dict[str, Any]

MAX_DEVICES = 1000
"""Of one application."""

MAX_PREVIEW = 200
"""Of one page of a preview: each needs its gateway's whole document."""

MAX_OWN_POINTS = 5000
"""Of one slave."""


class StrictBody(BaseModel):
    """A field that nobody knows is a mistake."""

    model_config = ConfigDict(extra="forbid")


class TemplateRow(BaseModel):
    """A node of the tree. newest: number of its newest version, 0 for none. parent_id: null too where the
    reader does not see the parent. writes: he may change it; others are shared with him from above.
    """

    template_id: int
    parent_id: int | None
    kind: Literal["group", "template"]
    category: Category
    title: str
    protocol: str
    remark: str
    owner: str
    shared: bool
    writes: bool
    place: int
    newest: int
    points: int
    slaves: int
    created_ms: int


class ReadyTemplate(BaseModel):
    """A point template that the platform brings along."""

    name: str
    zh: str
    en: str
    protocol: str
    points: int


class Source(StrictBody):
    """What a new template begins with: a ready one, or what a gateway's draft has. slave: of a point
    template.

    link: the slave, or the gateway, then uses the template.
    """

    ready: Annotated[str, Field(max_length=40, pattern=r"^[a-z0-9_]+$")] | None = None
    language: Literal["zh", "en"] = "zh"
    device_id: Id | None = None
    slave: RowName | None = None
    link: bool = False


class CreateTemplate(StrictBody):
    """A new node. protocol: of a point template without a source, which has it otherwise."""

    kind: Literal["group", "template"] = "template"
    category: Category
    title: Title
    parent_id: Id | None = None
    protocol: Annotated[str, Field(max_length=64, pattern=r"^[a-z0-9_]*$")] = ""
    remark: Words = ""
    shared: bool = False
    source: Source | None = None


class ChangeTemplate(StrictBody):
    """What is left out stays. shared of a group: of everything in it too."""

    title: Title | None = None
    remark: Words | None = None
    shared: bool | None = None


class MoveTemplate(StrictBody):
    """Under another group, or null for the top. place: among those there, from 0; left out: the last."""

    parent_id: Id | None
    place: Annotated[int, Field(ge=0, le=10_000)] | None = None


class CopyTemplate(StrictBody):
    """A copy of the newest version, beside the template unless a group is named."""

    title: Title
    parent_id: Id | None = None


class TemplateVersionRow(BaseModel):
    """A version without its content."""

    number: int
    hash: str
    points: int
    slaves: int
    author: str
    note: str
    created_ms: int


class TemplateVersionDocument(BaseModel):
    """A version with its content (see the package's README for its form)."""

    version: TemplateVersionRow
    document: TemplateDocument


class SaveVersion(StrictBody):
    """base: the newest version as the editor saw it, 0 for none."""

    document: TemplateDocument
    base: Annotated[int, Field(ge=0, le=2**31 - 1)]
    note: Note = ""


class TemplateFile(StrictBody):
    """A template as a file. templates: point templates that it names, by the key of `document.templates`."""

    format: Literal["template-1"] = "template-1"
    category: Category
    title: Title
    protocol: Annotated[str, Field(max_length=64, pattern=r"^[a-z0-9_]*$")] = ""
    remark: Words = ""
    document: TemplateDocument
    templates: dict[RowName, PointTemplateFile] = Field(default={}, max_length=1000)


class PointTemplateFile(StrictBody):
    """A point template within a gateway template's file. slaves: those that have it."""

    title: Title
    protocol: Annotated[str, Field(max_length=64, pattern=r"^[a-z0-9_]*$")] = ""
    document: TemplateDocument
    slaves: list[RowName] = Field(max_length=1000)


class ImportTemplate(StrictBody):
    """A file becomes a template, and the point templates in it templates beside those there are."""

    file: TemplateFile
    parent_id: Id | None = None
    title: Title | None = None


class TemplateSheetRow(BaseModel):
    """A row of a workbook that differs or is wrong. number: in the file, 0 for one that is not in it."""

    kind: Literal["added", "changed", "removed", "wrong"]
    sheet: Literal["devices", "ports", "slaves", "points"]
    number: int
    key: list[str]
    cells: list[ImportCell]


class TemplateSheets(BaseModel):
    """What a workbook makes of the newest version. document: as it would be then, without what is wrong;
    ignored: heads of columns that are no field.
    """

    version: int
    differs: bool
    unchanged: int
    ignored: list[str]
    rows: list[TemplateSheetRow]
    document: TemplateDocument


class Override(BaseModel):
    """A field that a gateway has otherwise. field: "" for a whole row that it took out; values: null for
    none.
    """

    row: str
    field: str
    template_value: Any
    own_value: Any


class SlaveUsage(BaseModel):
    """Where a gateway uses the template. slave: "" for a gateway template. overrides are cut at 200."""

    slave: str
    version: int
    overrides: list[Override]
    overridden: int
    own_rows: int


class UsageRow(BaseModel):
    """A gateway that uses the template."""

    device_id: int
    device_title: str
    gateway_id: str
    writes: bool
    slaves: list[SlaveUsage]


class ApplyOptions(StrictBody):
    """A version of a template onto drafts. version: the newest unless named. others: also onto gateways that
    do not use the template; slave: of a point template, the one of each gateway that gets it, in place of
    all that use it.
    """

    version: Number | None = None
    keep_overrides: bool = True
    others: bool = False
    slave: RowName | None = None


class PreviewTemplateBody(ApplyOptions):
    """device_ids: only these of the gateways that use it; needed with others. page: of them, in the order of
    their titles.
    """

    device_ids: Annotated[list[Id], Field(min_length=1, max_length=MAX_DEVICES)] | None = None
    page: Annotated[int, Field(ge=1, le=100_000)] = 1
    limit: Annotated[int, Field(ge=1, le=MAX_PREVIEW)] = MAX_PREVIEW


class RowPreviewBody(ApplyOptions):
    """What a version does to the rows of one gateway's draft."""

    device_id: Id
    page: Annotated[int, Field(ge=1, le=100_000)] = 1
    limit: Annotated[int, Field(ge=1, le=MAX_PREVIEW)] = 50


class TemplateFieldChange(BaseModel):
    """A field, of an address with its dotted name. null: none."""

    field: str
    before: Any
    after: Any


class RowPreview(BaseModel):
    """A row that is added, changed or removed. slave: of a point; fields: those that differ."""

    kind: Literal["added", "changed", "removed"]
    section: Literal["ports", "slaves", "points"]
    slave: str
    name: str
    fields: list[TemplateFieldChange]


class SlaveChange(BaseModel):
    """What applying does to one slave's points, or (slave "") to ports, slaves and own points of a gateway.

    kept: rows with overrides that stay. clashes: own rows whose name the version brings; they win when
    overrides are kept and are replaced otherwise. orphans: rows that the version has no more, kept for their
    overrides.
    """

    slave: str
    version: int
    added: int
    changed: int
    removed: int
    kept: int
    clashes: list[str]
    orphans: list[str]


class PreviewRow(BaseModel):
    """What applying does to one gateway's draft. state: change, none, or the code of why it is refused.

    draft_by: who has a draft open that is not deployed; applying changes that draft.
    """

    device_id: int
    device_title: str
    gateway_id: str
    state: str
    draft_by: str | None
    slaves: list[SlaveChange]


class TemplatePreview(BaseModel):
    """total: gateways that use the template, or those of them that were asked for; rows: of the page."""

    version: int
    total: int
    rows: list[PreviewRow]


class ApplyTemplateBody(ApplyOptions):
    """Apply a version to the drafts of gateways."""

    device_ids: Annotated[list[Id], Field(min_length=1, max_length=MAX_DEVICES)]


class Instantiate(StrictBody):
    """Put a gateway template into a gateway's draft. values: its own, by row and field, such as
    {"slaves": {"meter-1": {"address": "202311150042"}}, "ports": {"com1": {"device": "/dev/ttyS1"}}}.
    """

    gateway_template_id: Id
    version: Number | None = None
    values: dict[Literal["ports", "slaves"], dict[RowName, dict[RowName, Any]]] = {}


class UsePointTemplate(StrictBody):
    """Put a point template into a slave of a gateway's draft."""

    slave: RowName
    point_template_id: Id
    version: Number | None = None
    keep_overrides: bool = True


class Detach(StrictBody):
    """slave: null for the gateway template. points: only these of the slave leave its template."""

    slave: RowName | None = None
    points: Annotated[list[RowName], Field(min_length=1, max_length=MAX_OWN_POINTS)] | None = None


class Attach(StrictBody):
    """Rows that are there count as made with this version. own: points of the slave that do not."""

    slave: RowName | None = None
    template_id: Id
    version: Number
    own: Annotated[list[RowName], Field(max_length=MAX_OWN_POINTS)] = []


class Applied(BaseModel):
    """A gateway's draft after it. state: changed or none; hash: the draft's document."""

    state: str
    hash: str
    slaves: list[SlaveChange]


class GatewayLink(BaseModel):
    """A template that a gateway's draft uses; title and newest are null for one that the reader does not
    see. own: points of the slave that left it.
    """

    slave: str
    template_id: int
    title: str | None
    version: int
    newest: int | None
    own: list[str]
