import { createTheme } from '@mantine/core';
import type { MantineColorsTuple } from '@mantine/core';
import { accessibleVariants } from './contrast';

const steel: MantineColorsTuple = [
  '#eef5fb',
  '#d9e8f5',
  '#b0d0ea',
  '#84b6de',
  '#5f9fd2',
  '#3f88c2',
  '#2f77b3',
  '#24659b',
  '#1d5685',
  '#17456c',
];

/** Blue-grey instead of neutral grey, as the surfaces of the dark scheme. */
const dark: MantineColorsTuple = [
  '#dfe5eb',
  '#c3ccd5',
  '#a3adb7',
  '#75818d',
  '#3b4651',
  '#29323b',
  '#1d242b',
  '#171c22',
  '#12171c',
  '#0d1115',
];

const FONT =
  '-apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", "Noto Sans SC", sans-serif';

/** Follows the user's size; 12 px can still be read. */
const scaled = (px: number): string => `max(12px, calc(${px}px * var(--mantine-scale)))`;

/** The heading of a dialog is no second banner of the page. */
const DIALOG = { header: { role: 'presentation' } };

/** Calm and dense: small radii, no shadows on panels, one restrained accent; strong colour is left for the abnormal. */
export const theme = createTheme({
  colors: { steel, dark },
  primaryColor: 'steel',
  primaryShade: { light: 7, dark: 6 },
  fontFamily: FONT,
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", Consolas, "Liberation Mono", monospace',
  headings: { fontFamily: FONT, fontWeight: '600' },
  fontSizes: { xs: '12px', sm: scaled(13), md: scaled(14), lg: scaled(16), xl: scaled(20) },
  defaultRadius: 4,
  cursorType: 'pointer',
  respectReducedMotion: true,
  variantColorResolver: accessibleVariants,
  components: {
    Button: { defaultProps: { size: 'sm' } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300 } },
    Popover: { defaultProps: { shadow: 'md' } },
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Modal: { defaultProps: { centered: true, attributes: DIALOG } },
    Drawer: { defaultProps: { position: 'right', overlayProps: { backgroundOpacity: 0.35 }, attributes: DIALOG } },
  },
});
