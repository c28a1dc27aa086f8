import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useSwitchWords } from '@/blocks/live/useWords';
import { ToneText } from '@/components/Tone';
import { codeKey } from '@/lib/commandCodes';
import { formatValue } from '@/lib/numbers';
import type { Tone } from '@/lib/quality';
import { formatDateTime } from '@/lib/time';
import { linkagesQuery } from '../api';
import type { AlarmLinkage, AlarmRow } from '../api';
import classes from '../events.module.css';

type Write = AlarmLinkage['writes'][number];

const TONES: Readonly<Record<Write['state'], Tone>> = {
  waiting: 'off',
  done: 'ok',
  failed: 'bad',
  unknown: 'warn',
  refused: 'bad',
  left_out: 'warn',
  unreported: 'warn',
};

/** Why nothing was written, beside the codes of commands. */
const PROBLEMS: ReadonlySet<string> = new Set([
  'no_user',
  'no_right',
  'refused',
  'too_late',
  'failed',
  'suppressed',
  'deleted',
  'linkage_limited',
]);

/** What the linkages of an alarm did: each write with what came of it. */
export function AlarmWrites({ row }: { row: AlarmRow }): ReactElement | null {
  const { t } = useTranslation();
  const isOfRule = (row.rule_id ?? null) !== null;
  const { data, error } = useQuery({ ...linkagesQuery(row.id), enabled: isOfRule });
  if (!isOfRule || (error === null && (data === undefined || data.length === 0))) return null;
  return (
    <section data-testid="alarm-linkages">
      <h3>{t('events:linkage.title')}</h3>
      {error === null ? null : <p>{t('events:linkage.unknown')}</p>}
      {[...(data ?? []).entries()].map(([place, linkage]) => (
        <Linkage key={place} linkage={linkage} deviceId={row.device_id} />
      ))}
    </section>
  );
}

function Linkage({ linkage, deviceId }: { linkage: AlarmLinkage; deviceId: number }): ReactElement {
  const { t } = useTranslation();
  const { on, trigger, preset_id, preset_title, at_ms, at_gateway, state, problem, writes, more, hidden } = linkage;
  const why = useWhy();
  const isDone = state === 'done';
  return (
    <div className={classes.linkage} data-testid="alarm-linkage" data-state={state}>
      <span className="number">{formatDateTime(at_ms)}</span> {t(`events:linkage.on.${on}`)} ·{' '}
      {trigger === '' ? '' : `${t('events:linkage.trigger', { title: trigger })} · `}
      {preset_title === '' ? t('events:linkage.preset', { number: preset_id }) : preset_title}
      {at_gateway ? ` · ${t('events:linkage.atGateway')}` : ''}
      {isDone ? null : (
        <>
          {' · '}
          <ToneText tone={TONES[state]}>{t(`events:linkage.state.${state}`)}</ToneText>
          {problem === '' ? '' : ` · ${why(problem)}`}
        </>
      )}
      <ul className={classes.record}>
        {[...writes.entries()].map(([place, write]) => (
          <WriteLine key={place} write={write} deviceId={deviceId} isOwnState={isDone} />
        ))}
      </ul>
      {more > 0 ? <p>{t('events:linkage.more', { count: more })}</p> : null}
      {hidden > 0 ? <p>{t('events:linkage.hidden', { count: hidden })}</p> : null}
    </div>
  );
}

interface LineProps {
  write: Write;
  /** Of the alarm: only another gateway is named. */
  deviceId: number;
  /** False: its linkage has said what became of all of them. */
  isOwnState: boolean;
}

function WriteLine({ write, deviceId, isOwnState }: LineProps): ReactElement {
  const { t } = useTranslation();
  const words = useSwitchWords();
  const why = useWhy();
  const { point, at_ms, state, code } = write;
  const text = (value: Write['value']): string =>
    value === null || point === null
      ? String(value ?? '–')
      : `${formatValue(value, point, words)} ${point.unit}`.trim();
  const place = [write.device_id === deviceId ? '' : write.device_title, write.slave_title, write.ds_title];
  return (
    <li data-testid="alarm-write" data-state={state}>
      {at_ms === null ? null : <span className={`${classes.moment} number`}>{formatDateTime(at_ms)} </span>}
      {place.filter(Boolean).join(' · ')} = <span className="number">{text(write.value)}</span>
      {isOwnState ? (
        <>
          {' · '}
          <ToneText tone={TONES[state]}>{t(`events:linkage.state.${state}`)}</ToneText>
          {code === '' ? '' : ` · ${why(code)}`}
        </>
      ) : null}
      {write.result_value === null || state === 'done'
        ? ''
        : ` · ${t('events:linkage.readBack', { value: text(write.result_value) })}`}
    </li>
  );
}

function useWhy(): (code: string) => string {
  const { t } = useTranslation();
  return (code) => {
    if (PROBLEMS.has(code)) return t(`events:linkage.problem.${code}`);
    const key = codeKey(code);
    return key === null ? code : t(key);
  };
}
