import { byFeature } from './byFeature';

export const texts = byFeature(
  import.meta.glob<{ default: Record<string, unknown> }>('../../features/*/locales/zh.json', { eager: true }),
);
