import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Filter } from '@/components/resource/filters';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Resource } from '@/components/resource/resource';
import { CONTACT_CHANNELS, DELIVERIES, isOpen, loadDeliveries, ROBOT_KINDS, STATES } from '../api';
import type { DeliveryRow } from '../api';
import { useDeliveryColumns } from './useDeliveryColumns';

const WAITING_MS = 3000;
const RESTING_MS = 30_000;

/** What was sent to whom, and why not. */
export function DeliveryLog(): ReactElement {
  const { t } = useTranslation();
  const columns = useDeliveryColumns();
  const filters = useMemo<readonly Filter[]>(
    () => [
      {
        kind: 'select',
        name: 'channel',
        label: t('contacts:field.channel'),
        options: [...CONTACT_CHANNELS, ...ROBOT_KINDS].map((value) => ({
          value,
          label: t(`base:delivery.channel.${value}`),
        })),
      },
      {
        kind: 'select',
        name: 'state',
        label: t('contacts:field.state'),
        options: STATES.map((value) => ({ value, label: t(`base:delivery.state.${value}`) })),
      },
    ],
    [t],
  );
  const resource = useMemo<Resource<DeliveryRow>>(() => {
    return {
      name: 'deliveries',
      title: t('contacts:tab.log'),
      queryKey: DELIVERIES,
      load: loadDeliveries,
      refetchMs: (rows) => (rows.some(isOpen) ? WAITING_MS : RESTING_MS),
      rowId: (row) => row.id,
      columns,
      filters,
      empty: { title: t('contacts:noDeliveries'), text: t('contacts:noDeliveriesText') },
    };
  }, [t, columns, filters]);
  return <ResourcePage resource={resource} />;
}
