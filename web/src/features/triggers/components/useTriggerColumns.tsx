import { Badge, Switch } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { KeptQuiet } from '@/blocks/alarms/KeptQuiet';
import page from '@/components/page.module.css';
import { ScreenLink } from '@/components/ScreenLink';
import type { Column } from '@/components/table/columns';
import { ToneText } from '@/components/Tone';
import { formatDateTime } from '@/lib/time';
import { enableTrigger, TRIGGERS } from '../api';
import type { TriggerRow } from '../api';
import { editorOf } from '../origin';

const MAX_SUBJECTS = 3;

export function useTriggerColumns(): readonly Column<TriggerRow>[] {
  const { t } = useTranslation();
  return useMemo(() => {
    const type = (row: TriggerRow): string =>
      row.type === 2 ? t('triggers:everyS', { count: row.interval_s }) : t('triggers:eachValue');
    const state = (row: TriggerRow): string => {
      if (!row.enabled) return t('triggers:state.off');
      if (row.problem !== '' && row.problem !== 'may_loop') return t(`triggers:problem.${row.problem}`);
      const raised = raisedSince(row);
      const said =
        raised === null ? t('triggers:state.normal') : t('triggers:state.raised', { at: formatDateTime(raised) });
      return row.problem === '' ? said : `${said} · ${t(`triggers:problem.${row.problem}`)}`;
    };
    return [
      {
        id: 'title',
        title: t('triggers:field.title'),
        fixed: true,
        card: 'title',
        cell: (row) => (
          <>
            <ScreenLink {...editorOf(row)} className={page.title}>
              {row.title}
            </ScreenLink>
            {row.origin === null ? null : <span className={page.sub}>{t('triggers:ofPoint')}</span>}
          </>
        ),
        text: (row) => row.title,
      },
      {
        id: 'subjects',
        title: t('triggers:field.subjects'),
        card: 'fact',
        cell: (row) => <Subjects row={row} />,
        text: (row) => row.subjects.map(({ ds_title, slave_title }) => ds_title || slave_title).join(', '),
      },
      { id: 'type', title: t('triggers:field.type'), cell: type, text: type },
      {
        id: 'rules',
        title: t('triggers:field.ruleCount'),
        cell: (row) => <span className="number">{row.rule_count}</span>,
        text: (row) => String(row.rule_count),
      },
      {
        id: 'home',
        title: t('triggers:field.home'),
        cell: (row) => <Homes row={row} />,
        text: (row) =>
          homesOf(row)
            .map((home) => t(`triggers:home.${home}`))
            .join(', '),
      },
      {
        id: 'state',
        title: t('triggers:field.state'),
        card: 'mark',
        cell: (row) => (
          <>
            <ToneText tone={toneOf(row)}>{state(row)}</ToneText>
            <KeptQuiet rows={row.suppressions} />
          </>
        ),
        text: (row) =>
          [state(row), ...row.suppressions.map(({ kind }) => t(`base:suppress.kinds.${kind}`))].join(' · '),
      },
      {
        id: 'changed',
        title: t('triggers:field.changed'),
        cell: (row) => (
          <>
            <span>{formatDateTime(row.changed_ms)}</span>
            <span className={page.sub}>{row.user_name}</span>
          </>
        ),
        text: (row) => `${formatDateTime(row.changed_ms)} ${row.user_name}`,
      },
      {
        id: 'enabled',
        title: t('triggers:field.enabled'),
        cell: (row) => (row.origin === null ? <Enabled row={row} /> : t('triggers:state.on')),
        text: (row) => t(row.enabled ? 'triggers:state.on' : 'triggers:state.off'),
      },
    ];
  }, [t]);
}

/** When the first of its alarms that last was raised; null for none. */
function raisedSince({ rules }: TriggerRow): number | null {
  const times = rules.flatMap(({ state }) => (state?.raised_ms == null ? [] : [state.raised_ms]));
  return times.length === 0 ? null : Math.min(...times);
}

function toneOf(row: TriggerRow): 'off' | 'bad' | 'warn' | 'ok' {
  if (!row.enabled) return 'off';
  if (row.problem !== '' && row.problem !== 'may_loop') return 'warn';
  if (raisedSince(row) !== null) return 'bad';
  return row.problem === '' ? 'ok' : 'warn';
}

/** Where its rules are evaluated, each place once. */
function homesOf({ rules }: TriggerRow): TriggerRow['rules'][number]['home'][] {
  return [...new Set(rules.map(({ home }) => home))];
}

function Homes({ row }: { row: TriggerRow }): ReactElement {
  const { t } = useTranslation();
  return (
    <>
      {homesOf(row).map((home) => (
        <Badge
          key={home}
          variant="light"
          size="sm"
          color={home === 'gateway' ? 'teal' : 'gray'}
          data-testid="trigger-home"
        >
          {t(`triggers:home.${home}`)}
        </Badge>
      ))}
    </>
  );
}

function Subjects({ row }: { row: TriggerRow }): ReactElement {
  const { t } = useTranslation();
  const shown = row.subjects.slice(0, MAX_SUBJECTS);
  const more = row.subjects.length - shown.length;
  return (
    <>
      {shown.map(({ device_id, device_title, slave_title, dsid, ds_title }) => (
        <span key={`${device_id} ${dsid ?? slave_title}`} className={page.sub}>
          {[device_title, slave_title, ds_title].filter(Boolean).join(' · ')}
        </span>
      ))}
      {more > 0 ? <span className={page.sub}>{t('triggers:more', { count: more })}</span> : null}
    </>
  );
}

function Enabled({ row }: { row: TriggerRow }): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: (enabled: boolean) => enableTrigger(row.id, enabled),
    onSettled: () => cache.invalidateQueries({ queryKey: TRIGGERS }),
  });
  return (
    <Switch
      checked={row.enabled}
      disabled={isPending}
      onChange={({ currentTarget: { checked } }) => mutate(checked)}
      aria-label={t('triggers:enabledOf', { title: row.title })}
      data-testid="trigger-enabled"
    />
  );
}
