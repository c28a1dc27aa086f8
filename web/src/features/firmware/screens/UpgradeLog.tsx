import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Filter } from '@/components/resource/filters';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Resource } from '@/components/resource/resource';
import { datedName } from '@/components/clipboard';
import { textOf } from '@/components/table/columns';
import { csvText } from '@/lib/csv';
import { loadAllLog, loadLog, UPGRADE_STATES, UPGRADES } from '../api';
import type { UpgradeRow } from '../api';
import { useUpgradeColumns } from '../components/useUpgradeColumns';

/** Every attempt to upgrade a gateway, newest first. */
export default function UpgradeLog(): ReactElement {
  const { t } = useTranslation();
  const columns = useUpgradeColumns('log');
  const filters = useMemo<readonly Filter[]>(
    () => [
      { kind: 'range', fallback: 'past30Days' },
      { kind: 'search', name: 'search', label: t('firmware:log.search') },
      { kind: 'search', name: 'plan_name', label: t('firmware:log.plan') },
      {
        kind: 'select',
        name: 'state',
        label: t('firmware:field.state'),
        options: UPGRADE_STATES.map((value) => ({ value, label: t(`firmware:part.${value}`) })),
      },
    ],
    [t],
  );
  const resource = useMemo<Resource<UpgradeRow>>(
    () => ({
      name: 'firmware-log',
      title: t('firmware:log.title'),
      queryKey: UPGRADES,
      load: loadLog,
      rowId: (row) => row.id,
      columns,
      filters,
      download: {
        name: datedName(t('firmware:log.title'), 'csv'),
        load: async (request) => {
          const rows = await loadAllLog(request);
          const lines = [
            columns.map(({ title }) => title),
            ...rows.map((row) => columns.map((each) => textOf(each, row))),
          ];
          return new Blob([`\ufeff${csvText(lines)}`], { type: 'text/csv;charset=utf-8' });
        },
      },
      empty: { title: t('firmware:log.none'), text: t('firmware:log.noneText') },
    }),
    [t, columns, filters],
  );
  return <ResourcePage resource={resource} />;
}
