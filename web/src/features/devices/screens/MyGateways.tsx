import { Badge, Button } from '@mantine/core';
import { IconScan } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { showSuccess } from '@/components/notices';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Filter } from '@/components/resource/filters';
import type { Resource } from '@/components/resource/resource';
import type { Column } from '@/components/table/columns';
import { useConfirm } from '@/components/useConfirm';
import { DEVICE_STATUSES } from '@/lib/statusCodes';
import { leaveDevice, loadDevices, renewDevices } from '../api';
import type { DeviceRow } from '../api';
import { OwnActions } from '../components/OwnActions';
import type { OwnAct } from '../components/OwnActions';
import { useDeviceColumns } from '../components/useDeviceColumns';
import { deviceTitle } from '@/lib/deviceTitle';
import { partOf } from '../draft';

const BindDialog = lazy(() => import('../components/BindDialog'));
const DeviceDrawer = lazy(() => import('../components/DeviceDrawer'));
const QrDialog = lazy(() => import('../components/QrDialog'));
const SharingDrawer = lazy(() => import('../components/SharingDrawer'));

const VISIBLE = new Set(['device_title', 'status', 'slaves', 'last']);

interface Acting {
  act: OwnAct;
  row: DeviceRow;
}

/** What a personal user owns or visits: bound by a code, set up, shared, left. */
export default function MyGateways(): ReactElement {
  const [acting, setActing] = useState<Acting | null>(null);
  const [isBinding, setBinding] = useState(false);
  const [ask, dialog] = useConfirm();
  const resource = useOwnGateways(setActing, setBinding, ask);
  const close = (): void => setActing(null);
  return (
    <>
      <ResourcePage resource={resource} />
      <Suspense fallback={null}>
        {acting?.act === 'edit' ? <DeviceDrawer id={acting.row.id} mode="edit" onClose={close} /> : null}
        {acting?.act === 'share' ? <SharingDrawer device={acting.row} onClose={close} /> : null}
        {acting?.act === 'qr' ? <QrDialog device={acting.row} onClose={close} /> : null}
        {isBinding ? <BindDialog onClose={() => setBinding(false)} /> : null}
      </Suspense>
      {dialog}
    </>
  );
}

/** The list with all that can be done to it. */
function useOwnGateways(
  onAct: (acting: Acting) => void,
  onBind: (open: boolean) => void,
  ask: ReturnType<typeof useConfirm>[0],
): Resource<DeviceRow> {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const columns = useOwnColumns();
  const filters = useMemo<readonly Filter[]>(
    () => [
      { kind: 'search', name: 'search', label: t('devices:search') },
      {
        kind: 'select',
        name: 'status',
        label: t('devices:field.status'),
        options: DEVICE_STATUSES.map((value) => ({ value, label: t(`base:code.device.${value}`) })),
      },
    ],
    [t],
  );
  return useMemo<Resource<DeviceRow>>(() => {
    const leave = async (row: DeviceRow): Promise<void> => {
      const title = t('devices:mine.leave', { title: deviceTitle(row) });
      if (
        !(await ask({
          title,
          text: t(`devices:mine.leaveText.${row.role === 'owner' ? 'owner' : 'visitor'}`),
          confirm: t('devices:mine.leaveDo'),
          danger: true,
        }))
      )
        return;
      await leaveDevice(row.id);
      renewDevices(cache);
      showSuccess(t('devices:mine.left', { title: deviceTitle(row) }));
    };
    return {
      name: 'my-gateways',
      title: t('devices:title.mine'),
      queryKey: ['devices', 'mine'],
      load: loadDevices,
      rowId: (row) => row.id,
      columns,
      filters,
      tools: (
        <Button leftSection={<IconScan size={16} />} onClick={() => onBind(true)} data-testid="device-bind">
          {t('devices:bind.open')}
        </Button>
      ),
      rowActions: (row) => <OwnActions row={row} onAct={(act) => onAct({ act, row })} onLeave={() => leave(row)} />,
      empty: { title: t('devices:nothing'), text: t('devices:mine.nothingText') },
    };
  }, [t, ask, cache, columns, filters, onAct, onBind]);
}

/** The columns that say something to who has a few gateways, and his part in each. */
function useOwnColumns(): readonly Column<DeviceRow>[] {
  const { t } = useTranslation();
  const every = useDeviceColumns();
  return useMemo(() => {
    const part = (row: DeviceRow): string => t(`devices:mine.part.${partOf(row)}`);
    const own: Column<DeviceRow> = {
      id: 'part',
      title: t('devices:mine.yourPart'),
      text: part,
      card: 'fact',
      width: 150,
      cell: (row) => (
        <Badge variant={row.role === 'owner' ? 'light' : 'default'} data-testid="my-part">
          {part(row)}
        </Badge>
      ),
    };
    const visibleColumns = every.filter(({ id }) => VISIBLE.has(id)).map((column) => ({ ...column, hidden: false }));
    return [...visibleColumns.slice(0, 2), own, ...visibleColumns.slice(2)];
  }, [t, every]);
}
