import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import { IconBellPause } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { endSuppression, refreshQuiet } from '@/blocks/alarms/api';
import type { SuppressDrawer as DrawSuppress } from '@/blocks/alarms/SuppressDrawer';
import { showUndo } from '@/components/undo';
import { suppressRule } from '../api';
import type { TriggerRow } from '../api';

/** lazy() knows no type parameter. */
const SuppressDrawer = lazy(async () => ({
  default: (await import('@/blocks/alarms/SuppressDrawer')).SuppressDrawer,
})) as unknown as typeof DrawSuppress;

const KINDS = ['shelved', 'out_of_service'] as const;

type Rule = TriggerRow['rules'][number];

/** Keep the alarms of one rule quiet at all its gateways for a time; a toast takes it back. */
export function RestRule({ row }: { row: TriggerRow }): ReactElement {
  const { t } = useTranslation();
  const [rule, setRule] = useState<Rule | null>(null);
  const label = t('triggers:rest.of', { title: row.title });
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <Tooltip label={t('triggers:rest.do')}>
            <ActionIcon variant="subtle" color="gray" aria-label={label} data-testid="rest-rule">
              <IconBellPause size={16} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
        </Menu.Target>
        <Menu.Dropdown data-testid="rest-rules">
          <Menu.Label>{t('triggers:rest.which')}</Menu.Label>
          {row.rules.map((each) => (
            <Menu.Item key={each.id} onClick={() => setRule(each)} data-testid="rest-rule-choice">
              {each.title}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {rule === null ? null : <RestDrawer trigger={row.id} rule={rule} onClose={() => setRule(null)} />}
    </>
  );
}

function RestDrawer(props: { trigger: number; rule: Rule; onClose: () => void }): ReactElement {
  const { trigger, rule, onClose } = props;
  const { t } = useTranslation();
  const cache = useQueryClient();
  const refresh = (): void => refreshQuiet(cache);
  return (
    <Suspense fallback={null}>
      <SuppressDrawer
        title={t('triggers:rest.title', { title: rule.title })}
        kinds={KINDS}
        save={(kind, seconds, reason) =>
          suppressRule(trigger, rule.id ?? 0, kind === 'out_of_service' ? kind : 'shelved', seconds, reason)
        }
        onSaved={(made) => {
          onClose();
          refresh();
          const undo = async (): Promise<void> => {
            await Promise.all(made.map(endSuppression));
            refresh();
          };
          showUndo(t('triggers:rest.done', { title: rule.title }), undo, t('base:undo.done'));
        }}
        onClose={onClose}
      />
    </Suspense>
  );
}
