import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ToneText } from '@/components/Tone';
import { useServerNow } from '@/components/useNow';
import { useMay } from '@/lib/session';
import { formatSince } from '@/lib/time';
import { endSuppression, refreshQuiet } from './api';
import type { SuppressionRow } from './api';
import classes from './quiet.module.css';

const STEP_MS = 10_000;

/** What keeps alarms quiet now: until when, who, why, and the way to end it; nothing when nothing does. */
export function KeptQuiet({ rows }: { rows: readonly SuppressionRow[] }): ReactElement | null {
  const { t } = useTranslation();
  const now = useServerNow(STEP_MS);
  const each = together(rows.filter(({ until_ms }) => until_ms > now));
  if (each.length === 0) return null;
  return (
    <>
      {each.map(([first, ids]) => (
        <div key={first.id} className={classes.quiet} data-testid="kept-quiet" data-kind={first.kind}>
          <ToneText tone="warn">
            {t('base:suppress.quietUntil', {
              kind: t(`base:suppress.kinds.${first.kind}`),
              until: formatSince(first.until_ms, now),
            })}
          </ToneText>{' '}
          {t('base:suppress.by', { user: first.user_name, reason: first.reason })}{' '}
          <EndQuiet kind={first.kind} ids={ids} />
        </div>
      ))}
    </>
  );
}

/** A rule over several gateways is shelved at each of them: one line, and one end. */
function together(rows: readonly SuppressionRow[]): readonly (readonly [SuppressionRow, number[]])[] {
  const groups = Map.groupBy(rows, ({ kind, rule_id, begin_ms, until_ms, device_id }) =>
    [kind, rule_id, begin_ms, until_ms, kind === 'maintenance' ? device_id : ''].join(),
  );
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [[first, group.map(({ id }) => id)] as const];
  });
}

/** Ends what keeps alarms quiet, for who may. */
export function EndQuiet({ kind, ids }: { kind: SuppressionRow['kind']; ids: readonly number[] }): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const mayKeep = useMay('Device/save');
  const maySee = useMay('Event');
  const isOff = !maySee || (kind === 'maintenance' && !mayKeep);
  const end = useMutation({
    mutationFn: () => Promise.all(ids.map(endSuppression)),
    onSettled: () => refreshQuiet(cache),
  });
  return (
    <Button
      variant="default"
      size="compact-sm"
      disabled={isOff}
      title={isOff ? t('base:perm.missing') : undefined}
      loading={end.isPending}
      onClick={(event) => {
        event.stopPropagation(); // the row that it stands in opens at a click
        end.mutate();
      }}
      data-testid="suppression-end"
    >
      {t('base:suppress.end')}
    </Button>
  );
}
