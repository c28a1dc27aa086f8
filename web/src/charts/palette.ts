/** Colours of a chart, as CSS. */
export interface Palette {
  text: string;
  grid: string;
  lines: string[];
  /** Behind the lines. */
  ground: string;
  limit: string;
  limitArea: string;
}

const LINES = 8;

/** Colours of the page's scheme, from its CSS variables. */
export function paletteOf(element: Element): Palette {
  const style = getComputedStyle(element);
  const read = (name: string): string => style.getPropertyValue(name).trim();
  return {
    text: read('--mantine-color-dimmed'),
    grid: read('--line-soft'),
    lines: Array.from({ length: LINES }, (_, index) => read(`--chart-${index + 1}`)),
    ground: read('--surface-panel'),
    limit: read('--tone-bad'),
    limitArea: read('--tone-bad-surface'),
  };
}
