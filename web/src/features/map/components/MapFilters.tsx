import { Button } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ProductFilter, StatusFilter } from '@/blocks/monitor/MonitorFilterFields';
import type { MonitorFilters } from '@/blocks/monitor/monitorFilters';
import { PermissionGate } from '@/components/permission';
import { ProjectSelect } from '@/blocks/devices/ProjectSelect';
import { SearchBox } from '@/components/SearchBox';
import { usePhone } from '@/components/table/usePhone';
import classes from '../map.module.css';

const WIDTH = { base: '100%', sm: 190 };

interface Props {
  chosen: MonitorFilters;
  onChange: (change: Partial<Record<keyof MonitorFilters, string | undefined>>) => void;
}

/** Which devices the map shows: by state, project, product and words. */
export function MapFilters({ chosen, onChange }: Props): ReactElement {
  const { t } = useTranslation();
  const phone = usePhone();
  const [open, setOpen] = useState(false);
  const words = (
    <SearchBox
      label={t('map:filter.search')}
      value={chosen.search}
      onChange={(search) => onChange({ search })}
      testId="map-search"
      w={phone ? '100%' : undefined}
    />
  );
  const others = (
    <>
      <StatusFilter
        compact={phone}
        value={chosen.status}
        onChange={(status) => onChange({ status })}
        testId="map-status"
      />
      <PermissionGate asks="Monitor.DeviceMonitor">
        <ProjectSelect
          value={chosen.project}
          onChange={(project) => onChange({ project })}
          withNone
          w={WIDTH}
          testId="map-project"
        />
      </PermissionGate>
      <PermissionGate asks="Product">
        <ProductFilter value={chosen.product} onChange={(product) => onChange({ product })} testId="map-product" />
      </PermissionGate>
    </>
  );
  if (!phone) {
    return (
      <>
        {others}
        {words}
      </>
    );
  }
  const count = [chosen.status, chosen.project, chosen.product].filter((value) => value !== '').length;
  return (
    <>
      <div className={classes.phoneLine}>
        {words}
        <Button
          variant={count === 0 ? 'default' : 'light'}
          leftSection={<IconFilter size={16} stroke={1.6} />}
          onClick={() => setOpen(!open)}
          aria-expanded={open}
          data-testid="map-filters-open"
        >
          {count === 0 ? t('base:table.filter') : t('base:table.filtersSet', { count })}
        </Button>
      </div>
      {open ? others : null}
    </>
  );
}
