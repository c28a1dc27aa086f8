import { Button, Group, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/components/Empty';
import { useApiForm } from '@/components/form/useApiForm';
import { showSuccess } from '@/components/notices';
import { PageSkeleton } from '@/components/PageSkeleton';
import { Trouble } from '@/components/Trouble';
import { parseColour } from '@/lib/colour';
import { alarmLevelsQuery, levelUsesQuery, putAlarmLevels } from '../api';
import { idFault, MAX_LEVELS, nextLevelId } from '../levels';
import classes from '../platform.module.css';
import { LevelRow } from './LevelRow';
import type { LevelsDraft } from './LevelRow';
import { useMaySet } from './useMaySet';

const NEW = { title: '', color: '#e8590c' };

/** Levels of alarms that the platform adds to the built-in ones. */
export function AlarmLevels(): ReactElement {
  const { data, error, refetch } = useQuery({ ...alarmLevelsQuery, refetchOnWindowFocus: false });
  if (error !== null) return <Trouble error={error} onRetry={() => void refetch()} />;
  return data === undefined ? (
    <PageSkeleton />
  ) : (
    <Levels key={JSON.stringify(data)} draft={{ levels: data.map((level, key) => ({ ...level, key })) }} />
  );
}

function Levels({ draft }: { draft: LevelsDraft }): ReactElement {
  const { t } = useTranslation();
  const may = useMaySet();
  const cache = useQueryClient();
  const kept = useMemo(() => draft.levels.map(({ id }) => id), [draft]);
  const { data: used = [] } = useQuery(levelUsesQuery(kept));
  const form = useApiForm<LevelsDraft>({
    values: draft,
    validate: {
      levels: {
        id: (_id, values, path) => {
          const fault = idFault(values.levels, Number(path.split('.')[1]));
          return fault === null ? null : t(`platform:levels.fault.${fault}`);
        },
        title: (title) => (title.trim() === '' ? t('platform:levels.fault.title') : null),
        color: (color) => (parseColour(color) === null ? t('platform:levels.fault.color') : null),
      },
    },
    save: ({ levels }) => putAlarmLevels(levels.map(({ id, title, color }) => ({ id, title: title.trim(), color }))),
    onSaved: () => {
      void cache.invalidateQueries({ queryKey: alarmLevelsQuery.queryKey });
      form.fields.resetDirty();
      showSuccess(t('base:form.done.edit'));
    },
  });
  const { fields } = form;
  const { levels } = fields.getValues();
  const add = (): void =>
    fields.insertListItem('levels', {
      ...NEW,
      id: nextLevelId(levels),
      key: 1 + Math.max(draft.levels.length, ...levels.map(({ key }) => key)),
    });
  return (
    <form onSubmit={form.submit} noValidate data-testid="levels-form">
      <p className={classes.lead}>{t('platform:levels.lead')}</p>
      {levels.length === 0 ? <Empty title={t('platform:levels.none')} text={t('platform:levels.noneText')} /> : null}
      <ul className={classes.levels} aria-label={t('platform:setting.levels')}>
        {levels.map((level, at) => (
          <LevelRow
            key={level.key}
            form={form}
            at={at}
            level={level}
            uses={used.find((each) => each.level === kept[level.key])}
            disabled={!may}
          />
        ))}
      </ul>
      <div role="alert">
        {form.failure === '' ? null : (
          <Text size="sm" c="red">
            {form.failure}
          </Text>
        )}
      </div>
      <Group mt="md">
        <Button
          variant="default"
          leftSection={<IconPlus size={16} />}
          disabled={!may || levels.length >= MAX_LEVELS}
          onClick={add}
          data-testid="level-add"
        >
          {t('platform:levels.add')}
        </Button>
        <Button type="submit" loading={form.isSaving} disabled={!may || !fields.isDirty()} data-testid="levels-save">
          {t('base:form.save')}
        </Button>
      </Group>
    </form>
  );
}
