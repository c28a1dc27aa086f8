"""The parts of an .xlsx that stand around its sheets (ECMA-376, part 1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import quoteattr

_ML = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_CONTENT = "http://schemas.openxmlformats.org/package/2006/content-types"

HEAD = f'{_XML}<worksheet xmlns="{_MAIN}">'


def surroundings(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Name and text of every part but the sheets of these names."""
    numbers = range(1, len(names) + 1)
    yield "[Content_Types].xml", _content_types(numbers)
    yield "_rels/.rels", _links([("officeDocument", "xl/workbook.xml")])
    sheets = "".join(f'<sheet name={quoteattr(names[n - 1])} sheetId="{n}" r:id="rId{n}"/>' for n in numbers)
    yield (
        "xl/workbook.xml",
        f'{_XML}<workbook xmlns="{_MAIN}" xmlns:r="{_DOCUMENT}"><sheets>{sheets}</sheets></workbook>',
    )
    targets = [("worksheet", f"worksheets/sheet{n}.xml") for n in numbers]
    yield "xl/_rels/workbook.xml.rels", _links([*targets, ("styles", "styles.xml")])
    yield "xl/styles.xml", STYLES


def _content_types(numbers: range) -> str:
    parts = {"workbook": "sheet.main", "styles": "styles"}
    parts |= {f"worksheets/sheet{n}": "worksheet" for n in numbers}
    listed = "".join(
        f'<Override PartName="/xl/{name}.xml" ContentType="{_ML}.{kind}+xml"/>'
        for name, kind in parts.items()
    )
    links = "application/vnd.openxmlformats-package.relationships+xml"
    return (
        f'{_XML}<Types xmlns="{_CONTENT}"><Default Extension="rels" ContentType="{links}"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{listed}</Types>'
    )


def _links(targets: Sequence[tuple[str, str]]) -> str:
    listed = "".join(
        f'<Relationship Id="rId{number}" Type="{_DOCUMENT}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, 1)
    )
    return f'{_XML}<Relationships xmlns="{_PACKAGE}">{listed}</Relationships>'


def _format(number: int, font: int, fill: int, more: str = "") -> str:
    return f'<xf numFmtId="{number}" fontId="{font}" fillId="{fill}" borderId="0" xfId="0"{more}/>'


_FORMATS = (
    _format(0, 0, 0),
    _format(0, 1, 2, ' applyFont="1" applyFill="1"'),
    _format(49, 0, 0, ' applyNumberFormat="1"'),
    _format(49, 0, 0, ' quotePrefix="1" applyNumberFormat="1"'),
    _format(164, 0, 0, ' applyNumberFormat="1"'),
)
"""Plain, head, text, text that looks like a formula, time."""

STYLES = (
    f'{_XML}<styleSheet xmlns="{_MAIN}">'
    '<numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>'
    '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>'
    '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="3"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill>'
    '<fill><patternFill patternType="solid"><fgColor rgb="FFE7EEF7"/></patternFill></fill></fills>'
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    f'<cellXfs count="{len(_FORMATS)}">{"".join(_FORMATS)}</cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
)
