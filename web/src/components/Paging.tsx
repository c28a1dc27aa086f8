import { Group, Pagination, Select, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { PAGE_SIZES } from '@/lib/preferences';
import classes from './page.module.css';
import type { Pages } from './usePages';

interface Props {
  pages: Pages;
  /** Rows of the whole list. */
  total: number;
  /** Of a second list on the page: a name of its own. */
  label?: string;
}

/** The foot of a list: what of it is shown, and the ways to the rest. Nothing for an empty list. */
export function Paging({ pages: { page, limit, setPage, setLimit }, total, label }: Props): ReactElement | null {
  const { t } = useTranslation();
  if (total === 0) return null;
  const from = (page - 1) * limit + 1;
  return (
    <Group
      component="nav"
      className={classes.foot}
      aria-label={label ?? t('base:paging.label')}
      justify="space-between"
      gap="sm"
      data-testid="paging"
    >
      <Text size="sm" c="dimmed" className="number">
        {t('base:paging.range', { from, to: Math.min(total, page * limit), total })}
      </Text>
      <Group gap="sm">
        <Select
          aria-label={t('base:paging.size')}
          data={PAGE_SIZES.map((size) => ({
            value: String(size),
            label: t('base:paging.sizeOption', { count: size }),
          }))}
          value={String(limit)}
          onChange={(value) => value !== null && setLimit(Number(value))}
          allowDeselect={false}
          size="sm"
          w={124}
        />
        <Pagination
          size="sm"
          value={page}
          total={Math.ceil(total / limit)}
          onChange={setPage}
          siblings={1}
          getItemProps={(number) => ({ 'aria-label': t('base:paging.page', { page: number }) })}
          getControlProps={(control) => ({
            'aria-label': control === 'previous' ? t('base:paging.previous') : t('base:paging.next'),
          })}
        />
      </Group>
    </Group>
  );
}
