import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/components/Empty';
import { Paging } from '@/components/Paging';
import { PageSkeleton } from '@/components/PageSkeleton';
import { Trouble } from '@/components/Trouble';
import { usePages, useStepBack } from '@/components/usePages';
import { formatDateTime } from '@/lib/time';
import { configurationQuery } from '../api';
import type { ConfigurationState, Version } from '../api';
import classes from '../configuration.module.css';
import type { Past } from '../history';
import { Hash } from './Hash';
import type { Guard } from './useGuard';
import { usePast } from './usePast';
import { useView } from './useView';

interface Props {
  deviceId: number;
  state: ConfigurationState;
  mayManage: boolean;
  guard: Guard;
}

/** Every kept version, newest first, with the way to look at it, to compare it, and back to it. */
export function VersionsView({ deviceId, state, mayManage, guard }: Props): ReactElement {
  const { t } = useTranslation();
  const pages = usePages();
  const query = useQuery(configurationQuery(deviceId, pages.page, pages.limit));
  useStepBack(pages, query);
  const past = usePast(deviceId, state);
  if (query.data === undefined) {
    return query.error === null ? (
      <PageSkeleton />
    ) : (
      <Trouble error={query.error} onRetry={() => void query.refetch()} />
    );
  }
  if (query.data.total === 0)
    return <Empty title={t('configuration:noVersion')} text={t('configuration:notToldYet')} />;
  return (
    <>
      <div className={classes.scroll}>
        <table className={`${classes.table} ${classes.cards}`} data-testid="versions">
          <thead>
            <tr>
              <th scope="col">{t('configuration:column.version')}</th>
              <th scope="col">{t('configuration:column.time')}</th>
              <th scope="col" className={classes.optional}>
                {t('configuration:column.author')}
              </th>
              <th scope="col" className={`${classes.optional} ${classes.right}`}>
                {t('configuration:column.points')}
              </th>
              <th scope="col" className={classes.right}>
                {t('configuration:column.action')}
              </th>
            </tr>
          </thead>
          <tbody>
            {query.data.versions.map((version) => (
              <Row
                key={version.hash}
                version={version}
                past={past(version)}
                state={state}
                mayManage={mayManage}
                guard={guard}
              />
            ))}
          </tbody>
        </table>
      </div>
      <Paging pages={pages} total={query.data.total} />
    </>
  );
}

function Row({
  version,
  past,
  state,
  mayManage,
  guard,
}: Omit<Props, 'deviceId'> & { version: Version; past: Past | null }): ReactElement {
  const { t } = useTranslation();
  const { show } = useView();
  const running = state.running?.hash;
  const isRunning = version.hash === running;
  const isDraft = version.hash === state.draft?.hash;
  return (
    <tr data-testid="version-row" data-hash={version.hash} data-past={past ?? undefined}>
      <th scope="row">
        <span style={{ display: 'inline-flex', gap: 8, alignItems: 'center', flexWrap: 'wrap' }}>
          <Hash hash={version.hash} />
          {isRunning ? <Is kind="running" /> : null}
          {isDraft ? <Is kind="draft" /> : null}
          {past === 'refused' || past === 'reverted' || (past === 'never' && !isDraft) ? <Is kind={past} /> : null}
        </span>
        {version.note === '' ? null : <span className={`${classes.sub} ${classes.note}`}>{version.note}</span>}
      </th>
      <td className="number">{formatDateTime(version.created_ms)}</td>
      <td className={classes.optional}>{version.author || t(`configuration:origin.${version.origin}`)}</td>
      <td className={`${classes.optional} ${classes.right} number`}>{version.points}</td>
      <td className={classes.whole}>
        <div className={classes.actions}>
          <Button size="compact-sm" variant="subtle" onClick={() => show({ view: 'document', version: version.hash })}>
            {t('configuration:action.document')}
          </Button>
          {isRunning || running === undefined ? null : (
            <Button
              size="compact-sm"
              variant="subtle"
              onClick={() => show({ view: 'compare', from: running, to: version.hash })}
            >
              {t('configuration:action.compare')}
            </Button>
          )}
          {isRunning || !mayManage || past === null ? null : (
            <Button
              {...guard}
              size="compact-sm"
              variant="subtle"
              onClick={() => show({ deploy: version.hash })}
              data-testid="deploy-version"
            >
              {t(past === 'ran' ? 'configuration:action.return' : 'configuration:action.deploy')}
            </Button>
          )}
        </div>
      </td>
    </tr>
  );
}

function Is({ kind }: { kind: 'running' | 'draft' | Past }): ReactElement {
  const { t } = useTranslation();
  return (
    <span className={classes.badge} data-kind={kind}>
      {t(`configuration:is.${kind}`)}
    </span>
  );
}
