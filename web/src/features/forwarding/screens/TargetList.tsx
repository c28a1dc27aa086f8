import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Resource } from '@/components/resource/resource';
import { loadTargets } from '../api';
import type { Condition, GatewayTargetRow } from '../api';
import { useTargetColumns } from '../components/useTargetColumns';
import { useTargetWords } from '../components/useTargetWords';

const CONDITIONS: readonly Condition[] = ['trouble', 'down', 'connected', 'up', 'off'];

/** Targets of all gateways, those that are down first. */
export default function TargetList(): ReactElement {
  const { t } = useTranslation();
  const { condition } = useTargetWords();
  const columns = useTargetColumns();
  const resource = useMemo(
    (): Resource<GatewayTargetRow> => ({
      name: 'targets',
      title: t('forwarding:title'),
      queryKey: ['targets', 'all'],
      rowId: ({ device_id, name }) => `${device_id}/${name}`,
      load: ({ page, limit, filters }, signal) =>
        loadTargets(
          {
            condition: CONDITIONS.find((each) => each === filters.condition),
            search: filters.search,
            page,
            limit,
          },
          signal,
        ),
      columns,
      filters: [
        { kind: 'search', name: 'search', label: t('forwarding:search') },
        {
          kind: 'select',
          name: 'condition',
          label: t('forwarding:column.condition'),
          options: CONDITIONS.map((value) => ({ value, label: condition(value).text })),
        },
      ],
      empty: { title: t('forwarding:none'), text: t('forwarding:noneText') },
    }),
    [t, columns, condition],
  );
  return <ResourcePage resource={resource} />;
}
