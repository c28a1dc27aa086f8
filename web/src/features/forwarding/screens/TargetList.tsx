import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Resource } from '@/components/resource/resource';
import type { Column } from '@/components/table/columns';
import { ToneText } from '@/components/Tone';
import { useScreenLink } from '@/lib/navigation';
import { loadTargets } from '../api';
import type { Condition, GatewayLedger } from '../api';
import { useTargetColumns } from '../components/useTargetColumns';
import { useTargetWords } from '../components/useTargetWords';
import classes from '../forwarding.module.css';

const CONDITIONS: readonly Condition[] = ['down', 'up', 'off'];

/** Targets of all gateways, those that are down first. */
export default function TargetList(): ReactElement {
  const { t } = useTranslation();
  const { kind, condition } = useTargetWords();
  const first = useMemo(
    (): readonly Column<GatewayLedger>[] => [
      {
        id: 'gateway',
        title: t('forwarding:column.gateway'),
        cell: (row) => <Gateway ledger={row} />,
        text: (row) => row.device_title,
        fixed: true,
        card: 'title',
      },
      {
        id: 'target',
        title: t('forwarding:column.target'),
        cell: (row) => (
          <span>
            {row.name}
            <span className={classes.sub}>{kind(row.kind)}</span>
          </span>
        ),
        text: (row) => row.name,
        card: 'fact',
      },
    ],
    [t, kind],
  );
  const columns = useTargetColumns(first);
  const resource = useMemo(
    (): Resource<GatewayLedger> => ({
      name: 'targets',
      title: t('forwarding:title'),
      queryKey: ['targets', 'all'],
      rowId: ({ device_id, name }) => `${device_id}/${name}`,
      load: ({ page, limit, filters }, signal) =>
        loadTargets(
          {
            condition: CONDITIONS.find((each) => each === filters.condition),
            search: filters.search,
            page,
            limit,
          },
          signal,
        ),
      columns,
      filters: [
        { kind: 'search', name: 'search', label: t('forwarding:search') },
        {
          kind: 'select',
          name: 'condition',
          label: t('forwarding:column.condition'),
          options: CONDITIONS.map((value) => ({ value, label: condition(value).text })),
        },
      ],
      empty: { title: t('forwarding:none'), text: t('forwarding:noneText') },
    }),
    [t, columns, condition],
  );
  return <ResourcePage resource={resource} />;
}

function Gateway({ ledger }: { ledger: GatewayLedger }): ReactElement {
  const { t } = useTranslation();
  const link = useScreenLink('/deviceDetail/index', { device_id: ledger.device_id, tab: 'forwarding' });
  return (
    <span>
      <a className={classes.title} {...link}>
        {ledger.device_title}
      </a>
      <span className={`${classes.sub} ${classes.mono}`}>{ledger.gateway_id}</span>
      {ledger.online ? null : <ToneText tone="off">{t('forwarding:offline')}</ToneText>}
    </span>
  );
}
