import { client } from './generated/client.gen';
import { portalFetch } from './http';

/** Point the generated client at this origin and at the portal's fetch. Called once, before the first call. */
export function configureClient(): void {
  client.setConfig({ baseUrl: window.location.origin, fetch: portalFetch as typeof fetch });
}
