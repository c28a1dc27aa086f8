import { darken, defaultVariantColorsResolver, lighten, luminance, parseThemeColor } from '@mantine/core';
import type { CSSVariablesResolver, MantineTheme, VariantColorsResolver } from '@mantine/core';

/** WCAG AA asks 4.5:1 for text; a little more absorbs rounding of mixed colours. */
const WANTED_RATIO = 4.8;

export function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((p, q) => q - p) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** Shift a colour until it can be read on a background. */
export function readable(color: string, background: string, shift: (color: string, by: number) => string): string {
  let result = color;
  for (let step = 1; step <= 20 && contrast(result, background) < WANTED_RATIO; step++) {
    result = shift(result, 0.05 * step);
  }
  return result;
}

/** Filled variants take white or black text, whichever can be read. */
export const accessibleVariants: VariantColorsResolver = (input) => {
  const colors = defaultVariantColorsResolver(input);
  const parsed = parseThemeColor({ color: input.color ?? input.theme.primaryColor, theme: input.theme });
  if (input.variant !== 'filled' || !parsed.isThemeColor) return colors;
  const background = input.theme.colors[parsed.color]?.[parsed.shade ?? 8] ?? colors.background;
  const color = contrast(background, '#ffffff') >= WANTED_RATIO ? '#ffffff' : '#000000';
  return { ...colors, background, hover: darken(background, 0.08), color };
};

type Variables = Record<string, string>;

function tints(theme: MantineTheme): { light: Variables; dark: Variables } {
  const light: Variables = {};
  const dark: Variables = {};
  for (const [name, shades] of Object.entries(theme.colors)) {
    const pale = lighten(shades[6], 0.9);
    light[`--mantine-color-${name}-light`] = pale;
    light[`--mantine-color-${name}-light-hover`] = lighten(shades[6], 0.84);
    light[`--mantine-color-${name}-light-color`] = readable(shades[9], pale, darken);
    light[`--mantine-color-${name}-text`] = readable(shades[8], '#ffffff', darken);
    light[`--mantine-color-${name}-outline`] = readable(shades[7], '#ffffff', darken);
    const deep = darken(shades[8], 0.75);
    dark[`--mantine-color-${name}-light`] = deep;
    dark[`--mantine-color-${name}-light-hover`] = darken(shades[8], 0.68);
    dark[`--mantine-color-${name}-light-color`] = readable(shades[3], deep, lighten);
    dark[`--mantine-color-${name}-text`] = shades[4];
    dark[`--mantine-color-${name}-outline`] = shades[4];
  }
  return { light, dark };
}

/** Text colours of both schemes that pass on the page's two backgrounds, and the house's own tokens. */
export const accessibleVariables: CSSVariablesResolver = (theme) => {
  const { light, dark } = tints(theme);
  return {
    variables: {},
    light: {
      ...light,
      '--mantine-color-body': '#ffffff',
      '--mantine-color-text': '#1b232c',
      '--mantine-color-dimmed': '#566069',
      '--mantine-color-placeholder': '#66707a',
      '--mantine-color-error': '#b3261e',
      '--mantine-color-anchor': '#17568c',
      '--mantine-color-default-border': '#ccd3da',
      '--surface-page': '#f3f5f7',
      '--surface-panel': '#ffffff',
      '--surface-raised': '#f8f9fb',
      '--surface-hover': '#eef2f6',
      '--surface-selected': '#e3edf6',
      '--line-soft': '#e2e7ec',
      '--line-strong': '#ccd3da',
      '--tone-ok': '#2f6f4f',
      '--tone-warn': '#8a5300',
      '--tone-bad': '#b3261e',
      '--tone-off': '#566069',
      '--tone-info': '#17568c',
      '--tone-warn-surface': '#fdf3e1',
      '--tone-bad-surface': '#fdecea',
      '--fresh-surface': '#dcecf9',
      '--chart-1': '#1f6fb2',
      '--chart-2': '#b3541e',
      '--chart-3': '#2c7f5a',
      '--chart-4': '#8a4fa3',
      '--chart-5': '#8b6b00',
      '--chart-6': '#0f7f8c',
      '--chart-7': '#a83a63',
      '--chart-8': '#4d5a66',
    },
    dark: {
      ...dark,
      '--mantine-color-body': '#171c22',
      '--mantine-color-text': '#dfe5eb',
      '--mantine-color-dimmed': '#a3adb7',
      '--mantine-color-placeholder': '#98a2ac',
      '--mantine-color-error': '#ff8f86',
      '--mantine-color-anchor': '#7fbbee',
      '--mantine-color-default': '#1d242b',
      '--mantine-color-default-hover': '#262e37',
      '--mantine-color-default-border': '#3b4651',
      '--surface-page': '#101419',
      '--surface-panel': '#171c22',
      '--surface-raised': '#1c2229',
      '--surface-hover': '#222a33',
      '--surface-selected': '#1d3448',
      '--line-soft': '#29323b',
      '--line-strong': '#3b4651',
      '--tone-ok': '#7fc9a0',
      '--tone-warn': '#f0b45a',
      '--tone-bad': '#ff8f86',
      '--tone-off': '#a3adb7',
      '--tone-info': '#7fbbee',
      '--tone-warn-surface': '#33270f',
      '--tone-bad-surface': '#3a1c1a',
      '--fresh-surface': '#1f3d57',
      '--chart-1': '#6fb4ec',
      '--chart-2': '#f0a06b',
      '--chart-3': '#74cf9f',
      '--chart-4': '#cb9be3',
      '--chart-5': '#dcc15a',
      '--chart-6': '#5fccd8',
      '--chart-7': '#f08fb0',
      '--chart-8': '#b4bfca',
    },
  };
};
