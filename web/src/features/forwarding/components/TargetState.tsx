import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ToneText } from '@/components/Tone';
import { useServerNow } from '@/components/useNow';
import { useTimeWords } from '@/components/useTimeWords';
import { formatDateTime, formatSince } from '@/lib/time';
import type { TargetRow } from '../api';
import classes from '../forwarding.module.css';
import { useTargetWords } from './useTargetWords';

const SECOND_MS = 1000;
/** Conditions in which the gateway tries again. */
const TRYING: ReadonlySet<string> = new Set(['down', 'connected']);

interface Props {
  ledger: TargetRow;
  /** Whether what the gateway said last may be of now. */
  isOnline: boolean;
}

/** How a target stands, since when, when it is tried again, and how old all that is. */
export function TargetState({ ledger, isOnline }: Props): ReactElement {
  const { t } = useTranslation();
  const { ago } = useTimeWords();
  const { condition } = useTargetWords();
  const now = useServerNow(SECOND_MS);
  const { tone, text } = condition(ledger.condition);
  if (ledger.reported_ms === 0) return <ToneText tone={tone}>{text}</ToneText>;
  const isTrying = TRYING.has(ledger.condition);
  const sinceMs = (isTrying ? ledger.trouble_since_ms : 0) || ledger.since_ms;
  const since = sinceMs === 0 ? null : t('forwarding:since', { time: formatSince(sinceMs, now) });
  if (!isOnline)
    return (
      <span className={classes.state}>
        <ToneText tone="off">{t('forwarding:then', { state: text })}</ToneText>
        <span className={classes.sub}>{since}</span>
        <span className={classes.sub} data-testid="target-age">
          {t('forwarding:offline', { time: formatDateTime(ledger.reported_ms) })}
        </span>
      </span>
    );
  return (
    <span className={classes.state}>
      <ToneText tone={tone}>{text}</ToneText>
      <span className={classes.sub}>{since}</span>
      {isTrying && ledger.next_try_ms > 0 ? (
        <span className={classes.sub} data-testid="next-try">
          {ledger.next_try_ms > now
            ? t('forwarding:nextTry', { count: Math.ceil((ledger.next_try_ms - now) / SECOND_MS) })
            : t('forwarding:trying')}
        </span>
      ) : null}
      <span className={classes.sub} data-testid="target-age">
        {t('forwarding:asOf', { ago: ago(now - ledger.reported_ms) })}
      </span>
    </span>
  );
}
