import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { PageSkeleton } from '@/components/PageSkeleton';
import { PermissionGate } from '@/components/permission';
import { Trouble } from '@/components/Trouble';
import { useCut } from '@/blocks/live/useCut';
import { formatClock } from '@/lib/time';
import type { Overview as Answer } from '../api';
import { CompletenessCard, CountingCard } from '../components/CompletenessCard';
import { EventList } from '../components/EventList';
import { Favourites } from '../components/Favourites';
import { FirstSteps } from '../components/FirstSteps';
import { KeyValues } from '../components/KeyValues';
import { LinkCard } from '../components/LinkCard';
import { PlacesCard } from '../components/PlacesCard';
import { PlatformCard } from '../components/PlatformCard';
import { ProblemList } from '../components/ProblemList';
import { States } from '../components/States';
import { TargetsDown } from '../components/TargetsDown';
import { WaysIn } from '../components/WaysIn';
import classes from '../overview.module.css';
import { useOverview } from '../useOverview';

const SKELETON_ROWS = 8;

/** What somebody who signs in has to know first. */
export default function Overview(): ReactElement {
  const { t } = useTranslation();
  const isCut = useCut();
  const { data, error, refetch, isFetching } = useOverview();
  const isOld = isCut || error !== null;
  return (
    <div className={classes.page} aria-busy={isFetching}>
      <div className={classes.top}>
        <h1>{t('overview:title')}</h1>
        {data === undefined ? null : (
          <span className={classes.asOf} data-cut={isOld || undefined} data-testid="overview-as-of">
            {t(isCut ? 'overview:asOfCut' : isOld ? 'overview:asOfFailed' : 'overview:asOf', {
              time: formatClock(data.server_ms),
            })}
          </span>
        )}
        <PermissionGate asks="Monitor.DeviceMonitor">
          <WaysIn />
        </PermissionGate>
      </div>
      {data === undefined ? (
        error === null ? (
          <PageSkeleton rows={SKELETON_ROWS} />
        ) : (
          <Trouble error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <Parts data={data} isOld={isOld} />
      )}
    </div>
  );
}

/** Every part that the user may see; on a phone the problems come first. */
function Parts({ data, isOld }: { data: Answer; isOld: boolean }): ReactElement {
  const { t } = useTranslation();
  const {
    states = null,
    problems = null,
    values = null,
    completeness = null,
    link = null,
    favourites = null,
    places = null,
    platform = null,
  } = data;
  const isNew = states !== null && states.total === 0;
  return (
    <div className={classes.grid} data-cut={isOld || undefined}>
      {states === null ? <p className={classes.note}>{t('overview:noDevices')}</p> : null}
      {isNew ? <FirstSteps /> : null}
      {states === null || isNew ? null : <States states={states} />}
      {isNew ? null : <TargetsDown count={data.targets_down ?? 0} />}
      {problems === null || isNew ? null : (
        <ProblemList
          problems={problems}
          suppressions={data.suppressions}
          countedMs={completeness?.as_of_ms ?? null}
          isOld={isOld}
          isCounting={data.counting}
        />
      )}
      {completeness === null || isNew ? null : <CompletenessCard figure={completeness} />}
      {data.counting && !isNew ? <CountingCard /> : null}
      {link === null || isNew ? null : <LinkCard link={link} />}
      {values === null || isNew ? null : <KeyValues values={values} />}
      {isNew ? null : <EventList events={data.events} />}
      {favourites === null || isNew ? null : <Favourites rows={favourites} />}
      {places === null || isNew ? null : <PlacesCard places={places} />}
      {platform === null ? null : <PlatformCard figures={platform} />}
    </div>
  );
}
