import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { PagedTable } from '@/components/table/PagedTable';
import { ScreenLink } from '@/components/ScreenLink';
import { usePages, useStepBack } from '@/components/usePages';
import { useTab } from '@/lib/tab';
import { historyQuery } from '../api';
import type { UpgradeRow } from '../api';
import { useUpgradeColumns } from '../components/useUpgradeColumns';

const rowId = (row: UpgradeRow): number => row.id;

/** Upgrades of the gateway whose page this is. */
export default function UpgradesTab(): ReactElement {
  const { t } = useTranslation();
  const { search } = useTab();
  const pages = usePages();
  const columns = useUpgradeColumns('gateway');
  const query = useQuery(historyQuery(Number(search.device_id), pages.page, pages.limit));
  useStepBack(pages, query);
  return (
    <>
      <Text size="sm" px={16} py={10}>
        <ScreenLink path="/ota/log">{t('firmware:log.all')}</ScreenLink>
      </Text>
      <PagedTable
        name="gateway-upgrades"
        label={t('firmware:tab.upgrades')}
        columns={columns}
        rowId={rowId}
        pages={pages}
        query={query}
        empty={{ title: t('firmware:log.none'), text: t('firmware:log.noneOfGateway') }}
      />
    </>
  );
}
