import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import type { BadgeTone } from '@/lib/statusCodes';
import { formOf } from '../model/form';
import { useWords } from '../useWords';

const TONES: Readonly<Record<string, BadgeTone>> = {
  up: 'ok',
  connected: 'warn',
  trouble: 'bad',
  down: 'bad',
  off: 'off',
  unreported: 'off',
};

/** Kinds and conditions of targets in words; one that a newer agent brings as it is. */
export function useTargetWords(): {
  kind: (kind: string) => string;
  condition: (condition: string) => { tone: BadgeTone; text: string };
} {
  const { t } = useTranslation();
  const words = useWords();
  const kind = useCallback((name: string) => words(formOf(name)?.title ?? { zh: name, en: name }), [words]);
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
