import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import type { ReactElement } from 'react';
import { PageSkeleton } from '@/components/PageSkeleton';
import { onAlarm } from '@/lib/live';
import { useTab } from '@/lib/tab';
import { countsQuery, EVENTS } from '../api';
import { LinkedAlarm } from '../components/LinkedAlarm';
import { useFresh } from '@/components/useFresh';
import { Views } from '../components/Views';
import { isGrouped, viewOf } from '../views';

/** Each view is loaded when it is first looked at. */
const AlarmList = lazy(async () => ({ default: (await import('../components/AlarmList')).AlarmList }));
const AlarmGroups = lazy(async () => ({ default: (await import('../components/AlarmGroups')).AlarmGroups }));
const Report = lazy(async () => ({ default: (await import('../components/Report')).Report }));
const Suppressions = lazy(async () => ({ default: (await import('../components/Suppressions')).Suppressions }));

/** The alarm centre: what is active, unhandled or past, what is kept quiet, and the report; new events appear by themselves. */
export default function AlarmLog(): ReactElement {
  const { search } = useTab();
  const { data: counts } = useQuery(countsQuery);
  useFresh(onAlarm, EVENTS);
  const view = viewOf(search);
  return (
    <>
      <Views view={view} />
      <LinkedAlarm />
      <Suspense fallback={<PageSkeleton />}>
        {view === 'report' ? (
          <Report />
        ) : view === 'quiet' ? (
          <Suppressions />
        ) : isGrouped(search, counts?.flood ?? false) ? (
          <AlarmGroups key={view} view={view} />
        ) : (
          <AlarmList key={view} view={view} />
        )}
      </Suspense>
    </>
  );
}
