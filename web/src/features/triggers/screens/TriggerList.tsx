import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { CommandLogButton } from '@/blocks/commands/CommandLogButton';
import type { Filter } from '@/components/resource/filters';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Resource } from '@/components/resource/resource';
import { useFresh } from '@/components/useFresh';
import { onAlarm } from '@/lib/live';
import { useGo } from '@/lib/navigation';
import { createTrigger, deleteTrigger, enableTrigger, loadTriggers, ORIGINS, TRIGGERS } from '../api';
import type { TriggerRow } from '../api';
import { RestRule } from '../components/RestRule';
import { useTriggerColumns } from '../components/useTriggerColumns';
import { bodyOf, draftOf } from '../draft';
import { editorOf } from '../origin';

const rowActions = (row: TriggerRow): ReactElement => (
  <>
    <CommandLogButton kind="trigger" id={row.id} title={row.title} gateways={row.presets} />
    <RestRule row={row} />
  </>
);

/** Triggers, what each is at, and switching them on and off. */
export default function TriggerList(): ReactElement {
  const { t } = useTranslation();
  const go = useGo();
  const columns = useTriggerColumns();
  useFresh(onAlarm, TRIGGERS);
  const filters = useMemo<readonly Filter[]>(
    () => [
      { kind: 'search', name: 'search', label: t('triggers:search') },
      {
        kind: 'select',
        name: 'origin',
        label: t('triggers:field.origin'),
        options: ORIGINS.map((value) => ({ value, label: t(`triggers:origin.${value}`) })),
      },
    ],
    [t],
  );
  const resource = useMemo<Resource<TriggerRow>>(
    () => ({
      name: 'triggers',
      title: t('triggers:title.list'),
      queryKey: TRIGGERS,
      load: loadTriggers,
      rowId: (row) => row.id,
      columns,
      filters,
      rowActions,
      onOpen: (row) => {
        const { path, search } = editorOf(row);
        go(path, search);
      },
      tools: (
        <Button
          leftSection={<IconPlus size={16} stroke={1.6} />}
          onClick={() => go('/alarm/trigger/addTrigger')}
          data-testid="add-trigger"
        >
          {t('triggers:title.add')}
        </Button>
      ),
      bulk: [true, false].map((enabled) => ({
        id: enabled ? 'enable' : 'disable',
        label: t(enabled ? 'triggers:enable' : 'triggers:disable'),
        run: (ids) => Promise.all(ids.map((id) => enableTrigger(Number(id), enabled))),
      })),
      remove: {
        what: (row) => row.title,
        whyNot: (row) => (row.origin === null ? '' : t('triggers:changedAtPoint')),
        call: (row) => deleteTrigger(row.id),
        impact: (row) => t('triggers:impact', { count: row.rule_count }),
        undo: (row) => createTrigger(anew(row)),
      },
      empty: { title: t('triggers:none'), text: t('triggers:noneText') },
    }),
    [t, columns, filters, go],
  );
  return <ResourcePage resource={resource} />;
}

/** As it was, with rules that get new numbers. */
function anew(row: TriggerRow): ReturnType<typeof bodyOf> {
  const draft = draftOf(row);
  return bodyOf({ ...draft, rules: draft.rules.map((rule) => ({ ...rule, id: null })) });
}
