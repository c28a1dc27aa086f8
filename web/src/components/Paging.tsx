import { Group, Pagination, Select, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { PAGE_SIZES } from '@/lib/preferences';

interface Props {
  page: number;
  limit: number;
  total: number;
  onPage: (page: number) => void;
  onLimit: (limit: number) => void;
}

export function Paging({ page, limit, total, onPage, onLimit }: Props): ReactElement {
  const { t } = useTranslation();
  const pages = Math.max(1, Math.ceil(total / limit));
  const from = total === 0 ? 0 : (page - 1) * limit + 1;
  return (
    <Group component="nav" aria-label={t('base:paging.label')} justify="space-between" gap="sm" data-testid="paging">
      <Text size="sm" c="dimmed" className="number">
        {t('base:paging.range', { from, to: Math.min(total, page * limit), total })}
      </Text>
      <Group gap="sm">
        <Select
          aria-label={t('base:paging.size')}
          data={PAGE_SIZES.map((size) => ({ value: String(size), label: t('base:paging.sizeOption', { count: size }) }))}
          value={String(limit)}
          onChange={(value) => value !== null && onLimit(Number(value))}
          allowDeselect={false}
          size="sm"
          w={124}
        />
        <Pagination
          size="sm"
          value={page}
          total={pages}
          onChange={onPage}
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
