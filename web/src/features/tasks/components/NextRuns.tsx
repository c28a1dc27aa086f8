import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '@/components/notices';
import { useDebounced, SEARCH_DEBOUNCE_MS } from '@/lib/useDebounced';
import { previewQuery } from '../api';
import { previewOf } from '../draft';
import type { Draft } from '../draft';

/** The next runs of what was entered, as the cloud computes them, on the clocks of the task's zone. */
export function NextRuns({ draft }: { draft: Draft }): ReactElement {
  const { t, i18n } = useTranslation();
  const typed = JSON.stringify(previewOf(draft));
  const wanted = useDebounced(typed, SEARCH_DEBOUNCE_MS);
  const query = useMemo(() => JSON.parse(wanted) as ReturnType<typeof previewOf>, [wanted]);
  const { data = [], error, isFetching } = useQuery(previewQuery(query));
  const zone = query?.zone ?? 'UTC';
  const format = useMemo(() => formatOf(i18n.language, zone), [i18n.language, zone]);
  const isOld = isFetching || typed !== wanted;
  return (
    <div role="status" aria-label={t('tasks:nextRuns')} data-testid="task-preview" aria-busy={isOld}>
      <Text size="sm" fw={500}>
        {t('tasks:nextRuns')}
      </Text>
      {query === null ? (
        <Text size="xs" c="dimmed">
          {t('tasks:previewMissing')}
        </Text>
      ) : error !== null ? (
        <Text size="xs" c="red">
          {errorText(error) || t('base:error.failed')}
        </Text>
      ) : (
        <Text size="xs" className="number" style={{ opacity: isOld ? 0.5 : 1, whiteSpace: 'pre-line' }}>
          {data.length === 0 && !isOld ? t('tasks:noMore') : data.map((ms) => format.format(ms)).join('\n')}
        </Text>
      )}
    </div>
  );
}

/** The browser may know fewer zones than the cloud: then times are in UTC, which the words say. */
function formatOf(language: string, timeZone: string): Intl.DateTimeFormat {
  const shape = {
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
  } as const;
  try {
    return new Intl.DateTimeFormat(language, { ...shape, timeZone });
  } catch {
    return new Intl.DateTimeFormat(language, { ...shape, timeZone: 'UTC' });
  }
}
