import { ActionIcon, Popover, Skeleton } from '@mantine/core';
import { IconColumns3 } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type DrawChoices from './ColumnChoices';
import type { Columns } from './useColumns';

/** Loaded when it is first opened. lazy() knows no type parameter. */
const ColumnChoices = lazy(() => import('./ColumnChoices')) as unknown as typeof DrawChoices;

/** A button that opens the choice of columns. */
export function ColumnMenu<Row>({ columns }: { columns: Columns<Row> }): ReactElement {
  const { t } = useTranslation();
  return (
    <Popover position="bottom-end" trapFocus withinPortal>
      <Popover.Target>
        <ActionIcon
          variant="default"
          size={32}
          aria-label={t('base:table.columns')}
          title={t('base:table.columns')}
          data-testid="table-columns"
        >
          <IconColumns3 size={17} stroke={1.6} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('base:table.columns')} p={8}>
        <Suspense fallback={<Skeleton h={180} w={210} />}>
          <ColumnChoices columns={columns} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
