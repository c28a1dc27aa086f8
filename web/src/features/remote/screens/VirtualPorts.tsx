import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Filter } from '@/components/resource/filters';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Resource } from '@/components/resource/resource';
import { ALL_PORT_SESSIONS, loadPortSessions } from '../api';
import type { GatewayPortSession } from '../api';
import { GatewayChoice } from '../components/GatewayChoice';
import { usePortSessionColumns } from '../components/usePortSessionColumns';

/** Who has, or had, which port of which gateway; a gateway's own page lends another one. */
export default function VirtualPorts(): ReactElement {
  const { t } = useTranslation();
  const columns = usePortSessionColumns();
  const filters = useMemo<readonly Filter[]>(
    () => [
      { kind: 'search', name: 'search', label: t('remote:list.search') },
      {
        kind: 'segments',
        name: 'living',
        label: t('remote:list.state'),
        options: [
          { value: 'true', label: t('remote:list.living') },
          { value: 'false', label: t('remote:list.ended') },
        ],
      },
    ],
    [t],
  );
  const resource = useMemo<Resource<GatewayPortSession>>(
    () => ({
      name: 'leases',
      title: t('remote:list.title'),
      queryKey: ALL_PORT_SESSIONS,
      load: loadPortSessions,
      rowId: (row) => row.lease,
      columns,
      filters,
      tools: <GatewayChoice />,
      empty: { title: t('remote:list.none'), text: t('remote:list.noneText') },
    }),
    [t, columns, filters],
  );
  return <ResourcePage resource={resource} />;
}
