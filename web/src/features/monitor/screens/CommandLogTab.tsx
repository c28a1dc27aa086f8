import { Button, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/components/Empty';
import { useSwitchWords, useTimeWords } from '@/components/live/useWords';
import { PageSkeleton } from '@/components/PageSkeleton';
import { Paging } from '@/components/Paging';
import { ToneText } from '@/components/Tone';
import { Trouble } from '@/components/Trouble';
import { formatValue } from '@/lib/numbers';
import { usePreferences } from '@/lib/preferences';
import type { PointValue } from '@/lib/quality';
import { useTab } from '@/lib/tab';
import { formatDateTime } from '@/lib/time';
import { commandsQuery, sourcesQuery } from '../api';
import type { CommandStatus, DataSource } from '../api';
import { actionKey, codeKey, detailOf, isState, signalOf } from '../command';
import { stateTone } from '../components/commandTone';
import { useDevice } from '../components/useDevice';
import { formatOfSource } from '../historyView';
import classes from '../monitor.module.css';

export default function CommandLogTab(): ReactElement {
  const { t } = useTranslation();
  const { id } = useDevice();
  const limit = usePreferences((state) => state.pageSize);
  const setLimit = usePreferences((state) => state.setPageSize);
  const [page, setPage] = useState(1);
  const { search, setSearch } = useTab();
  const batch = search.batch;
  const query = useQuery(commandsQuery(id, page, limit, batch));
  const sources = useQuery(sourcesQuery(id));
  if (query.data === undefined) {
    return query.error === null ? <PageSkeleton /> : <Trouble error={query.error} onRetry={() => void query.refetch()} />;
  }
  if (query.data.total === 0 && batch === undefined) return <Empty title={t('monitor:cmdlog.nothing')} />;
  return (
    <>
      {batch === undefined ? null : (
        <div className={classes.bar}>
          <h2>{t('monitor:cmdlog.ofBatch', { count: query.data.total })}</h2>
          <Button variant="default" onClick={() => setSearch({ batch: undefined }, 'push')}>
            {t('monitor:cmdlog.all')}
          </Button>
        </div>
      )}
      <CommandTable commands={query.data.rows} sources={sources.data ?? []} />
      <div className={classes.foot}>
        <Paging
          page={page}
          limit={limit}
          total={query.data.total}
          onPage={setPage}
          onLimit={(next) => {
            setLimit(next);
            setPage(1);
          }}
        />
      </div>
    </>
  );
}

function CommandTable({ commands, sources }: { commands: readonly CommandStatus[]; sources: readonly DataSource[] }): ReactElement {
  const { t } = useTranslation();
  const byId = new Map(sources.map((source) => [source.dsid, source]));
  return (
    <div className={classes.scroll}>
      <table className={classes.table} data-testid="command-log">
        <thead>
          <tr>
            <th scope="col">{t('monitor:column.time')}</th>
            <th scope="col">{t('monitor:cmdlog.what')}</th>
            <th scope="col" className={classes.right}>
              {t('monitor:command.requested')}
            </th>
            <th scope="col" className={`${classes.right} ${classes.optional}`}>
              {t('monitor:command.readBack')}
            </th>
            <th scope="col">{t('monitor:column.result')}</th>
            <th scope="col" className={`${classes.right} ${classes.optional}`}>
              {t('monitor:command.latency')}
            </th>
            <th scope="col" className={classes.optional}>
              {t('monitor:column.user')}
            </th>
          </tr>
        </thead>
        <tbody>
          {commands.map((command) => (
            <Row key={command.id} command={command} source={byId.get(command.dsid ?? 0)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ command, source }: { command: CommandStatus; source: DataSource | undefined }): ReactElement {
  const { t } = useTranslation();
  const { duration } = useTimeWords();
  const words = useSwitchWords();
  const key = codeKey(command.code);
  const why = [key === null ? command.code : t(key), detailOf(command)].filter(Boolean).join(' · ');
  const show = (value: PointValue | undefined): string =>
    value === undefined || value === null || source === undefined
      ? String(value ?? '–')
      : `${formatValue(value, formatOfSource(source), words)} ${source.unit}`;
  const signal = (value: PointValue | undefined): string => {
    const { level, dbm } = signalOf(value);
    return t(`monitor:signal.${level}`, { value: String(value), dbm });
  };
  return (
    <tr data-testid="command-row" data-status={command.status}>
      <td className="number">{formatDateTime(command.created_ms)}</td>
      <th scope="row">
        <What command={command} source={source} />
      </th>
      <td className={`${classes.right} number`}>{command.action === 'R' ? '–' : show(command.value)}</td>
      <td className={`${classes.right} ${classes.optional} number`}>
        {command.action === 'csq' && command.status === 'resp' ? signal(command.result_value) : show(command.result_value)}
      </td>
      <td>
        <ToneText tone={stateTone(command.status)}>
          {isState(command.status) ? t(`monitor:state.${command.status}`) : command.status}
        </ToneText>
        {why === '' ? null : <span className={classes.sub}>{why}</span>}
      </td>
      <td className={`${classes.right} ${classes.optional} number`}>
        {command.latency_ms === null || command.latency_ms === undefined ? '–' : duration(command.latency_ms)}
      </td>
      <td className={classes.optional}>
        {command.user}
        <span className={`${classes.sub} ${classes.mono}`}>{command.address}</span>
      </td>
    </tr>
  );
}

/** The point, or what the gateway did as a whole; and the batch that it was a part of. */
function What({ command, source }: { command: CommandStatus; source: DataSource | undefined }): ReactElement {
  const { t } = useTranslation();
  const { setSearch } = useTab();
  const key = actionKey(command.action);
  const action = key === null ? command.action : t(key);
  const ofPoint = (command.dsid ?? null) !== null;
  const title = ofPoint ? (source?.ds_title ?? t('monitor:preset.gone', { dsid: command.dsid })) : action;
  const below = ofPoint ? [source?.slave_title, command.action === 'R' && action] : [t('monitor:cmdlog.gateway'), command.slave];
  const batch = command.batch_id ?? '';
  return (
    <>
      {title}
      <span className={classes.sub}>{below.filter(Boolean).join(' · ')}</span>
      {batch === '' ? null : (
        <UnstyledButton className={classes.factLink} fz={12} onClick={() => setSearch({ batch }, 'push')}>
          {t((command.preset_id ?? null) === null ? 'monitor:cmdlog.batch' : 'monitor:cmdlog.preset')}
        </UnstyledButton>
      )}
    </>
  );
}
