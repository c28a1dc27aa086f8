import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { SUPPRESSIONS } from '@/blocks/alarms/api';
import { EndQuiet } from '@/blocks/alarms/KeptQuiet';
import type { Filter } from '@/components/resource/filters';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Resource } from '@/components/resource/resource';
import type { Column } from '@/components/table/columns';
import { formatDateTime } from '@/lib/time';
import { KINDS, loadSuppressions } from '../api';
import type { SuppressionRow } from '../api';
import { DeviceFilter } from './DeviceFilter';
import { DeviceLink } from './DeviceLink';

const rowActions = ({ kind, id }: SuppressionRow): ReactElement => <EndQuiet kind={kind} ids={[id]} />;

/** What is shelved, in maintenance or out of service: who, why, until when; and the way to end it. */
export function Suppressions(): ReactElement {
  const { t } = useTranslation();
  const columns = useMemo(() => columnsOf(t), [t]);
  const resource = useMemo<Resource<SuppressionRow>>(() => {
    const filters: readonly Filter[] = [
      {
        kind: 'select',
        name: 'kind',
        label: t('base:suppress.kind'),
        options: KINDS.map((value) => ({ value, label: t(`base:suppress.kinds.${value}`) })),
      },
      { kind: 'own', name: 'device', render: (value, set) => <DeviceFilter value={value} onChange={set} /> },
    ];
    return {
      name: 'suppressions',
      title: t('events:view.quiet'),
      queryKey: SUPPRESSIONS,
      load: loadSuppressions,
      rowId: ({ id }) => id,
      columns,
      filters,
      rowActions,
      empty: { title: t('events:shelve.none'), text: t('events:shelve.noneText') },
    };
  }, [t, columns]);
  return <ResourcePage resource={resource} />;
}

function columnsOf(t: (key: string) => string): readonly Column<SuppressionRow>[] {
  const plain = (
    id: string,
    text: (row: SuppressionRow) => string,
    more: Partial<Column<SuppressionRow>> = {},
  ): Column<SuppressionRow> => ({ id, title: t(`events:quiet.${id}`), cell: text, text, ...more });
  const device = ({ device_title, gateway_id }: SuppressionRow): string => device_title || gateway_id;
  const title = ({ kind, title: named }: SuppressionRow): string =>
    named || t(kind === 'maintenance' ? 'events:quiet.everything' : 'events:quiet.outage');
  return [
    plain('kind', ({ kind }) => t(`base:suppress.kinds.${kind}`), { card: 'mark' }),
    plain('device', device, {
      cell: (row) => <DeviceLink id={row.device_id} title={device(row)} />,
      fixed: true,
      card: 'title',
    }),
    plain('title', title, { card: 'fact' }),
    plain('reason', ({ reason }) => reason, { card: 'fact' }),
    plain('user', ({ user_name }) => user_name),
    plain('begin', ({ begin_ms }) => formatDateTime(begin_ms)),
    plain('until', ({ until_ms }) => formatDateTime(until_ms), { card: 'fact' }),
    plain('alarms', ({ alarms }) => String(alarms ?? 0)),
  ];
}
