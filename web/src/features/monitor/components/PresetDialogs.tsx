import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '@/components/notices';
import { useHindrance } from '@/blocks/devices/useHindrance';
import { deletePreset, sendWrites } from '../api';
import type { DataSource, DeviceDetail, Preset } from '../api';
import { lockedSlaveOf } from './BatchDrawer';
import { BatchResults } from './BatchResults';
import { usePortLockWords } from './usePortLockWords';
import { useSendOnce } from './useSendOnce';
import { useWriteWords } from './useWriteWords';
import { silentOf } from '../presence';
import { NotAnswering } from './NotAnswering';
import { NotConnected } from './NotConnected';

interface RunProps {
  preset: Preset;
  device: DeviceDetail;
  sources: ReadonlyMap<number, DataSource>;
  onClose: () => void;
}

/** Tells what will be written, then what became of it. */
export function PresetRun({ preset, device, sources, onClose }: RunProps): ReactElement {
  const { t } = useTranslation();
  const words = useWriteWords(sources);
  const hindrance = useHindrance('Device/cmd', device, 'monitor:command.notAllowed');
  const locked = lockedSlaveOf(device, preset.writes, sources);
  const portLockWords = usePortLockWords();
  const run = useSendOnce(
    (presetId: number, requestId) => sendWrites(device, { preset_id: presetId }, requestId),
    () => false,
  );
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={t('monitor:preset.runOne', { title: preset.title })}
      data-testid="preset-dialog"
    >
      <Stack gap="md">
        {run.data === undefined ? (
          <>
            <Text size="sm">{t('monitor:preset.willWrite')}</Text>
            <ol>
              {preset.writes.map((write) => (
                <li key={JSON.stringify(write)}>{words(write)}</li>
              ))}
            </ol>
            <NotConnected link={device.link} />
            <NotAnswering slaves={silentOf(device, preset.writes, sources)} />
            {locked === null ? null : (
              <Alert color="yellow">
                {t('monitor:lent.noWrite', {
                  why: `${locked.title}${t('monitor:presence.colon')}${portLockWords(locked)}`,
                })}
              </Alert>
            )}
          </>
        ) : (
          <BatchResults deviceId={device.id} sent={run.data} writes={preset.writes} sources={sources} />
        )}
        {run.error === null ? null : (
          <Alert color="red" role="alert">
            {errorText(run.error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t(run.data === undefined ? 'base:action.cancel' : 'base:action.close')}
          </Button>
          {run.data === undefined ? (
            <Button
              loading={run.isPending}
              disabled={locked !== null || hindrance !== ''}
              title={hindrance || undefined}
              onClick={() => run.press(preset.id)}
              data-testid="preset-confirm"
            >
              {t('monitor:batch.send', { count: preset.writes.length })}
            </Button>
          ) : null}
        </Group>
      </Stack>
    </Modal>
  );
}

export function PresetDelete({ preset, device, onClose }: Omit<RunProps, 'sources'>): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const hindrance = useHindrance('DeviceManage', device);
  const remove = useMutation({
    mutationFn: () => deletePreset(device.id, preset.id),
    onSuccess: onClose,
    onSettled: () => cache.invalidateQueries({ queryKey: ['presets', device.id] }),
  });
  return (
    <Modal opened onClose={onClose} title={t('monitor:preset.deleteOne', { title: preset.title })}>
      <Text size="sm">{t('monitor:preset.deleteText', { count: preset.writes.length })}</Text>
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose}>
          {t('base:action.cancel')}
        </Button>
        <Button
          color="red"
          disabled={hindrance !== ''}
          title={hindrance || undefined}
          loading={remove.isPending}
          onClick={() => remove.mutate()}
          data-testid="preset-delete-confirm"
        >
          {t('monitor:preset.delete')}
        </Button>
      </Group>
    </Modal>
  );
}
