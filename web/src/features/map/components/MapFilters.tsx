import { Button, SegmentedControl } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { FilterSelect } from '@/components/FilterSelect';
import { PermissionGate } from '@/components/permission';
import { ProjectSelect } from '@/components/ProjectSelect';
import { SearchBox } from '@/components/SearchBox';
import { usePhone } from '@/components/table/usePhone';
import { DEVICE_STATUSES } from '@/lib/statusCodes';
import { productsQuery } from '../api';
import classes from '../map.module.css';

const WIDTH = { base: '100%', sm: 190 };

export interface Chosen {
  search: string;
  status: string;
  project_id: string;
  product_id: string;
}

interface Props {
  chosen: Chosen;
  onChange: (change: Partial<Record<keyof Chosen, string | undefined>>) => void;
}

/** Which devices the map shows: by state, project, product and words. */
export function MapFilters({ chosen, onChange }: Props): ReactElement {
  const { t } = useTranslation();
  const phone = usePhone();
  const [open, setOpen] = useState(false);
  const words = <SearchBox label={t('map:filter.search')} value={chosen.search} onChange={(search) => onChange({ search })} testId="map-search" w={phone ? '100%' : undefined} />;
  const others = (
    <>
      <SegmentedControl
        size="xs"
        data={[{ value: '', label: t('map:filter.all') }, ...DEVICE_STATUSES.map((value) => ({ value, label: t(`base:code.device.${value}`) }))]}
        value={chosen.status}
        onChange={(next) => onChange({ status: next || undefined })}
        aria-label={t('map:filter.status')}
        data-testid="map-status"
      />
      <PermissionGate asks="Monitor.DeviceMonitor">
        <ProjectSelect value={chosen.project_id} onChange={(project_id) => onChange({ project_id })} w={WIDTH} testId="map-project" />
      </PermissionGate>
      <PermissionGate asks="Product">
        <ProductSelect value={chosen.product_id} onChange={(product_id) => onChange({ product_id })} />
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
  const count = [chosen.status, chosen.project_id, chosen.product_id].filter((value) => value !== '').length;
  return (
    <>
      <div className={classes.phoneLine}>
        {words}
        <Button variant={count === 0 ? 'default' : 'light'} leftSection={<IconFilter size={16} stroke={1.6} />} onClick={() => setOpen(!open)} aria-expanded={open} data-testid="map-filters-open">
          {count === 0 ? t('base:table.filter') : t('base:table.filtersSet', { count })}
        </Button>
      </div>
      {open ? others : null}
    </>
  );
}

/** Only drawn when there are products to choose from. */
function ProductSelect({ value, onChange }: { value: string; onChange: (value: string | undefined) => void }): ReactElement | null {
  const { t } = useTranslation();
  const { data } = useQuery(productsQuery);
  const rows = data?.map(({ id, name }) => ({ value: String(id), label: name }));
  return (
    <FilterSelect
      value={value}
      onChange={onChange}
      rows={rows}
      label={t('map:filter.product')}
      placeholder={t('map:filter.allProducts')}
      w={WIDTH}
      testId="map-product"
    />
  );
}
