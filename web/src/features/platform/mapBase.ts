import type { MapBase } from '@/api/generated/types.gen';

export type MapBaseDraft = Required<MapBase>;

export const KINDS = ['builtin', 'pmtiles', 'xyz'] as const;

const EMPTY: MapBaseDraft = {
  kind: 'builtin',
  file: '',
  url: '',
  label_url: '',
  key: '',
  datum: 'WGS84',
  max_zoom: 18,
  credit: '',
};

/** Fields as a refusal of the cloud names them, by those of the form. */
export const REFUSED: Readonly<Record<string, string>> = Object.fromEntries(
  Object.keys(EMPTY).map((name) => [`map_base.value.${name}`, name]),
);

export function draftOf(base: MapBase): MapBaseDraft {
  return { ...EMPTY, ...base };
}

export function trimmed(draft: MapBaseDraft): MapBaseDraft {
  return {
    ...draft,
    url: draft.url.trim(),
    label_url: draft.label_url.trim(),
    key: draft.key.trim(),
    credit: draft.credit.trim(),
  };
}

const wmts = (layer: string): string =>
  `https://t0.tianditu.gov.cn/${layer}_w/wmts?SERVICE=WMTS&REQUEST=GetTile&VERSION=1.0.0&LAYER=${layer}&STYLE=default&TILEMATRIXSET=w&FORMAT=tiles&TILEMATRIX={z}&TILEROW={y}&TILECOL={x}&tk={key}`;

/** Addresses of a service that many in China use; the operator's own key goes with them. */
export const PRESETS = {
  tianditu: { url: wmts('vec'), label_url: wmts('cva'), datum: 'WGS84', max_zoom: 18 },
  tiandituImage: { url: wmts('img'), label_url: wmts('cia'), datum: 'WGS84', max_zoom: 18 },
} as const satisfies Record<string, Partial<MapBaseDraft>>;

/** What the cloud demands of an address of tiles, as far as a form can say it while somebody types. */
export function isTileUrl(text: string): boolean {
  const url = text.trim();
  return /^https?:\/\/[a-z0-9.-]+(:\d{1,5})?\//i.test(url) && ['{z}', '{x}', '{y}'].every((part) => url.includes(part));
}

/** Scheme, host and port from which a page loads its tiles: those that it was not opened with it may not load from. */
export function originsOf({ kind, url, label_url }: MapBaseDraft): string {
  if (kind !== 'xyz') return '';
  return [...new Set([url, label_url].filter((one) => one !== '').map((one) => new URL(one).origin))].join(' ');
}
