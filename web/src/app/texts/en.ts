import { byFeature } from './byFeature';

export const texts = byFeature(
  import.meta.glob<{ default: Record<string, unknown> }>('../../features/*/locales/en.json', { eager: true }),
);
