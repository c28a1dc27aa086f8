import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { sizeText } from '@/blocks/jobs/jobs';
import { useTimeWords } from '@/components/useTimeWords';
import { ScreenLink } from '@/components/ScreenLink';
import { ToneText } from '@/components/Tone';
import { useServerNow } from '@/components/useNow';
import type { PlatformFigures } from '../api';
import classes from '../overview.module.css';
import { Panel } from './Panel';

const STEP_MS = 30_000;
/** Below this share of the disk somebody should look. */
const SCARCE = 0.1;
const JOBS = '/dataCenter/fileDownload';

/** The installation itself, for the platform's staff. */
export function PlatformCard({ figures }: { figures: PlatformFigures }): ReactElement {
  const { t } = useTranslation();
  const { duration } = useTimeWords();
  const now = useServerNow(STEP_MS);
  const { disk } = figures;
  const rate = (value: number | null): string => (value === null ? '–' : t('overview:platform.rate', { rate: value }));
  const size = (bytes: number | null): string => (bytes === null ? t('overview:platform.elsewhere') : sizeText(bytes));
  const free = `${sizeText(disk.free)} / ${sizeText(disk.size)}`;
  const rows: readonly (readonly [string, string | ReactElement])[] = [
    ['rateNow', rate(figures.rate_now ?? null)],
    ['rateHour', rate(figures.rate_hour ?? null)],
    ['backlog', t('overview:platform.batches', { count: figures.backlog })],
    ['waiting', t('overview:platform.batches', { count: figures.waiting })],
    ['connected', String(figures.connected)],
    ['series', t('overview:platform.points', { points: figures.points, series: figures.series })],
    ['database', size(disk.database ?? null)],
    ['seriesSize', size(disk.series ?? null)],
    [
      'free',
      disk.free < disk.size * SCARCE ? (
        <ToneText key="free" tone="warn">
          {free}
        </ToneText>
      ) : (
        free
      ),
    ],
    [
      'jobs',
      <span key="jobs">
        <ScreenLink path={JOBS} search={{ state: 'generating', whose: 'all' }}>
          {t('overview:platform.running', { count: figures.running_jobs })}
        </ScreenLink>
        {' · '}
        <ScreenLink path={JOBS} search={{ state: 'failed', whose: 'all' }}>
          {t('overview:platform.failed', { count: figures.failed_jobs })}
        </ScreenLink>
      </span>,
    ],
    ['version', figures.version],
    ['uptime', duration(Math.max(0, now - figures.started_ms))],
  ];
  return (
    <Panel name="platform" title={t('overview:platform.title')}>
      <dl className={classes.figures}>
        {rows.map(([name, value]) => (
          <div key={name} data-figure={name}>
            <dt>{t(`overview:platform.${name}`)}</dt>
            <dd className="number">{value}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
