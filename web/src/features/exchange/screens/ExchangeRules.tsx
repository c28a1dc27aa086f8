import { lazy, useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { CommandLogButton } from '@/blocks/commands/CommandLogButton';
import type { ApiForm } from '@/components/form/useApiForm';
import type { Filter } from '@/components/resource/filters';
import { ResourcePage } from '@/components/resource/ResourcePage';
import type { Resource } from '@/components/resource/resource';
import { all } from '@/lib/screens';
import { changeRule, createRule, deleteRule, loadRules, RULES } from '../api';
import type { ExchangeRow } from '../api';
import { useRuleColumns } from '../components/useRuleColumns';
import { bodyOf, draftOf, EMPTY } from '../draft';
import type { Draft } from '../draft';

const RuleFields = lazy(() => import('../components/RuleFields'));

/** Who saves a rule writes by it. */
const MAY = all('DataExchange', 'Device/cmd');

const rowActions = (row: ExchangeRow): ReactElement => (
  <CommandLogButton kind="exchange" id={row.id} title={row.title} gateways={[row.target]} />
);

const ruleFields = (form: ApiForm<Draft>): ReactElement => <RuleFields form={form} />;

/** Rules that pass a point's values on to another point. */
export default function ExchangeRules(): ReactElement {
  const { t } = useTranslation();
  const columns = useRuleColumns();
  const filters = useMemo<readonly Filter[]>(
    () => [{ kind: 'search', name: 'search', label: t('exchange:search') }],
    [t],
  );
  const resource = useMemo<Resource<ExchangeRow, Draft>>(() => {
    const needed = (value: unknown): string | null => (value === null || value === '' ? t('exchange:needed') : null);
    return {
      name: 'exchange',
      title: t('exchange:title'),
      queryKey: RULES,
      load: loadRules,
      rowId: (row) => row.id,
      columns,
      filters,
      rowActions,
      form: {
        empty: EMPTY,
        of: draftOf,
        words: { create: t('exchange:add'), edit: t('exchange:edit') },
        mayCreate: MAY,
        mayUpdate: MAY,
        fields: ruleFields,
        validate: {
          title: (title) => needed(title.trim()),
          source_device: needed,
          target_device: needed,
          source_dsid: needed,
          target_dsid: needed,
          ratio: needed,
          bias: needed,
          every_s: needed,
        },
        create: (draft) => createRule(bodyOf(draft)),
        update: (row, draft) => changeRule(row.id, bodyOf(draft)),
      },
      remove: {
        may: MAY,
        what: (row) => row.title,
        call: (row) => deleteRule(row.id),
        undo: (row) => createRule(bodyOf(draftOf(row))),
      },
      empty: { title: t('exchange:none'), text: t('exchange:noneText') },
    };
  }, [t, columns, filters]);
  return <ResourcePage resource={resource} />;
}
