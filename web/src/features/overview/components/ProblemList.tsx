import { Button } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ScreenLink } from '@/components/ScreenLink';
import { ToneText } from '@/components/Tone';
import { useServerNow } from '@/components/useNow';
import { formatSince } from '@/lib/time';
import type { Overview, Problem, Problems } from '../api';
import classes from '../overview.module.css';
import { moreOf, placeOf, TONE } from '../problem';
import { KeptQuietLine } from './KeptQuietLine';
import { Panel } from './Panel';
import { useProblemWords } from './useProblemWords';

const FIRST = 12;
const STEP_MS = 10_000;

/** What is wrong, the worst first; each leads to where one acts. */
export function ProblemList({
  problems,
  suppressions,
  countedMs,
  isOld,
  isCounting,
}: {
  problems: Problems;
  suppressions: Overview['suppressions'];
  /** Of when missed reads are. */
  countedMs: number | null;
  /** Nobody says how it is now. */
  isOld: boolean;
  isCounting: boolean;
}): ReactElement {
  const { t } = useTranslation();
  const [isAll, setAll] = useState(false);
  const now = useServerNow(STEP_MS);
  const rows = isAll ? problems.rows : problems.rows.slice(0, FIRST);
  const more = moreOf(problems, problems.rows);
  const hidden = problems.rows.length - rows.length;
  return (
    <Panel name="problems" title={t('overview:problems.title')}>
      {problems.rows.length === 0 ? (
        <p className={classes.well} data-testid="no-problems">
          {isOld ? t('overview:problems.unknown') : <ToneText tone="ok">{t('overview:problems.none')}</ToneText>}
        </p>
      ) : (
        <ul className={classes.problems} data-testid="problems">
          {rows.map((row) => (
            <Row
              key={`${row.kind} ${row.device_id} ${row.slave ?? ''} ${row.alarm?.id ?? ''}`}
              row={row}
              now={now}
              countedMs={countedMs}
            />
          ))}
        </ul>
      )}
      {hidden > 0 ? (
        <div className={classes.foot}>
          <Button variant="subtle" size="compact-sm" onClick={() => setAll(true)} data-testid="problems-all">
            {t('overview:problems.show', { count: hidden })}
          </Button>
        </div>
      ) : null}
      <KeptQuietLine suppressions={suppressions} />
      {isCounting ? <p className={classes.note}>{t('overview:problems.counting')}</p> : null}
      {more.length > 0 ? (
        <p className={classes.foot}>
          {more.map(({ kind, count, place, see }) => (
            <span key={kind} className={classes.more}>
              {place === undefined ? (
                t(`overview:more.${kind}`, { count })
              ) : (
                <ScreenLink path={place.path} search={place.search}>
                  {t(`overview:more.${kind}`, { count })}
                </ScreenLink>
              )}
              {see === undefined ? null : (
                <>
                  {' · '}
                  <ScreenLink path={see.path} search={see.search}>
                    {t(`overview:lists.${see.name}`)}
                  </ScreenLink>
                </>
              )}
            </span>
          ))}
        </p>
      ) : null}
    </Panel>
  );
}

function Row({ row, now, countedMs }: { row: Problem; now: number; countedMs: number | null }): ReactElement {
  const { what, why } = useProblemWords()(row, countedMs);
  const place = placeOf(row);
  const since = row.since_ms ?? null;
  return (
    <li
      className={classes.problem}
      data-kind={row.kind}
      data-severity={row.severity}
      data-device={row.device_id}
      data-testid="problem"
    >
      <span className={classes.problemWhat}>
        <ToneText tone={TONE[row.severity]} icon={row.kind === 'gateway_offline' ? 'plug' : undefined} strong>
          {what}
        </ToneText>
        {why === '' ? null : <span className={classes.why}>{why}</span>}
      </span>
      <ScreenLink
        path={place.path}
        search={place.search}
        className={classes.problemDevice}
        title={row.gateway_id}
        data-testid="problem-link"
      >
        {row.device_title || row.gateway_id}
      </ScreenLink>
      <span className={`${classes.problemSince} number`}>{since === null ? '' : formatSince(since, now)}</span>
    </li>
  );
}
