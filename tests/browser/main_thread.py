"""Cost of what a page does, as a multiple of fixed work that the same page does in the same run.

Both are computing time of the page's main thread, which other programs lengthen for both alike.
"""

from __future__ import annotations

from playwright.sync_api import Page

BARE_WORK = """() => {
  const table = document.createElement('table');
  const head = document.createElement('thead');
  table.append(head);
  const cells = [];
  for (let row = 0; row < 500; row++) {
    const line = table.insertRow();
    for (let column = 0; column < 8; column++) {
      const cell = line.insertCell();
      cell.textContent = `${row}.${column}`;
      cells.push(cell);
    }
  }
  document.body.append(table);
  table.getBoundingClientRect();
  for (let round = 0; round < 3; round++) {
    for (const cell of cells) cell.firstChild.data = `${round} ${cell.firstChild.data}`;
    table.getBoundingClientRect();
  }
  table.remove();
}"""
"""A table of 500 rows and 8 columns: made, laid out, its texts changed three times, removed."""

ROUNDS = 5


class MainThread:
    """Computing time of a page's main thread since this was made."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._devtools = page.context.new_cdp_session(page)
        self._devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
        self._from = self._spent()

    def _spent(self) -> float:
        metrics = self._devtools.send("Performance.getMetrics")["metrics"]
        return float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))

    def ms(self) -> float:
        return (self._spent() - self._from) * 1000

    def bare_ms(self) -> float:
        """Computing time of BARE_WORK: the middle one of ROUNDS."""
        found = []
        for _ in range(ROUNDS):
            begun = self._spent()
            self._page.evaluate(BARE_WORK)
            found.append((self._spent() - begun) * 1000)
        return sorted(found)[ROUNDS // 2]
