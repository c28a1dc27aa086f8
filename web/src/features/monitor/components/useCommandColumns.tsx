import { UnstyledButton } from '@mantine/core';
import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useSwitchWords } from '@/blocks/live/useWords';
import { ScreenLink } from '@/components/ScreenLink';
import { useTimeWords } from '@/components/useTimeWords';
import type { Column } from '@/components/table/columns';
import { ToneText } from '@/components/Tone';
import { formatValue } from '@/lib/numbers';
import type { PointValue } from '@/lib/quality';
import { useTab } from '@/lib/tab';
import { formatDateTime } from '@/lib/time';
import type { CommandStatus, DataSource } from '../api';
import { actionKey, signalOf } from '../command';
import classes from '../monitor.module.css';
import { stateTone } from './commandTone';
import { useStateWords } from './useStateWords';
import { useWhyWords } from './useWhyWords';

type Sources = ReadonlyMap<number, DataSource>;

/** Columns of a list of commands. sources: the device's points by their number. */
export function useCommandColumns(sources: Sources): readonly Column<CommandStatus>[] {
  const { t } = useTranslation();
  const { duration } = useTimeWords();
  const values = useValues(sources);
  return useMemo(
    () => [
      {
        id: 'at',
        title: t('monitor:column.time'),
        cell: (row) => <span className="number">{formatDateTime(row.created_ms)}</span>,
        card: 'fact',
      },
      {
        id: 'what',
        title: t('monitor:cmdlog.what'),
        cell: (row) => <What command={row} source={sources.get(row.dsid ?? 0)} />,
        fixed: true,
        card: 'title',
      },
      { id: 'requested', title: t('monitor:command.requested'), cell: values.requested, align: 'right', card: 'fact' },
      { id: 'readBack', title: t('monitor:command.readBack'), cell: values.readBack, align: 'right', card: 'fact' },
      {
        id: 'result',
        title: t('monitor:column.result'),
        cell: (row) => <Result command={row} readBack={values.readBack(row)} />,
        card: 'mark',
      },
      {
        id: 'latency',
        title: t('monitor:command.latency'),
        align: 'right',
        cell: ({ latency_ms: ms }) => (ms === null || ms === undefined ? '–' : duration(ms)),
      },
      {
        id: 'user',
        title: t('monitor:column.user'),
        cell: (row) => <Who command={row} />,
      },
    ],
    [t, duration, values, sources],
  );
}

/** Sent by the cloud of its own accord: it has no address, which a user of that name has. */
function isCloud({ user, address = '' }: Pick<CommandStatus, 'user' | 'address'>): boolean {
  return user === 'cloud' && !address;
}

type Named = NonNullable<CommandStatus['origin']>;

/** Where each kind of origin is changed. */
const PATHS: Readonly<Record<Named['kind'], string>> = {
  trigger: '/alarm/trigger/editTrigger',
  exchange: '/other/dataExchange',
  task: '/other/timedTask',
};

/**
 * The trigger, exchange rule or timed task that wrote, and with whose rights: nobody has clicked. Of a request somebody, and the
 * address that it came from.
 */
function Who({ command }: { command: CommandStatus }): ReactElement {
  const { t } = useTranslation();
  const { origin = null, address, user } = command;
  if (origin === null)
    return (
      <>
        {isCloud(command) ? t('monitor:cmdlog.cloud') : user}
        <span className={`${classes.sub} ${classes.mono}`}>{address}</span>
      </>
    );
  const { kind, id, title } = origin;
  return (
    <>
      <span data-testid="command-origin">
        {t(`monitor:cmdlog.${kind}`)}{' '}
        <ScreenLink path={PATHS[kind]} search={kind === 'trigger' ? { id } : { search: title || undefined }}>
          {title || `#${id}`}
        </ScreenLink>
      </span>
      {user === '' ? null : <span className={classes.sub}>{t('monitor:cmdlog.rightsOf', { user })}</span>}
    </>
  );
}

type Text = (command: CommandStatus) => string;

/** What was asked for and what was read back, with the point's unit and decimals. */
function useValues(sources: Sources): { requested: Text; readBack: Text } {
  const { t } = useTranslation();
  const words = useSwitchWords();
  return useMemo(() => {
    const show = (value: PointValue | undefined, source: DataSource | undefined): string =>
      value === undefined || value === null || source === undefined
        ? String(value ?? '–')
        : `${formatValue(value, source, words)} ${source.unit}`;
    const signal = (value: PointValue | undefined): string => {
      const { level, dbm } = signalOf(value);
      return t(`monitor:signal.${level}`, { value: String(value), dbm });
    };
    return {
      requested: ({ action, value, dsid }) => (action === 'R' ? '–' : show(value, sources.get(dsid ?? 0))),
      readBack: ({ action, status, result_value: value, dsid }) =>
        action === 'csq' && status === 'resp' ? signal(value) : show(value, sources.get(dsid ?? 0)),
    };
  }, [t, words, sources]);
}

function Result({ command, readBack }: { command: CommandStatus; readBack: string }): ReactElement {
  const words = useStateWords();
  const why = useWhyWords()(command).join(' · ');
  return (
    <>
      <ToneText tone={stateTone(command)}>{words(command, readBack)}</ToneText>
      {why === '' ? null : <span className={classes.sub}>{why}</span>}
    </>
  );
}

/** The point, or what the gateway did as a whole; and the batch that it was a part of. */
function What({ command, source }: { command: CommandStatus; source: DataSource | undefined }): ReactElement {
  const { t } = useTranslation();
  const { setSearch } = useTab();
  const key = actionKey(command.action);
  const action = key === null ? command.action : t(key);
  const ofPoint = (command.dsid ?? null) !== null;
  const was = command.target?.ds_title || command.target?.point;
  const title = ofPoint ? (source?.ds_title ?? was ?? t('monitor:preset.gone', { dsid: command.dsid })) : action;
  const below = ofPoint
    ? [source?.slave_title ?? command.target?.slave_title, command.action === 'R' && action]
    : [t('monitor:cmdlog.gateway'), command.slave];
  const batch = command.batch_id ?? '';
  return (
    <span>
      {title}
      <span className={classes.sub}>{below.filter(Boolean).join(' · ')}</span>
      {batch === '' ? null : (
        <UnstyledButton className={classes.factLink} fz={12} onClick={() => setSearch({ batch }, 'push')}>
          {t((command.preset_id ?? null) === null ? 'monitor:cmdlog.batch' : 'monitor:cmdlog.preset')}
        </UnstyledButton>
      )}
    </span>
  );
}
