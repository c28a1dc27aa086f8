import { Alert, Button, Group, Switch, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useUnsavedChanges } from '@/components/form/useUnsavedChanges';
import { errorText, showSuccess } from '@/components/notices';
import { useHindrance } from '@/blocks/devices/useHindrance';
import { changeDevice } from '../api';
import type { DeviceBody, DeviceDetail } from '../api';
import classes from '../monitor.module.css';
import { changesOf, draftOf, faultsOf, MAX_DELAY_S, MAX_TITLE } from '../settings';
import type { Draft } from '../settings';

/** Title and what is done when the gateway is away. */
export function DeviceSettings({ device }: { device: DeviceDetail }): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const hindrance = useHindrance('DeviceManage', device, 'monitor:settings.notAllowed');
  const may = hindrance === '';
  const [edited, setEdited] = useState<Partial<Draft>>({});
  const draft = { ...draftOf(device), ...edited };
  const faults = faultsOf(draft);
  const changes = changesOf(draft, device);
  useUnsavedChanges(changes !== null);
  const save = useMutation({
    mutationFn: (body: DeviceBody) => changeDevice(device.id, body),
    meta: { errorInPlace: true },
    onSuccess: (saved) => {
      cache.setQueryData(['device', device.id], saved);
      void cache.invalidateQueries({ queryKey: ['devices'] });
      void cache.invalidateQueries({ queryKey: ['lastdps', device.id] });
      setEdited({});
      showSuccess(t('monitor:settings.saved'));
    },
  });
  const fault = (name: keyof Draft): string | null => {
    const key = faults[name];
    return key === undefined ? null : t(key, { limit: MAX_DELAY_S });
  };
  const isReady = changes !== null && Object.keys(faults).length === 0;
  return (
    <form
      className={classes.settings}
      aria-labelledby="settings-title"
      onSubmit={(event) => {
        event.preventDefault();
        if (changes !== null && isReady) save.mutate(changes);
      }}
      data-testid="device-settings"
    >
      <h2 id="settings-title">{t('monitor:settings.title')}</h2>
      {may ? null : <Alert color="gray">{hindrance}</Alert>}
      <TextInput
        label={t('monitor:info.title')}
        value={draft.title}
        onChange={(event) => setEdited({ ...edited, title: event.currentTarget.value })}
        error={fault('title')}
        maxLength={MAX_TITLE}
        disabled={!may}
        required
        data-testid="setting-title"
      />
      <Switch
        label={t('monitor:settings.clear')}
        description={t('monitor:settings.clearText')}
        checked={draft.clear}
        onChange={(event) => setEdited({ ...edited, clear: event.currentTarget.checked })}
        disabled={!may}
        data-testid="setting-clear"
      />
      <TextInput
        label={t('monitor:settings.delay')}
        description={t('monitor:settings.delayText')}
        value={draft.delay}
        onChange={(event) => setEdited({ ...edited, delay: event.currentTarget.value })}
        error={fault('delay')}
        inputMode="numeric"
        maxLength={6}
        disabled={!may}
        required
        data-testid="setting-delay"
      />
      <Switch
        label={t('monitor:settings.notify')}
        description={t('monitor:settings.notifyText')}
        checked={draft.notify}
        onChange={(event) => setEdited({ ...edited, notify: event.currentTarget.checked })}
        disabled={!may}
        data-testid="setting-notify"
      />
      {save.error === null ? null : (
        <Alert color="red" role="alert">
          {errorText(save.error)}
        </Alert>
      )}
      {may ? (
        <Group gap="sm">
          <Button type="submit" disabled={!isReady} loading={save.isPending} data-testid="settings-save">
            {t('monitor:settings.save')}
          </Button>
          <Button
            variant="default"
            disabled={changes === null && Object.keys(faults).length === 0}
            onClick={() => setEdited({})}
          >
            {t('monitor:settings.undo')}
          </Button>
        </Group>
      ) : null}
    </form>
  );
}
