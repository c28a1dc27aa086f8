import { Group } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ProductFilter, StatusFilter } from '@/blocks/monitor/MonitorFilterFields';
import { filterQuery, monitorFilters } from '@/blocks/monitor/monitorFilters';
import { MonitorSwitch } from '@/blocks/monitor/MonitorSwitch';
import { Paging } from '@/components/Paging';
import { PermButton, PermissionGate } from '@/components/permission';
import { ProjectSelect } from '@/blocks/devices/ProjectSelect';
import { SearchBox } from '@/components/SearchBox';
import { TableState } from '@/components/table/TableState';
import { useListState } from '@/components/useListState';
import { useStepBack } from '@/components/usePages';
import { useGo } from '@/lib/navigation';
import { useSession } from '@/lib/session';
import { devicesQuery } from '../api';
import { DeviceCards, DeviceTable } from '../components/DeviceTable';
import { useLiveDevices } from '../components/useLiveDevices';
import classes from '../monitor.module.css';
import { nothingKey } from '../presence';

const FILTERS = ['search', 'status', 'project', 'product'];
const SKELETON_ROWS = 10;
const WIDTH = { base: '100%', sm: 190 };

export default function DeviceList(): ReactElement {
  const { t } = useTranslation();
  const list = useListState({ filters: FILTERS });
  const userType = useSession(({ user }) => user?.type ?? -1);
  const filters = monitorFilters(list.filters);
  const { search, status, project, product } = filters;
  const query = useQuery(devicesQuery({ page: list.page, limit: list.limit, ...filterQuery(filters) }));
  const phone = useMediaQuery('(max-width: 767px)', false, { getInitialValueInEffect: false });
  const rows = query.data?.rows ?? [];
  useLiveDevices(rows.map((row) => row.id));
  useStepBack(list, query);

  return (
    <section className={classes.panel} aria-busy={query.isFetching}>
      <div className={classes.bar}>
        <h1>{t('monitor:list.title')}</h1>
        <MonitorSwitch at="/monitor/device" filters={filters} />
        <StatusFilter compact={phone} value={status} onChange={(next) => list.setFilters({ status: next })} />
        <ProjectSelect
          value={project}
          onChange={(next) => list.setFilters({ project: next })}
          withNone
          w={WIDTH}
          testId="device-project"
        />
        <PermissionGate asks="Product">
          <ProductFilter
            value={product}
            onChange={(next) => list.setFilters({ product: next })}
            testId="device-product"
          />
        </PermissionGate>
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
      <PermButton
        mode="hide"
        asks="Device/save"
        variant="default"
        onClick={() => go('/device/deviceManage')}
        data-testid="to-device-centre"
      >
        {t('monitor:list.import')}
      </PermButton>
    </Group>
  );
}
