import { Group, SegmentedControl, Select } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Paging } from '@/components/Paging';
import { PermButton } from '@/components/permission';
import { SearchBox } from '@/components/SearchBox';
import { TableState } from '@/components/table/TableState';
import { useListState } from '@/components/useListState';
import { useStepBack } from '@/components/usePages';
import { useGo } from '@/lib/navigation';
import { useSession } from '@/lib/session';
import { DEVICE_STATUSES, STATUS_PARTS } from '@/lib/statusCodes';
import { devicesQuery } from '../api';
import { DeviceCards, DeviceTable } from '../components/DeviceTable';
import { useLiveDevices } from '../components/useLiveDevices';
import classes from '../monitor.module.css';
import { isStatusFilter, nothingKey } from '../presence';

const FILTERS = ['search', 'status'];
const SKELETON_ROWS = 10;

export default function DeviceList(): ReactElement {
  const { t } = useTranslation();
  const list = useListState({ filters: FILTERS });
  const userType = useSession(({ user }) => user?.type ?? -1);
  const { search = '', status: asked = '' } = list.filters;
  const status = isStatusFilter(asked) ? asked : '';
  const query = useQuery(devicesQuery({ page: list.page, limit: list.limit, search, status }));
  const phone = useMediaQuery('(max-width: 767px)', false, { getInitialValueInEffect: false });
  const rows = query.data?.rows ?? [];
  useLiveDevices(rows.map((row) => row.id));
  useStepBack(list, query);

  return (
    <section className={classes.panel} aria-busy={query.isFetching}>
      <div className={classes.bar}>
        <h1>{t('monitor:list.title')}</h1>
        <StatusFilter phone={phone} value={status} onChange={(next) => list.setFilters({ status: next })} />
        <SearchBox
          label={t('monitor:list.search')}
          value={search}
          onChange={(next) => list.setFilters({ search: next })}
          testId="device-search"
        />
      </div>
      <div className={classes.refetching} data-on={query.isFetching && !query.isPending} />
      <TableState
        query={query}
        rows={rows.length}
        filtered={list.isFiltered}
        onClear={list.clear}
        empty={{ title: t('monitor:list.nothing'), text: t(nothingKey(userType)), action: <WaysIn /> }}
        skeletonRows={SKELETON_ROWS}
      >
        {phone ? <DeviceCards devices={rows} /> : <DeviceTable devices={rows} />}
      </TableState>
      <Paging pages={list} total={query.data?.total ?? 0} />
    </section>
  );
}

/** How the first gateway comes in, for who may add one. */
function WaysIn(): ReactElement {
  const { t } = useTranslation();
  const go = useGo();
  return (
    <Group justify="center" mt="xs">
      <PermButton mode="hide" asks="Device/save" onClick={() => go('/device/addDevice')} data-testid="device-add">
        {t('monitor:list.add')}
      </PermButton>
      <PermButton mode="hide" asks="Device/save" variant="default" onClick={() => go('/device/deviceManage')} data-testid="to-device-centre">
        {t('monitor:list.import')}
      </PermButton>
    </Group>
  );
}

interface FilterProps {
  /** Six words in a line are wider than a phone. */
  phone: boolean;
  value: string;
  onChange: (status: string | undefined) => void;
}

function StatusFilter({ phone, value, onChange }: FilterProps): ReactElement {
  const { t } = useTranslation();
  const data = [
    { value: '', label: t('monitor:status.all') },
    ...DEVICE_STATUSES.map((status) => ({ value: status, label: t(`base:code.device.${status}`) })),
    // Offered only to who came with it: in the row of buttons there is no room for more.
    ...STATUS_PARTS.filter((part) => part === value).map((part) => ({ value: part, label: t(`monitor:status.${part}`) })),
  ];
  const shared = { data, value, 'aria-label': t('monitor:list.statusFilter'), 'data-testid': 'status-filter' };
  if (phone) return <Select {...shared} allowDeselect={false} onChange={(status) => onChange(status || undefined)} />;
  return <SegmentedControl {...shared} size="xs" onChange={(status) => onChange(status || undefined)} />;
}
