import type {
  LayerSpecification,
  RasterLayerSpecification,
  RasterSourceSpecification,
  SourceSpecification,
} from 'maplibre-gl';
import type { MapBase } from '@/api/generated/types.gen';

/** What lies under the devices, above the land: the platform's tiles. */
export interface Ground {
  sources: Readonly<Record<string, SourceSpecification>>;
  layers: readonly LayerSpecification[];
  /** Has tiles for whatever is in view: when none comes, somebody is away. A file may be of one town. */
  isEverywhere: boolean;
}

export const GROUND = 'ground';
const LABELS = 'ground-labels';

/** The land alone, which this portal brings along. */
export const BUILTIN: Ground = { sources: {}, layers: [], isEverywhere: false };

/** Bright maps are toned down on a dark page. */
const DARK: RasterLayerSpecification['paint'] = { 'raster-brightness-max': 0.62, 'raster-saturation': -0.35 };

export function rasterLayer(source: string, isDark: boolean): RasterLayerSpecification {
  return { id: source, type: 'raster', source, paint: { 'raster-fade-duration': 0, ...(isDark ? DARK : {}) } };
}

/** Where tiles are asked for: the key in its place. */
export function tileUrl(template: string, key: string): string {
  return template.replaceAll('{key}', encodeURIComponent(key));
}

/** Tiles of a map service; its labels lie above in tiles of their own. */
export function serviceGround({ url = '', label_url = '', key = '', max_zoom = 18 }: MapBase, isDark: boolean): Ground {
  const source = (template: string): RasterSourceSpecification => ({
    type: 'raster',
    tiles: [tileUrl(template, key)],
    tileSize: 256,
    maxzoom: max_zoom,
  });
  return {
    sources: { [GROUND]: source(url), ...(label_url === '' ? {} : { [LABELS]: source(label_url) }) },
    layers: [rasterLayer(GROUND, isDark), ...(label_url === '' ? [] : [rasterLayer(LABELS, isDark)])],
    isEverywhere: true,
  };
}

/** So many tiles in a row that fail are no gap in a map: nobody answers. */
export const MAX_FAILED = 3;

/** Where packets are dropped a browser waits for minutes before it says so. */
export const GROUND_WAIT_MS = 10_000;

/** Counts tiles that came and that failed. told: whether the ground works, whenever that changes. */
export class GroundWatch {
  private failed = 0;
  private works = true;
  private hasCome = false;

  constructor(private readonly report: (works: boolean) => void) {}

  came(): void {
    this.failed = 0;
    this.hasCome = true;
    this.tell(true);
  }

  /** GROUND_WAIT_MS have passed since the first tile was asked for. */
  waited(): void {
    if (!this.hasCome) this.tell(false);
  }

  missed(): void {
    this.failed += 1;
    if (this.failed >= MAX_FAILED) this.tell(false);
  }

  private tell(works: boolean): void {
    if (works === this.works) return;
    this.works = works;
    this.report(works);
  }
}
