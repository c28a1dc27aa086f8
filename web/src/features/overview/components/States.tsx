import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ScreenLink } from '@/components/ScreenLink';
import { ToneText } from '@/components/Tone';
import { DEVICE_STATUSES, STATUS_CODES } from '@/lib/statusCodes';
import type { Tone } from '@/lib/quality';
import type { StateCounts } from '../api';
import classes from '../overview.module.css';

const LIST = '/monitor/device';

interface TileProps {
  status: string;
  count: number;
  word: string;
  tone: Tone;
}

/** How many gateways are how; each number leads to the list of them. */
export function States({ states }: { states: StateCounts }): ReactElement {
  const { t } = useTranslation();
  const { statuses, never_connected: never, disabled, asleep } = states;
  const tones: Readonly<Record<string, Tone>> = STATUS_CODES.device;
  return (
    <section
      className={classes.states}
      aria-label={t('overview:states.label')}
      data-part="states"
      data-testid="overview-states"
    >
      <Tile status="" count={states.total} word={t('overview:states.total')} tone="off" />
      {DEVICE_STATUSES.map((status) => (
        <div key={status} className={classes.tileWith}>
          <Tile
            status={status}
            count={statuses[status] ?? 0}
            word={t(`base:code.device.${status}`)}
            tone={tones[status] ?? 'off'}
          />
          {status === 'online' && asleep > 0 ? (
            <span className={classes.parts}>
              <Part status="asleep" count={asleep} />
            </span>
          ) : null}
          {status === 'offline' && never + disabled > 0 ? (
            <span className={classes.parts}>
              <Part status="never_connected" count={never} />
              <Part status="disabled" count={disabled} />
            </span>
          ) : null}
        </div>
      ))}
    </section>
  );
}

function Tile({ status, count, word, tone }: TileProps): ReactElement {
  const isQuiet = count === 0 || tone === 'ok';
  return (
    <div
      className={classes.tile}
      data-tone={isQuiet ? undefined : tone}
      data-status={status || 'total'}
      data-testid={`state-${status || 'total'}`}
    >
      <ScreenLink path={LIST} search={{ status }} className={classes.count}>
        {String(count)}
      </ScreenLink>
      {status === '' ? (
        <span className={classes.word}>{word}</span>
      ) : (
        <span className={classes.word}>
          <ToneText tone={count === 0 ? 'off' : tone}>{word}</ToneText>
        </span>
      )}
    </div>
  );
}

/** Of the offline ones those that are no fault, of the online ones those that save power. */
function Part({ status, count }: { status: string; count: number }): ReactElement | null {
  const { t } = useTranslation();
  if (count === 0) return null;
  return (
    <ScreenLink path={LIST} search={{ status }} data-testid={`state-${status}`}>
      {t(`overview:states.${status}`, { count })}
    </ScreenLink>
  );
}
