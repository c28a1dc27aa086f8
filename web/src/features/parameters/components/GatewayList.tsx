import { useCallback, useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ProjectSelect } from '@/blocks/devices/ProjectSelect';
import { usePerm } from '@/components/permission';
import type { Filter } from '@/components/resource/filters';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Resource } from '@/components/resource/resource';
import { useGo } from '@/lib/navigation';
import { all } from '@/lib/screens';
import { DEVICE_STATUSES } from '@/lib/statusCodes';
import { GATEWAYS, loadGateways } from '../api';
import type { GatewayRow } from '../api';
import { useGatewayColumns } from './useGatewayColumns';

const FIRMWARE = all('OtaManager', 'ota.Firmware');

/** Gateways that can be set up from here: what each runs, and what was done to it last. */
export function GatewayList(): ReactElement {
  const { t } = useTranslation();
  const go = useGo();
  const firmware = usePerm(FIRMWARE);
  const columns = useGatewayColumns(firmware);
  const onOpen = useCallback((row: GatewayRow) => go('/ota/device', { gateway: row.id }), [go]);
  const filters = useMemo<readonly Filter[]>(
    () => [
      { kind: 'search', name: 'search', label: t('parameters:search') },
      {
        kind: 'select',
        name: 'status',
        label: t('parameters:column.status'),
        options: DEVICE_STATUSES.map((value) => ({ value, label: t(`base:code.device.${value}`) })),
      },
      {
        kind: 'own',
        name: 'project',
        render: (value, set) => <ProjectSelect value={value} onChange={set} withNone testId="filter-project" />,
      },
    ],
    [t],
  );
  const resource = useMemo<Resource<GatewayRow>>(
    () => ({
      name: 'ota-gateways',
      title: t('parameters:title'),
      queryKey: GATEWAYS,
      load: (request, signal) => loadGateways(request, signal, firmware),
      rowId: (row) => row.id,
      columns,
      filters,
      onOpen,
      empty: { title: t('parameters:none'), text: t('parameters:noneText') },
    }),
    [t, firmware, columns, filters, onOpen],
  );
  return <ResourcePage resource={resource} />;
}
