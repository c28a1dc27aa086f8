/** What a unit measures, as far as it tells factors apart, by its plain spelling. */
const DIMENSIONS = [
  ['flow', /^(?:n?m3|k?l|t)\/(?:s|min|h|d)$/],
  ['inGas', /^(?:[nµmk]?g\/n?m3|pp[mb]v?)$/],
  ['inWater', /^[nµm]?g\/l$/],
  ['share', /^%/],
  ['temperature', /^(?:°c|°f|k)$/],
  ['pressure', /^(?:[hkm]?pa|m?bar)$/],
  ['speed', /^m\/s$/],
  ['sound', /^db/],
] as const;

/** A unit as it is compared: 'Nm³/h' and 'nm3/h' are the same. */
export function plainUnit(unit: string): string {
  return unit
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s()*]/g, '')
    .replaceAll('\u03bc', '\u00b5')
    .replace(/^ug/, '\u00b5g');
}

export function dimensionOf(unit: string): string | null {
  const plain = plainUnit(unit);
  return DIMENSIONS.find(([, pattern]) => pattern.test(plain))?.[0] ?? null;
}
