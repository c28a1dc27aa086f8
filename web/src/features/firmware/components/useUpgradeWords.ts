import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { codeKey, WORSE } from '../codes';
import type { Worse } from '../codes';
import type { UpgradeRow } from '../api';

type Evidence = NonNullable<UpgradeRow['before']>;

const MIB = 1024 * 1024;

/** What of a gateway is compared, by what may be worse. */
const FIGURES: Readonly<Record<Worse, (evidence: Evidence) => number | boolean | null | undefined>> = {
  offline: ({ online }) => online,
  slaves: ({ slaves }) => slaves,
  points: ({ good }) => good,
  outages: ({ outages }) => outages,
  backlog: ({ backlog }) => backlog,
  latency: ({ latency_ms }) => rounded(latency_ms),
  memory: ({ memory_bytes }) => rounded(memory_bytes, MIB),
};

/** null for what the gateway did not say. */
function rounded(value: number | null | undefined, unit = 1): number | null {
  return value === null || value === undefined ? null : Math.round(value / unit);
}

export interface UpgradeWords {
  code: (code: string) => string;
  /** Why an attempt ended as it did, and in what the gateway was worse than before; '' for no reason. */
  why: (row: UpgradeRow) => string;
  /** 1 to 2.1 (5). */
  versions: (row: UpgradeRow) => string;
  plan: (row: Pick<UpgradeRow, 'plan_name'>) => string;
}

export function useUpgradeWords(): UpgradeWords {
  const { t } = useTranslation();
  return useMemo(() => {
    const code = (said: string): string => {
      const key = codeKey(said);
      return key === null ? said : t(key);
    };
    const worse = (row: UpgradeRow, name: string): string => {
      const known = WORSE.find((each) => each === name);
      if (known === undefined) return name;
      const [before, after] = [row.before, row.after].map((each) => (each === null ? null : FIGURES[known](each)));
      const words = t(`firmware:worse.${known}`);
      return typeof before === 'number' && typeof after === 'number'
        ? t('firmware:worse.figures', { what: words, before, after })
        : words;
    };
    return {
      code,
      why: (row) => [code(row.code), ...row.worse.map((name) => worse(row, name))].filter(Boolean).join(' · '),
      versions: (row) => {
        const to = `${row.version_text} (${row.version})`;
        if (row.from_version === null) return to;
        const from = row.from_version === 0 ? t('firmware:delivered') : String(row.from_version);
        return t('firmware:fromTo', { from, to });
      },
      plan: ({ plan_name }) => t('firmware:planNumber', { number: plan_name }),
    };
  }, [t]);
}
