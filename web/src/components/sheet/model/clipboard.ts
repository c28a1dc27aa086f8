/** Cells as a spreadsheet puts them on the clipboard: tabs, line ends, quotes around what holds one of them. */
export function toClipboard(cells: readonly (readonly string[])[]): string {
  return cells.map((line) => line.map(quoted).join('\t')).join('\r\n');
}

function quoted(text: string): string {
  return /["\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Cells of a clipboard; the line end that spreadsheets put last is none. A quote inside of a cell stands for itself. */
export function fromClipboard(text: string): string[][] {
  const lines: string[][] = [];
  let line: string[] = [];
  let at = 0;
  while (at <= text.length) {
    const [cell, end] = text[at] === '"' ? quotedCell(text, at) : plainCell(text, at);
    line.push(cell);
    const mark = text[end];
    if (mark === '\t') {
      at = end + 1;
      continue;
    }
    lines.push(line);
    line = [];
    at = mark === '\r' && text[end + 1] === '\n' ? end + 2 : end + 1;
    if (at >= text.length) break;
  }
  return lines;
}

function plainCell(text: string, from: number): [cell: string, end: number] {
  let end = from;
  while (end < text.length && !isMark(text[end])) end += 1;
  return [text.slice(from, end), end];
}

/** Without its closing quote, or with more behind it, the quote was a part of the text. */
function quotedCell(text: string, from: number): [cell: string, end: number] {
  let at = from + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return plainCell(text, from);
    if (text[quote + 1] === '"') {
      at = quote + 2;
      continue;
    }
    const isEnd = quote + 1 >= text.length || isMark(text[quote + 1]);
    return isEnd ? [text.slice(from + 1, quote).replaceAll('""', '"'), quote + 1] : plainCell(text, from);
  }
}

function isMark(letter: string | undefined): boolean {
  return letter === '\t' || letter === '\n' || letter === '\r';
}

/** The block that a paste writes: repeated as often as it fits whole into the selected one, and once at least. */
export function tiled(
  cells: readonly (readonly string[])[],
  rows: number,
  columns: number,
): readonly (readonly string[])[] {
  const width = Math.max(0, ...cells.map((line) => line.length));
  if (cells.length === 0 || width === 0) return [];
  const down = rows % cells.length === 0 ? rows / cells.length : 1;
  const across = columns % width === 0 ? columns / width : 1;
  if (down <= 1 && across <= 1) return cells;
  return Array.from({ length: cells.length * Math.max(1, down) }, (_, row) => {
    const line = cells[row % cells.length] ?? [];
    return Array.from({ length: width * Math.max(1, across) }, (__, column) => line[column % width] ?? '');
  });
}
