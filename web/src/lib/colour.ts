/** Red, green and blue, 0 to 255. */
export type Rgb = readonly [number, number, number];

/** Colours brighter than this bear black text, others white, by specification. */
export const BRIGHT_FROM = 186;
/** WCAG AA for text; a little more absorbs rounding. */
const WANTED_RATIO = 4.6;
/** WCAG asks so much of lines and marks. */
const SEEN_RATIO = 3;
const STEPS = 20;

const HEX = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i;
const RGB = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/i;

/** A colour of 3 or 6 hexadecimal digits, or rgb(r, g, b); null for anything else. */
export function parseColour(text: string): Rgb | null {
  const [, hex] = HEX.exec(text.trim()) ?? [];
  if (hex !== undefined) {
    const full = hex.length === 3 ? [...hex].map((digit) => digit + digit).join('') : hex;
    return [0, 2, 4].map((at) => Number.parseInt(full.slice(at, at + 2), 16)) as unknown as Rgb;
  }
  const [, ...parts] = RGB.exec(text.trim()) ?? [];
  const channels = parts.map(Number);
  return channels.length === 3 && channels.every((part) => part <= 255) ? (channels as unknown as Rgb) : null;
}

/** 0 to 255, as the eye weighs the three. */
export function brightness([red, green, blue]: Rgb): number {
  return red * 0.299 + green * 0.587 + blue * 0.114;
}

/** Colour of the text on a colour. */
export function textOn(colour: Rgb): '#000000' | '#ffffff' {
  return brightness(colour) > BRIGHT_FROM ? '#000000' : '#ffffff';
}

function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return red * 0.2126 + green * 0.7152 + blue * 0.0722;
}

/** Contrast of two colours by WCAG, 1 to 21. */
export function contrastOf(a: Rgb, b: Rgb): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((p, q) => q - p) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function mixed(colour: Rgb, other: Rgb, share: number): Rgb {
  return colour.map((part, at) => Math.round(part + ((other[at] ?? 0) - part) * share)) as unknown as Rgb;
}

const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];

/** Ground and text of a mark in a colour: the text by the rule, the ground away from it until it can be read. */
export function markColours(colour: Rgb): { background: string; color: string } {
  const color = textOn(colour);
  const [text, away] = color === '#000000' ? [BLACK, WHITE] : [WHITE, BLACK];
  let ground = colour;
  for (let step = 1; step <= STEPS && contrastOf(ground, text) < WANTED_RATIO; step++)
    ground = mixed(colour, away, step / STEPS);
  return { background: `rgb(${ground.join(', ')})`, color };
}

/** A colour of a line as #rrggbb, mixed with white or black as far as it takes to be seen on a ground. */
export function visibleOn(colour: Rgb, ground: Rgb): string {
  const away = luminance(ground) < 0.18 ? WHITE : BLACK;
  let line = colour;
  for (let step = 1; step <= STEPS && contrastOf(line, ground) < SEEN_RATIO; step++)
    line = mixed(colour, away, step / STEPS);
  return `#${line.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}
