import { Button, Select } from '@mantine/core';
import { IconPlus, IconScan } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { deviceImport, importInto } from '@/blocks/import/endpoints';
import { ExportButton } from '@/blocks/import/ExportButton';
import { ImportButton } from '@/blocks/import/ImportButton';
import { PermButton, usePerm } from '@/components/permission';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Filter } from '@/components/resource/filters';
import type { Resource } from '@/components/resource/resource';
import { AddressColumnsContext, columnIds } from '@/components/table/addressColumns';
import { ACTIONS } from '@/components/table/columns';
import type { Column } from '@/components/table/columns';
import { useColumns } from '@/components/table/useColumns';
import { usePhone } from '@/components/table/usePhone';
import { choicesOf, viewOf } from '@/blocks/views/viewStore';
import { SavedViews } from '@/blocks/views/SavedViews';
import { deviceTitle } from '@/lib/deviceTitle';
import { useGo } from '@/lib/navigation';
import { serverNow } from '@/lib/serverClock';
import { DEVICE_STATUSES } from '@/lib/statusCodes';
import { useTab } from '@/lib/tab';
import { deleteDevice, GATEWAY_TYPES, loadDevices, projectsQuery, PROTOCOLS, renewDevices, wanted } from '../api';
import type { DeviceRow } from '../api';
import { DeviceActions } from '../components/DeviceActions';
import type { Act } from '../components/DeviceActions';
import { useDeviceColumns } from '../components/useDeviceColumns';
import classes from '../devices.module.css';

const ApplyToDevices = lazy(() => import('@/blocks/templates/ApplyToDevices'));
const BatchDrawer = lazy(() => import('../components/BatchDrawer'));
const BindDialog = lazy(() => import('../components/BindDialog'));
const ImportDialog = lazy(() => import('@/blocks/import/ImportDialog'));
const RenewSecret = lazy(() => import('@/blocks/secret/RenewSecret'));
const DeviceDrawer = lazy(() => import('../components/DeviceDrawer'));
const Impact = lazy(() => import('../components/Impact'));
const ProjectPanel = lazy(() => import('../components/ProjectPanel'));
const QrDialog = lazy(() => import('../components/QrDialog'));
const SharingDrawer = lazy(() => import('../components/SharingDrawer'));

interface Acting {
  act: Act;
  row: DeviceRow;
}

/** All gateways that the user sees: found, changed, shared, removed. */
export default function DeviceManage(): ReactElement {
  const { t } = useTranslation();
  const { search, setSearch } = useTab();
  const setter = useRef(setSearch);
  useEffect(() => {
    setter.current = setSearch;
  });
  const address = useMemo(
    () => ({
      ids: columnIds(search.columns),
      set: (ids: readonly string[] | null) => setter.current({ columns: ids?.join(',') }),
    }),
    [search.columns],
  );
  const [acting, setActing] = useState<Acting | null>(null);
  const [batch, setBatch] = useState<readonly number[]>([]);
  const [templating, setTemplating] = useState<readonly number[]>([]);
  const [binding, setBinding] = useState(false);
  const close = (): void => setActing(null);
  const resource = useDevices(setActing, setBatch, setTemplating, setBinding);
  return (
    <div className={classes.halves}>
      <Suspense fallback={<div className={classes.tree} />}>
        <ProjectPanel value={search.project ?? ''} onChange={(project) => setSearch({ project, page: undefined })} />
      </Suspense>
      <AddressColumnsContext value={address}>
        <ResourcePage resource={resource} />
      </AddressColumnsContext>
      <Suspense fallback={null}>
        {acting?.act === 'edit' || acting?.act === 'copy' ? (
          <DeviceDrawer id={acting.row.id} mode={acting.act} onClose={close} />
        ) : null}
        {acting?.act === 'share' ? <SharingDrawer device={acting.row} onClose={close} /> : null}
        {acting?.act === 'renew' ? <RenewSecret device={acting.row} onClose={close} /> : null}
        {acting?.act === 'import' ? (
          <ImportDialog
            title={t('base:import.single', { title: deviceTitle(acting.row) })}
            endpoints={importInto(acting.row.id)}
            changes={LISTS}
            onClose={close}
          />
        ) : null}
        {acting?.act === 'qr' ? <QrDialog device={acting.row} onClose={close} /> : null}
        {batch.length === 0 ? null : <BatchDrawer ids={batch} onClose={() => setBatch([])} />}
        {templating.length === 0 ? null : <ApplyToDevices ids={templating} onClose={() => setTemplating([])} />}
        {binding ? <BindDialog onClose={() => setBinding(false)} /> : null}
      </Suspense>
    </div>
  );
}

type OnIds = (ids: readonly number[]) => void;

function useDevices(
  onAct: (acting: Acting) => void,
  onBatch: OnIds,
  onTemplate: OnIds,
  onBind: (open: boolean) => void,
): Resource<DeviceRow> {
  const { t } = useTranslation();
  const columns = useDeviceColumns();
  const filters = useFilters();
  const may = usePerm('DeviceManage');
  const cache = useQueryClient();
  return useMemo(
    () => ({
      name: 'devices',
      title: t('devices:title.list'),
      queryKey: MANAGED,
      load: loadDevices,
      rowId: (row) => row.id,
      columns,
      filters,
      tools: <Tools columns={columns} onBind={() => onBind(true)} />,
      onOpen: (row) => void (may && row.writes && onAct({ act: 'edit', row })),
      rowActions: (row) => <DeviceActions row={row} onAct={(act) => onAct({ act, row })} />,
      remove: {
        may: 'Device/save',
        what: (row) => deviceTitle(row),
        typed: (row) => row.gateway_id,
        impact: (row) => (
          <Suspense>
            <Impact id={row.id} />
          </Suspense>
        ),
        whyNot: (row) => (row.writes ? '' : t('base:why.shared_read_only')),
        call: async (row) => {
          await deleteDevice(row.id);
          renewDevices(cache);
        },
      },
      bulk: [
        {
          id: 'edit',
          label: t('devices:batch.edit'),
          may: 'Device/save',
          opens: true,
          run: async (ids) => onBatch(ids.map(Number)),
        },
        {
          id: 'template',
          label: t('devices:batch.template'),
          may: 'DeviceTemplate',
          opens: true,
          run: async (ids) => onTemplate(ids.map(Number)),
        },
      ],
      empty: { title: t('devices:nothing'), text: t('devices:nothingText') },
    }),
    [t, columns, filters, may, cache, onAct, onBatch, onTemplate, onBind],
  );
}

/** Pages of the list. */
const MANAGED = ['devices', 'manage'] as const;

/** What a view keeps of the address. */
const VIEW_PARAMS = ['search', 'project', 'status', 'protocol', 'type', 'expiry', 'bound', 'sort', 'columns'] as const;

/** Lists that an import changes. */
const LISTS = [['devices'], ['device'], ['project']] as const;

function Tools({ columns, onBind }: { columns: readonly Column<DeviceRow>[]; onBind: () => void }): ReactElement {
  const { t } = useTranslation();
  const go = useGo();
  const { search, setSearch } = useTab();
  const { visible } = useColumns('devices', columns);
  const phone = usePhone();
  const cache = useQueryClient();
  const listed = (): number | undefined =>
    cache.getQueriesData<{ total: number }>({ queryKey: MANAGED, type: 'active' }).at(-1)?.[1]?.total;
  const [open, setOpen] = useState(false);
  const now = viewOf(
    { ...search, columns: search.columns ?? [...visible.map(({ id }) => id), ACTIONS].join(',') },
    VIEW_PARAMS,
  );
  const add = (
    <PermButton
      asks="Device/save"
      leftSection={<IconPlus size={16} />}
      onClick={() => go('/device/addDevice')}
      data-testid="device-add"
    >
      {t('devices:add')}
    </PermButton>
  );
  const others = (
    <>
      <SavedViews
        name="device_views"
        now={now}
        path="/device/deviceManage"
        onChoose={(query) => setSearch({ ...choicesOf(query, VIEW_PARAMS), page: undefined }, 'push')}
        testId="device-view"
      />
      <ImportButton asks="Device/save" title={t('base:import.title')} endpoints={deviceImport} changes={LISTS} />
      <ExportButton wanted={() => wanted(search, serverNow()) ?? {}} count={listed} />
      <Button variant="default" leftSection={<IconScan size={16} />} onClick={onBind} data-testid="device-bind">
        {t('devices:bind.open')}
      </Button>
    </>
  );
  // They stay mounted when the width changes: a dialog of theirs may be open.
  return (
    <>
      {phone ? add : null}
      {phone ? (
        <Button variant="default" onClick={() => setOpen(!open)} aria-expanded={open} data-testid="device-tools">
          {t('devices:tools')}
        </Button>
      ) : null}
      <div className={phone ? classes.tools : classes.inBar} hidden={phone && !open}>
        {others}
      </div>
      {phone ? null : add}
    </>
  );
}

function useFilters(): readonly Filter[] {
  const { t } = useTranslation();
  return useMemo<readonly Filter[]>(() => {
    const named = (name: string, values: readonly string[]) =>
      values.map((value) => ({ value, label: t(`devices:${name}.${value}`) }));
    return [
      { kind: 'search', name: 'search', label: t('devices:search') },
      { kind: 'own', name: 'project', render: (value, set) => <ProjectChoice value={value} set={set} /> },
      {
        kind: 'select',
        name: 'status',
        label: t('devices:field.status'),
        options: DEVICE_STATUSES.map((value) => ({ value, label: t(`base:code.device.${value}`) })),
      },
      { kind: 'select', name: 'protocol', label: t('devices:field.protocol'), options: named('protocol', PROTOCOLS) },
      { kind: 'select', name: 'type', label: t('devices:filterType'), options: named('gateway_type', GATEWAY_TYPES) },
      {
        kind: 'select',
        name: 'expiry',
        label: t('devices:field.expire'),
        options: ['expired', 'soon'].map((value) => ({ value, label: t(`devices:expiry.${value}`) })),
      },
      {
        kind: 'select',
        name: 'bound',
        label: t('devices:field.bound'),
        options: ['1', '0'].map((value) => ({ value, label: t(`devices:bound.${value}`) })),
      },
    ];
  }, [t]);
}

/** On a phone there is no tree beside the list. */
function ProjectChoice({
  value,
  set,
}: {
  value: string;
  set: (value: string | undefined) => void;
}): ReactElement | null {
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
