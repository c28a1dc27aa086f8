import { Stack, Switch } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { AsyncPicker } from '@/components/AsyncPicker';
import type { Choice } from '@/components/AsyncPicker';
import type { ImportEndpoints } from './endpoints';

interface Props {
  removes: boolean;
  onRemoves: (removes: boolean) => void;
  project: Choice | null;
  onProject: (project: Choice | null) => void;
  load: NonNullable<ImportEndpoints['projects']>;
}

/** Whether gateways that the file does not name go, and of which project. Nothing goes before its number is confirmed. */
export function RemovalChoice({ removes, onRemoves, project, onProject, load }: Props): ReactElement {
  const { t } = useTranslation();
  return (
    <Stack gap="xs">
      <Switch
        checked={removes}
        onChange={(event) => onRemoves(event.currentTarget.checked)}
        label={t('base:import.removal.remove')}
        description={t('base:import.removal.removeText')}
        color="red"
        data-testid="import-remove"
      />
      {removes ? (
        <AsyncPicker
          label={t('base:import.removal.removeIn')}
          value={project}
          onChange={onProject}
          load={load}
          queryKey={['project', 'pick']}
          testId="import-remove-project"
        />
      ) : null}
    </Stack>
  );
}
