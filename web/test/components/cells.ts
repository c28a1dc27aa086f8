/** What a row of a table says, cell by cell. */
export function cellsOf(row: Element | undefined): string[] {
  return [...(row?.children ?? [])].map(({ textContent }) => textContent);
}
