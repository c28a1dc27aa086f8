import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import * as sdk from '@/api/generated/sdk.gen';
import type {
  ActiveProblem as Problem,
  ActiveProblems as Problems,
  AlarmRow,
  CompletenessFigure,
  DeviceRow,
  KeyValues,
  LinkAge,
  MonitorPoint,
  OnOfflineEvent,
  Overview,
  Places,
  PlatformFigures,
  StateCounts,
  Trend,
} from '@/api/generated/types.gen';
import { call } from '@/api/http';
import type { AlarmLevel } from '@/lib/alarmTypes';

export type {
  AlarmRow,
  CompletenessFigure,
  DeviceRow,
  KeyValues,
  LinkAge,
  MonitorPoint,
  OnOfflineEvent,
  Overview,
  Places,
  PlatformFigures,
  Problem,
  Problems,
  StateCounts,
  Trend,
};

export const OVERVIEW = ['overview'] as const;
/** What is pushed is asked for again at once; this brings the rest: ages, completeness, trends. */
const REFETCH_MS = 60_000;
/** While completeness is being counted. */
const COUNTING_MS = 3_000;
/** While nothing is pushed. */
const POLL_WITHOUT_LINK_MS = 10_000;

/** The platform's own alarm levels. */
export const levelsQuery = queryOptions({
  queryKey: ['option', 'alarm_levels'],
  queryFn: async ({ signal }): Promise<readonly AlarmLevel[]> => {
    const option = await call(sdk.getOption({ query: { name: 'alarm_levels' }, signal }));
    return option.name === 'alarm_levels' ? (option.value ?? []) : [];
  },
});

export function overviewQuery(isLive: boolean) {
  return queryOptions({
    queryKey: OVERVIEW,
    queryFn: ({ signal }): Promise<Overview> => call(sdk.getOverview({ signal })),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.counting ? COUNTING_MS : isLive ? REFETCH_MS : POLL_WITHOUT_LINK_MS),
    meta: { errorInPlace: true },
  });
}
