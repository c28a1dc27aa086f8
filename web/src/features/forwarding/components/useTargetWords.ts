import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import type { BadgeTone } from '@/lib/statusCodes';

const KINDS: ReadonlySet<string> = new Set(['file', 'hj212', 'mqtt']);
const TONES: Readonly<Record<string, BadgeTone>> = { up: 'ok', down: 'bad', off: 'off' };

/** Kinds and conditions of targets in words; one that a newer agent brings as it is. */
export function useTargetWords(): {
  kind: (kind: string) => string;
  condition: (condition: string) => { tone: BadgeTone; text: string };
} {
  const { t } = useTranslation();
  const kind = useCallback((name: string) => (KINDS.has(name) ? t(`forwarding:kind.${name}`) : name), [t]);
  const condition = useCallback(
    (name: string) => {
      const tone = TONES[name];
      return tone === undefined
        ? { tone: 'off' as const, text: name }
        : { tone, text: t(`forwarding:condition.${name}`) };
    },
    [t],
  );
  return { kind, condition };
}
