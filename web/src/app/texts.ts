import type { Catalog } from '@/i18n';

const files = import.meta.glob<{ default: Record<string, unknown> }>('../features/*/locales/*.json', { eager: true });

/** Texts of the features, by namespace: '../features/<name>/locales/<language>.json'. */
export function featureTexts(): Record<string, Catalog> {
  const spaces: Record<string, Catalog> = {};
  for (const [path, file] of Object.entries(files)) {
    const [, name, language] = /features\/([^/]+)\/locales\/(zh|en)\.json$/.exec(path) ?? [];
    if (name === undefined) continue;
    const space = (spaces[name] ??= { zh: {}, en: {} });
    space[language as 'zh' | 'en'] = file.default;
  }
  return spaces;
}
