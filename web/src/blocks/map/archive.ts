import { addProtocol } from 'maplibre-gl';
import { EtagMismatch, PMTiles, Protocol, TileType } from 'pmtiles';
import type { RangeResponse, Source } from 'pmtiles';
import type { MapBase } from '@/api/generated/types.gen';
import * as sdk from '@/api/generated/sdk.gen';
import { call } from '@/api/http';
import { vectorLayers } from './archiveStyle';
import { GROUND, rasterLayer } from './ground';
import type { Ground } from './ground';
import type { MapColors } from './style';

const protocol = new Protocol();
addProtocol('pmtiles', protocol.tile);

/** A map file of the cloud's data folder, a part at a time; only who is signed in gets them. */
class CloudSource implements Source {
  constructor(private readonly name: string) {}

  getKey(): string {
    return this.name;
  }

  async getBytes(offset: number, length: number, signal?: AbortSignal, etag?: string): Promise<RangeResponse> {
    let received: string | undefined;
    const request = sdk.getMapFile({
      path: { file_name: this.name },
      headers: { Range: `bytes=${offset}-${offset + length - 1}` },
      parseAs: 'arrayBuffer',
      signal,
    });
    // Bytes have no envelope: they are given one, so that refusals are opened as everywhere.
    const data = await call<ArrayBuffer>(
      request.then(({ data: bytes, error, response }) => {
        received = response?.headers.get('etag') ?? undefined;
        return {
          data: bytes === undefined ? undefined : { code: 0, data: bytes as unknown as ArrayBuffer },
          error,
          response,
        };
      }),
    );
    if (etag !== undefined && received !== etag) throw new EtagMismatch(etag);
    return { data, etag: received };
  }
}

/** What of a file must be known before it is drawn. */
export interface Archive {
  isVector: boolean;
  layers: readonly string[];
  minZoom: number;
  maxZoom: number;
  /** Degrees: west, south, east, north. */
  bounds: [number, number, number, number];
}

const WORLD: Archive['bounds'] = [-180, -85, 180, 85];

export async function openArchive(name: string): Promise<Archive> {
  const file = new PMTiles(new CloudSource(name));
  protocol.add(file);
  const { tileType, minZoom, maxZoom, minLon, minLat, maxLon, maxLat } = await file.getHeader();
  // Some writers leave them out.
  const bounds: Archive['bounds'] = minLon < maxLon && minLat < maxLat ? [minLon, minLat, maxLon, maxLat] : WORLD;
  const isVector = tileType === TileType.Mvt;
  const metadata = isVector ? ((await file.getMetadata()) as { vector_layers?: readonly { id: string }[] }) : {};
  return { isVector, layers: (metadata.vector_layers ?? []).map(({ id }) => id), minZoom, maxZoom, bounds };
}

export function archiveGround(
  archive: Archive,
  { file = '' }: MapBase,
  colors: MapColors,
  isDark: boolean,
  language: string,
): Ground {
  const shared = {
    tiles: [`pmtiles://${file}/{z}/{x}/{y}`],
    minzoom: archive.minZoom,
    maxzoom: archive.maxZoom,
    bounds: archive.bounds,
  };
  return {
    sources: {
      [GROUND]: archive.isVector ? { type: 'vector', ...shared } : { type: 'raster', tileSize: 256, ...shared },
    },
    layers: archive.isVector ? vectorLayers(archive.layers, colors, language) : [rasterLayer(GROUND, isDark)],
    isEverywhere: false,
  };
}
