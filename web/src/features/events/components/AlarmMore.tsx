import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KeptQuiet } from '@/blocks/alarms/KeptQuiet';
import { ScreenLink } from '@/components/ScreenLink';
import { targetKey } from '@/lib/reasons';
import { formatDateTime } from '@/lib/time';
import { acknowledge, detailQuery } from '../api';
import type { AlarmRow } from '../api';
import classes from '../events.module.css';
import { ruleSentence } from '../ruleSentence';
import { limitsOf, mayAcknowledge, mayShelve } from '../views';
import { AlarmNotified } from './AlarmNotified';
import { AlarmWrites } from './AlarmWrites';
import { Members } from './Members';
import { useShelve } from './useShelve';

/** uPlot is loaded when an alarm with a point is looked at. */
const AlarmTrend = lazy(async () => ({ default: (await import('@/blocks/history/AlarmTrend')).AlarmTrend }));

/** What can be done with an event beside handling it: acknowledge, shelve and take that back, look at what lies under it. */
export function AlarmActions({ row }: { row: AlarmRow }): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const { data } = useQuery(detailQuery(row.id));
  const [isOpen, setOpen] = useState(false);
  const [shelve, shelveDrawer] = useShelve();
  const ack = useMutation({
    mutationFn: () => acknowledge([row.id]),
    onSettled: () => void cache.invalidateQueries({ queryKey: ['event'] }),
  });
  const children = row.children ?? 0;
  return (
    <Group gap="xs">
      <KeptQuiet rows={data?.suppressions ?? []} />
      {mayAcknowledge(row) ? (
        <Button size="sm" loading={ack.isPending} onClick={() => ack.mutate()} data-testid="acknowledge">
          {t('events:ack.do')}
        </Button>
      ) : null}
      {mayShelve(row) ? (
        <Button variant="default" size="sm" onClick={() => shelve([row.id])} data-testid="shelve">
          {t('events:shelve.do')}
        </Button>
      ) : null}
      {children > 0 ? (
        <Button variant="default" size="sm" onClick={() => setOpen(true)} data-testid="alarm-children">
          {t('events:alarm.children', { count: children })}
        </Button>
      ) : null}
      {isOpen ? (
        <Members
          title={t('events:alarm.children', { count: children })}
          members={{ parent_event_id: row.id }}
          onClose={() => setOpen(false)}
        />
      ) : null}
      {shelveDrawer}
    </Group>
  );
}

/** What else there is of an event: its rule, its point around it, what happened to it. */
export function AlarmMore({ row }: { row: AlarmRow }): ReactElement {
  const { t } = useTranslation();
  const { data } = useQuery(detailQuery(row.id));
  const limit = ruleSentence(row.reason, t);
  const trigger = row.reason?.trigger_id;
  return (
    <section className={classes.more} data-testid="alarm-more">
      {limit === '' ? null : <Text size="sm">{limit}</Text>}
      {typeof trigger === 'number' ? (
        <Text size="sm">
          {t('events:alarm.trigger')}:{' '}
          <ScreenLink path="/alarm/trigger/editTrigger" search={{ id: trigger }} data-testid="alarm-trigger">
            {String(row.reason?.trigger ?? trigger)}
          </ScreenLink>
        </Text>
      ) : null}
      {targetKey(row.cause) === null ? null : (
        <Text size="sm">
          {t('events:alarm.target')}:{' '}
          <ScreenLink
            path="/deviceDetail/index"
            search={{ device_id: row.device_id, tab: 'forwarding', shown: row.title }}
            data-testid="alarm-target"
          >
            {row.title}
          </ScreenLink>
        </Text>
      )}
      <AlarmNotified row={row} />
      {row.dsid === null ? null : (
        <Suspense fallback={null}>
          <AlarmTrend
            deviceId={row.device_id}
            dsid={row.dsid}
            atMs={row.since_ms ?? row.at}
            {...limitsOf(row.reason)}
          />
        </Suspense>
      )}
      <AlarmWrites row={row} />
      {data === undefined || data.changes.length === 0 ? null : (
        <>
          <h3>{t('events:record.title')}</h3>
          <ol className={classes.record} data-testid="alarm-record">
            {data.changes.map(({ id, what, at_ms, user_name, note }) => (
              <li key={id} data-what={what}>
                <span className={`${classes.moment} number`}>{formatDateTime(at_ms)}</span> {t(`events:record.${what}`)}
                {user_name === '' ? '' : ` · ${user_name}`}
                {note === '' || note === 'rule_changed' ? '' : ` · ${note}`}
              </li>
            ))}
          </ol>
        </>
      )}
    </section>
  );
}
