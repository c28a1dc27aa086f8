import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { codeKey } from '@/blocks/deployment/reason';
import { Empty } from '@/components/Empty';
import { useTimeWords } from '@/components/useTimeWords';
import { Paging } from '@/components/Paging';
import { PageSkeleton } from '@/components/PageSkeleton';
import { ToneText } from '@/components/Tone';
import { Trouble } from '@/components/Trouble';
import { usePages, useStepBack } from '@/components/usePages';
import { formatDateTime } from '@/lib/time';
import { deploymentsQuery } from '../api';
import type { ConfigurationState, DeploymentStatus } from '../api';
import classes from '../configuration.module.css';
import { stateKey, toneOf } from '../deployment';
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

/** Who deployed what and how it ended, newest first. */
export function DeploymentsView({ deviceId, state, mayManage, guard }: Props): ReactElement {
  const { t } = useTranslation();
  const pages = usePages();
  const query = useQuery(deploymentsQuery(deviceId, pages.page, pages.limit));
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
    return <Empty title={t('configuration:noDeployment')} text={t('configuration:noDeploymentText')} />;
  return (
    <>
      <div className={classes.scroll}>
        <table className={`${classes.table} ${classes.cards}`} data-testid="deployments">
          <thead>
            <tr>
              <th scope="col">{t('configuration:column.time')}</th>
              <th scope="col">{t('configuration:column.version')}</th>
              <th scope="col">{t('configuration:column.result')}</th>
              <th scope="col" className={`${classes.optional} ${classes.right}`}>
                {t('configuration:column.duration')}
              </th>
              <th scope="col" className={classes.optional}>
                {t('configuration:column.user')}
              </th>
              <th scope="col" className={classes.right}>
                {t('configuration:column.action')}
              </th>
            </tr>
          </thead>
          <tbody>
            {query.data.rows.map((row) => (
              <Row key={row.id} row={row} past={past} state={state} mayManage={mayManage} guard={guard} />
            ))}
          </tbody>
        </table>
      </div>
      <Paging pages={pages} total={query.data.total} />
    </>
  );
}

function Row({
  row,
  past,
  state,
  mayManage,
  guard,
}: Omit<Props, 'deviceId'> & { row: DeploymentStatus; past: ReturnType<typeof usePast> }): ReactElement {
  const { t } = useTranslation();
  const { duration } = useTimeWords();
  const { show } = useView();
  const version = state.versions.find(({ hash }) => hash === row.hash);
  const name = stateKey(row.state);
  const why = codeKey(row.code);
  const mayReturn = mayManage && row.hash !== state.running?.hash && version !== undefined && past(version) === 'ran';
  return (
    <tr data-testid="deployment-row" data-state={row.state}>
      <td className="number">{formatDateTime(row.created_ms)}</td>
      <th scope="row">
        <Hash hash={row.hash} />
        {version === undefined || version.note === '' ? null : (
          <span className={`${classes.sub} ${classes.note}`}>{version.note}</span>
        )}
      </th>
      <td className={classes.whole}>
        <ToneText tone={toneOf(row.state)}>{name === null ? row.state : t(name)}</ToneText>
        {row.code === '' ? null : <span className={classes.sub}>{why === null ? row.code : t(why)}</span>}
      </td>
      <td className={`${classes.optional} ${classes.right} number`}>
        {row.finished_ms === null ? '–' : duration(row.finished_ms - row.created_ms)}
      </td>
      <td className={classes.optional}>{row.user}</td>
      <td className={classes.whole}>
        <div className={classes.actions}>
          <Button
            size="compact-sm"
            variant="subtle"
            onClick={() => show({ deployment: row.id })}
            data-testid="open-deployment"
          >
            {t('configuration:action.details')}
          </Button>
          {mayReturn ? (
            <Button
              {...guard}
              size="compact-sm"
              variant="subtle"
              onClick={() => show({ deploy: row.hash })}
              data-testid="return-to"
            >
              {t('configuration:action.return')}
            </Button>
          ) : null}
        </div>
      </td>
    </tr>
  );
}
