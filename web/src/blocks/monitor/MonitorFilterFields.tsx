import { SegmentedControl, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import * as sdk from '@/api/generated/sdk.gen';
import { call } from '@/api/http';
import { DEVICE_STATUSES, OFFLINE_PARTS, STATUS_PARTS } from '@/lib/statusCodes';
import { FilterSelect } from '@/components/FilterSelect';

const WIDTH = { base: '100%', sm: 190 };
/** So many can be chosen from in a filter. */
const MAX_PRODUCTS = 100;

interface Props {
  value: string;
  onChange: (value: string | undefined) => void;
  /** In a list to open rather than a line of buttons. */
  compact?: boolean;
  testId?: string;
}

/** Filter by status; the parts of the offline ones stand behind "Offline" once it is chosen. */
export function StatusFilter({ value, onChange, compact = false, testId = 'status-filter' }: Props): ReactElement {
  const { t } = useTranslation();
  const isOffline = value === 'offline' || OFFLINE_PARTS.some((part) => part === value);
  const data = [
    { value: '', label: t('base:monitor.all') },
    ...DEVICE_STATUSES.map((status) => ({ value: status, label: t(`base:code.device.${status}`) })),
    ...STATUS_PARTS.filter((part) => compact || part === value || (isOffline && part !== 'asleep')).map((part) => ({
      value: part,
      label: t(`base:monitor.${part}`),
    })),
  ];
  const shared = { data, value, 'aria-label': t('base:monitor.status'), 'data-testid': testId };
  if (compact)
    return <Select {...shared} allowDeselect={false} w={WIDTH} onChange={(status) => onChange(status || undefined)} />;
  return <SegmentedControl {...shared} size="xs" onChange={(status) => onChange(status || undefined)} />;
}

/** Filter by product; not drawn when there is none. */
export function ProductFilter({ value, onChange, testId }: Omit<Props, 'compact'>): ReactElement | null {
  const { t } = useTranslation();
  const { data } = useQuery({
    queryKey: ['product', 'choices'],
    queryFn: async ({ signal }) =>
      (await call(sdk.listProducts({ query: { page: 1, limit: MAX_PRODUCTS }, signal }))).rows,
    staleTime: 60_000,
    meta: { errorInPlace: true },
  });
  const rows = data?.map(({ id, name }) => ({ value: String(id), label: name }));
  return (
    <FilterSelect
      value={value}
      onChange={onChange}
      rows={rows}
      label={t('base:monitor.product')}
      placeholder={t('base:monitor.allProducts')}
      w={WIDTH}
      testId={testId}
    />
  );
}
