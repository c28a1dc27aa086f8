import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useServerNow } from '@/components/useNow';
import { useTimeWords } from '@/components/useTimeWords';
import type { AlarmRow } from '../api';
import { isStanding, lastedMs } from '../handling';

const STEP_MS = 20_000;

/** How long an alarm lasted, or has lasted so far. */
export function Lasted({ row }: { row: AlarmRow }): ReactElement {
  return isStanding(row) ? <SoFar row={row} /> : <Ended row={row} />;
}

function Ended({ row }: { row: AlarmRow }): ReactElement {
  const { duration } = useTimeWords();
  const ms = lastedMs(row, 0);
  return <>{ms === null ? '–' : duration(ms)}</>;
}

/** Counts on while it is looked at. */
function SoFar({ row }: { row: AlarmRow }): ReactElement {
  const { t } = useTranslation();
  const { duration } = useTimeWords();
  const ms = lastedMs(row, useServerNow(STEP_MS));
  return <>{ms === null ? '–' : t('events:alarm.lasts', { duration: duration(ms) })}</>;
}
