/** A spreadsheet would run these as formulas; a plain number may begin so too. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;

function cell(text: string): string {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Lines of RFC 4180, with CR LF. */
export function csvText(lines: readonly (readonly string[])[]): string {
  return lines.map((line) => `${line.map(cell).join(',')}\r\n`).join('');
}
