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
import type { PointValue, Tone } from '@/lib/quality';
import { formatDateTime } from '@/lib/time';
import { commandsQuery, sourcesQuery } from '../api';
import type { CommandStatus, DataSource } from '../api';
import { codeKey, isFinal, isState } from '../command';
import { useDevice } from '../components/useDevice';
import { formatOfSource } from '../historyView';
import classes from '../monitor.module.css';

function toneOf(status: string): Tone {
  if (status === 'resp') return 'ok';
  return isFinal(status) ? 'bad' : 'off';
}

export default function CommandLogTab(): ReactElement {
  const { t } = useTranslation();
  const { id } = useDevice();
  const limit = usePreferences((state) => state.pageSize);
  const setLimit = usePreferences((state) => state.setPageSize);
  const [page, setPage] = useState(1);
  const query = useQuery(commandsQuery(id, page, limit));
  const sources = useQuery(sourcesQuery(id));
  if (query.data === undefined) {
    return query.error === null ? <PageSkeleton /> : <Trouble error={query.error} onRetry={() => void query.refetch()} />;
  }
  if (query.data.total === 0) return <Empty title={t('monitor:cmdlog.nothing')} />;
  return (
    <>
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
            <th scope="col">{t('monitor:column.point')}</th>
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
            <Row key={command.id} command={command} source={byId.get(command.dsid)} />
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
  const why = [key === null ? command.code : t(key), command.detail].filter(Boolean).join(' · ');
  const show = (value: PointValue | undefined): string =>
    value === undefined || value === null || source === undefined
      ? String(value ?? '–')
      : `${formatValue(value, formatOfSource(source), words)} ${source.unit}`;
  return (
    <tr data-testid="command-row" data-status={command.status}>
      <td className="number">{formatDateTime(command.created_ms)}</td>
      <th scope="row">
        {source?.ds_title ?? command.dsid}
        <span className={classes.sub}>{source?.slave_title}</span>
      </th>
      <td className={`${classes.right} number`}>{command.action === 'R' ? '–' : show(command.value)}</td>
      <td className={`${classes.right} ${classes.optional} number`}>{show(command.result_value)}</td>
      <td>
        <ToneText tone={toneOf(command.status)}>
          {isState(command.status) ? t(`monitor:state.${command.status}`) : command.status}
        </ToneText>
        {why === '' ? null : <span className={classes.sub}>{why}</span>}
      </td>
      <td className={`${classes.right} ${classes.optional} number`}>
        {command.latency_ms === null || command.latency_ms === undefined ? '–' : duration(command.latency_ms)}
      </td>
      <td className={classes.optional}>{command.user}</td>
    </tr>
  );
}
