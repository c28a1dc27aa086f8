import { Alert, Button, Group, Switch, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useTab } from '@/lib/tab';
import { countsQuery, KINDS } from '../api';
import type { AlarmCounts } from '../api';
import classes from '../events.module.css';
import { isGrouped, VIEWS } from '../views';
import type { View } from '../views';

/** Numbers of the tabs; '' for none. */
function countOf(view: View, counts: AlarmCounts | undefined): string {
  if (counts === undefined) return '';
  const suppressed = Object.values(counts.suppressions).reduce((sum, one) => sum + one, 0);
  const count = { active: counts.active, unhandled: counts.unhandled, quiet: suppressed, history: 0, report: 0 }[view];
  return count === 0 ? '' : ` (${count})`;
}

/** Tabs of the alarm centre with their numbers, and what is said of a flood. */
export function Views({ view }: { view: View }): ReactElement {
  const { t } = useTranslation();
  const { search, setSearch } = useTab();
  const { data: counts } = useQuery(countsQuery);
  const flood = counts?.flood ?? false;
  const isList = view === 'active' || view === 'unhandled' || view === 'history';
  return (
    <>
      <div className={classes.views}>
        <Tabs
          value={view}
          onChange={(next) =>
            setSearch({ view: next ?? undefined, page: undefined, state: undefined, kind: undefined }, 'push')
          }
          activateTabWithKeyboard={false}
        >
          <Tabs.List aria-label={t('events:title.alarms')}>
            {VIEWS.map((name) => (
              <Tabs.Tab key={name} value={name} data-testid={`view-${name}`}>
                {t(`events:view.${name}`)}
                {countOf(name, counts)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </Tabs>
        {isList ? (
          <Switch
            label={t('events:view.group')}
            checked={isGrouped(search, flood)}
            onChange={({ currentTarget }) => setSearch({ group: currentTarget.checked ? '1' : '0', page: undefined })}
            data-testid="alarm-group"
          />
        ) : null}
      </div>
      {view === 'active' ? <Quiet counts={counts} /> : null}
      {flood ? (
        <Alert color="orange" mb="sm" data-testid="alarm-flood">
          {t('events:view.flood', { count: counts?.new ?? 0 })}
        </Alert>
      ) : null}
    </>
  );
}

/** What is kept quiet, and so not in the list below: how much of each kind, which leads to it. */
function Quiet({ counts }: { counts: AlarmCounts | undefined }): ReactElement | null {
  const { t } = useTranslation();
  const { setSearch } = useTab();
  const kinds = KINDS.filter((kind) => (counts?.suppressions[kind] ?? 0) > 0);
  if (kinds.length === 0) return null;
  return (
    <Group gap="xs" mb="sm" data-testid="quiet-kinds">
      <Text size="sm" c="dimmed">
        {t('events:view.notListed')}
      </Text>
      {kinds.map((kind) => (
        <Button
          key={kind}
          variant="light"
          color="orange"
          size="compact-sm"
          radius="xl"
          onClick={() => setSearch({ view: 'quiet', kind, page: undefined, state: undefined }, 'push')}
          data-testid={`quiet-${kind}`}
        >
          {`${t(`base:suppress.kinds.${kind}`)} ${counts?.suppressions[kind] ?? 0}`}
        </Button>
      ))}
    </Group>
  );
}
