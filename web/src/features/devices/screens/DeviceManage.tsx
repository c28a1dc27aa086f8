import { Button, Select } from '@mantine/core';
import { IconPlus, IconScan } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { deviceImport } from '@/components/import/endpoints';
import { ExportButton } from '@/components/import/ExportButton';
import { ImportButton } from '@/components/import/ImportButton';
import { PermButton, usePerm } from '@/components/permission';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Filter } from '@/components/resource/filters';
import type { Resource } from '@/components/resource/resource';
import { useGo } from '@/lib/navigation';
import { usePhone } from '@/components/table/usePhone';
import { serverNow } from '@/lib/serverClock';
import { useTab } from '@/lib/tab';
import { deleteDevice, GATEWAY_TYPES, loadDevices, projectsQuery, PROTOCOLS, renewDevices, STATUSES, wanted } from '../api';
import type { DeviceRow } from '../api';
import { DeviceActions } from '../components/DeviceActions';
import type { Act } from '../components/DeviceActions';
import { Impact } from '../components/Impact';
import { ProjectPanel } from '../components/ProjectPanel';
import { useDeviceColumns } from '../components/useDeviceColumns';
import classes from '../devices.module.css';
import { titleOf } from '../draft';

const BatchDrawer = lazy(() => import('../components/BatchDrawer'));
const BindDialog = lazy(() => import('../components/BindDialog'));
const DeviceDrawer = lazy(() => import('../components/DeviceDrawer'));
const QrDialog = lazy(() => import('../components/QrDialog'));
const SharingDrawer = lazy(() => import('../components/SharingDrawer'));

interface Acting {
  act: Act;
  row: DeviceRow;
}

/** All gateways that the user sees: found, changed, shared, removed. */
export default function DeviceManage(): ReactElement {
  const { search, setSearch } = useTab();
  const [acting, setActing] = useState<Acting | null>(null);
  const [batch, setBatch] = useState<readonly number[]>([]);
  const [binding, setBinding] = useState(false);
  const close = (): void => setActing(null);
  const resource = useDevices(setActing, setBatch, setBinding);
  return (
    <div className={classes.halves}>
      <ProjectPanel value={search.project ?? ''} onChange={(project) => setSearch({ project, page: undefined })} />
      <ResourcePage resource={resource} />
      <Suspense fallback={null}>
        {acting?.act === 'edit' || acting?.act === 'copy' ? <DeviceDrawer id={acting.row.id} mode={acting.act} onClose={close} /> : null}
        {acting?.act === 'share' ? <SharingDrawer device={acting.row} onClose={close} /> : null}
        {acting?.act === 'qr' ? <QrDialog device={acting.row} onClose={close} /> : null}
        {batch.length === 0 ? null : <BatchDrawer ids={batch} onClose={() => setBatch([])} />}
        {binding ? <BindDialog onClose={() => setBinding(false)} /> : null}
      </Suspense>
    </div>
  );
}

function useDevices(onAct: (acting: Acting) => void, onBatch: (ids: readonly number[]) => void, onBind: (open: boolean) => void): Resource<DeviceRow> {
  const { t } = useTranslation();
  const columns = useDeviceColumns();
  const filters = useFilters();
  const may = usePerm('DeviceManage');
  const cache = useQueryClient();
  return useMemo(
    () => ({
      name: 'devices',
      title: t('devices:title.list'),
      queryKey: ['devices', 'manage'],
      load: loadDevices,
      rowId: (row) => row.id,
      columns,
      filters,
      tools: <Tools onBind={() => onBind(true)} />,
      onOpen: (row) => void (may && row.writes && onAct({ act: 'edit', row })),
      rowActions: (row) => <DeviceActions row={row} onAct={(act) => onAct({ act, row })} />,
      remove: {
        may: 'Device/save',
        what: (row) => titleOf(row),
        typed: (row) => row.gateway_id,
        impact: (row) => <Impact id={row.id} />,
        whyNot: (row) => (row.writes ? '' : t('base:why.shared_read_only')),
        call: async (row) => {
          await deleteDevice(row.id);
          renewDevices(cache);
        },
      },
      bulk: [{ id: 'edit', label: t('devices:batch.edit'), may: 'Device/save', opens: true, run: async (ids) => onBatch(ids.map(Number)) }],
      empty: { title: t('devices:nothing'), text: t('devices:nothingText') },
    }),
    [t, columns, filters, may, cache, onAct, onBatch, onBind],
  );
}

/** Lists that an import changes. */
const LISTS = [['devices'], ['device'], ['project']] as const;

function Tools({ onBind }: { onBind: () => void }): ReactElement {
  const { t } = useTranslation();
  const go = useGo();
  const { search } = useTab();
  return (
    <>
      <ImportButton asks="Device/save" title={t('base:import.title')} endpoints={deviceImport} changes={LISTS} />
      <ExportButton wanted={() => wanted(search, serverNow()) ?? {}} />
      <Button variant="default" leftSection={<IconScan size={16} />} onClick={onBind} data-testid="device-bind">
        {t('devices:bind.open')}
      </Button>
      <PermButton asks="Device/save" leftSection={<IconPlus size={16} />} onClick={() => go('/device/addDevice')} data-testid="device-add">
        {t('devices:add')}
      </PermButton>
    </>
  );
}

function useFilters(): readonly Filter[] {
  const { t } = useTranslation();
  return useMemo<readonly Filter[]>(() => {
    const named = (name: string, values: readonly string[]) => values.map((value) => ({ value, label: t(`devices:${name}.${value}`) }));
    return [
      { kind: 'search', name: 'search', label: t('devices:search') },
      { kind: 'own', name: 'project', render: (value, set) => <ProjectChoice value={value} set={set} /> },
      { kind: 'select', name: 'status', label: t('devices:field.status'), options: named('status', STATUSES) },
      { kind: 'select', name: 'protocol', label: t('devices:field.protocol'), options: named('protocol', PROTOCOLS) },
      { kind: 'select', name: 'type', label: t('devices:field.gateway_type'), options: named('gateway_type', GATEWAY_TYPES) },
      { kind: 'select', name: 'expiry', label: t('devices:field.expire'), options: ['expired', 'soon'].map((value) => ({ value, label: t(`devices:expiry.${value}`) })) },
      { kind: 'select', name: 'bound', label: t('devices:field.bound'), options: ['1', '0'].map((value) => ({ value, label: t(`devices:bound.${value}`) })) },
    ];
  }, [t]);
}

/** On a phone there is no tree beside the list. */
function ProjectChoice({ value, set }: { value: string; set: (value: string | undefined) => void }): ReactElement | null {
  const { t } = useTranslation();
  const phone = usePhone();
  const { data } = useQuery({ ...projectsQuery, enabled: phone });
  if (!phone) return null;
  const options = (data?.nodes ?? []).map(({ id, title }) => ({ value: String(id), label: title }));
  return (
    <Select
      aria-label={t('devices:field.project')}
      placeholder={t('devices:field.project')}
      data={[...options, { value: '0', label: t('devices:project.none') }]}
      value={value === '' ? null : value}
      onChange={(next) => set(next ?? undefined)}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t('base:table.clear') }}
      w="100%"
      data-testid="filter-project"
    />
  );
}
