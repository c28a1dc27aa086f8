import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '@/lib/time';
import { codeKey, WORSE } from '../codes';
import type { Worse } from '../codes';
import type { UpgradeRow } from '../api';
import { runningNote } from '../steps';

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
  /** Why an attempt ended as it did, and in what the gateway was worse than before; where it goes on and the gateway said
   * something, how far it is; '' for no reason. */
  why: (row: UpgradeRow) => string;
  /** What the gateway itself said, as it is. */
  detail: (row: UpgradeRow) => string;
  /** What it ran when it was ordered, and was to run then: 2.1 (5). */
  from: (row: UpgradeRow) => string;
  wanted: (row: UpgradeRow) => string;
  /** What it says that it runs, and how that is related to the order, with its time; note: '' for neither. */
  running: (row: UpgradeRow) => { release: string; note: string };
  plan: (row: Pick<UpgradeRow, 'plan_name'>) => string;
}

export function useUpgradeWords(): UpgradeWords {
  const { t } = useTranslation();
  return useMemo(() => {
    const code = (said: string): string => {
      const key = codeKey(said);
      if (said === '') return '';
      return key === null ? t('firmware:unknownCode', { code: said }) : t(key);
    };
    const release = (version: number, text = ''): string => {
      const number = version === 0 ? t('firmware:delivered') : String(version);
      return text === '' || text === number ? number : `${text} (${number})`;
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
      why: (row) => {
        const said = [code(row.code), ...row.worse.map((name) => worse(row, name))].filter(Boolean).join(' · ');
        return said === '' && row.detail !== '' ? t(`firmware:part.${row.state}`) : said;
      },
      detail: ({ detail }) => (detail === '' ? '' : t('firmware:detail', { detail })),
      from: ({ from_version }) => (from_version === null ? '-' : release(from_version)),
      wanted: ({ version, version_text }) => release(version, version_text),
      running: (row) => {
        if (row.running === null) return { release: t('firmware:notReported'), note: '' };
        const { version, version_text, reported_ms } = row.running;
        const note = runningNote(row);
        const at = t('firmware:reported', { at: formatDateTime(reported_ms) });
        return {
          release: release(version, version_text),
          note: [note === null ? '' : t(`firmware:running.${note}`), at].filter(Boolean).join(' · '),
        };
      },
      plan: ({ plan_name }) => t('firmware:planNumber', { number: plan_name }),
    };
  }, [t]);
}
