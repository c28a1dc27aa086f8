import { Alert, Button, Drawer, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useUnsavedChanges } from '@/components/form/useUnsavedChanges';
import { errorText, showSuccess } from '@/components/notices';
import { useHindrance } from '@/blocks/devices/useHindrance';
import type { LastValue } from '@/lib/quality';
import { useMay } from '@/lib/session';
import { savePreset, sendWrites } from '../api';
import type { DataSource, DeviceDetail, Preset, Write } from '../api';
import { batchOf, enteredAgain, MAX_WRITES } from '../command';
import type { Entered } from '../command';
import { slaveOnLockedPort, silentOf } from '../presence';
import { BatchResults } from './BatchResults';
import { BatchTable } from './BatchTable';
import { SameAgain } from './SameAgain';
import { usePortLockWords } from './usePortLockWords';
import { useSendOnce } from './useSendOnce';
import { NotAnswering } from './NotAnswering';
import { NotConnected } from './NotConnected';

interface Props {
  device: DeviceDetail;
  sources: readonly DataSource[];
  last: ReadonlyMap<number, LastValue>;
  /** The preset that is edited; null for a batch that is sent. */
  preset: Preset | null;
  onClose: () => void;
}

/** Values for several points: sent together, or kept as a preset. */
export function BatchDrawer(props: Props): ReactElement {
  const { t } = useTranslation();
  const phone = useMediaQuery('(max-width: 767px)', false, { getInitialValueInEffect: false });
  return (
    <Drawer
      opened
      onClose={props.onClose}
      position={phone ? 'bottom' : 'right'}
      size={phone ? '92%' : 680}
      title={props.preset === null ? t('monitor:batch.title') : t('monitor:preset.edit')}
      data-testid="batch-drawer"
    >
      <Batch {...props} />
    </Drawer>
  );
}

/** A preset's writes as entries; one that its point no longer takes shows the rule that it breaks. */
function enteredOf(preset: Preset | null, sources: readonly DataSource[]): Map<number, Entered> {
  const byId = new Map(sources.map((source) => [source.dsid, source]));
  return new Map(
    (preset?.writes ?? []).flatMap(({ dsid, value }) => {
      const source = byId.get(dsid);
      if (source === undefined) return [];
      return [[dsid, enteredAgain(value ?? null, source)] as const];
    }),
  );
}

function Batch({ device, sources, last, preset, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const [begun] = useState(() => enteredOf(preset, sources));
  const [entered, setEntered] = useState(begun);
  const ordered = useMemo(() => inOrder(sources, preset), [sources, preset]);
  const byId = useMemo(() => new Map(sources.map((source) => [source.dsid, source])), [sources]);
  const { writes, broken } = batchOf(ordered, entered);
  const hindrance = useHindrance('Device/cmd', device, 'monitor:command.notAllowed');
  const [over, setOver] = useState('');
  const send = useSendOnce(
    (batch: Write[], requestId) => sendWrites(device, { batch }, requestId),
    (sent) => sent !== undefined && over !== sent.batch_id,
  );
  useUnsavedChanges(entered !== begun && send.data === undefined);
  const isSame = send.isSame(writes);
  const locked = lockedSlaveOf(device, writes, byId);
  const portLockWords = usePortLockWords();
  const isReady = writes.length > 0 && writes.length <= MAX_WRITES && broken === 0;
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {t('monitor:batch.about')}
      </Text>
      {preset === null ? <NotConnected link={device.link} /> : null}
      <BatchTable
        device={device}
        sources={ordered}
        last={last}
        entered={entered}
        begin={preset}
        onEnter={(dsid, value) => setEntered((known) => new Map(known).set(dsid, value))}
      />
      {writes.length > MAX_WRITES ? (
        <Alert color="red">{t('monitor:batch.tooMany', { limit: MAX_WRITES })}</Alert>
      ) : null}
      {preset === null ? (
        <>
          {send.error === null ? null : (
            <Alert color="red" role="alert">
              {errorText(send.error)}
            </Alert>
          )}
          <NotAnswering slaves={silentOf(device, writes, byId)} />
          {locked === null ? null : (
            <Alert color="yellow">
              {t('monitor:lent.noWrite', {
                why: `${locked.title}${t('monitor:presence.colon')}${portLockWords(locked)}`,
              })}
            </Alert>
          )}
          {isSame && !send.isPending ? (
            <SameAgain isHindered={locked !== null || hindrance !== ''} onAgain={() => send.again(writes)} />
          ) : null}
          <Group justify="flex-end" gap="sm">
            {broken === 0 ? null : (
              <Text size="sm" c="red" role="status" data-testid="batch-broken">
                {t('monitor:batch.broken', { count: broken })}
              </Text>
            )}
            <Button
              disabled={!isReady || isSame || locked !== null || hindrance !== ''}
              title={hindrance || undefined}
              loading={send.isPending}
              onClick={() => send.press(writes)}
              data-testid="batch-submit"
            >
              {t('monitor:batch.send', { count: writes.length })}
            </Button>
          </Group>
          {send.data === undefined || send.variables === undefined ? null : (
            <BatchResults
              key={send.data.batch_id}
              deviceId={device.id}
              sent={send.data}
              writes={send.variables}
              sources={byId}
              onOver={setOver}
            />
          )}
        </>
      ) : null}
      <SaveAs
        device={device}
        preset={preset}
        writes={writes}
        isReady={isReady}
        onSaved={preset === null ? undefined : onClose}
      />
    </Stack>
  );
}

/** The first slave among those written to whose port is lent. */
export function lockedSlaveOf(
  device: DeviceDetail,
  writes: readonly Pick<Write, 'dsid'>[],
  sources: ReadonlyMap<number, DataSource>,
): DeviceDetail['slaves'][number] | null {
  for (const { dsid } of writes) {
    const slave = slaveOnLockedPort(device, sources.get(dsid)?.slave ?? '');
    if (slave !== null) return slave;
  }
  return null;
}

/** Points in the order of the preset first: it is the order of execution. */
function inOrder(sources: readonly DataSource[], preset: Preset | null): DataSource[] {
  const place = new Map((preset?.writes ?? []).map(({ dsid }, index) => [dsid, index]));
  return sources.toSorted((a, b) => (place.get(a.dsid) ?? Infinity) - (place.get(b.dsid) ?? Infinity) || 0);
}

interface SaveProps {
  device: DeviceDetail;
  preset: Preset | null;
  writes: Write[];
  isReady: boolean;
  onSaved: (() => void) | undefined;
}

/** Keep what was entered under a name. */
function SaveAs({ device, preset, writes, isReady, onSaved }: SaveProps): ReactElement | null {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const may = useMay('DeviceManage');
  const hindrance = useHindrance('DeviceManage', device);
  const [title, setTitle] = useState(preset?.title ?? '');
  const save = useMutation({
    mutationFn: () => savePreset(device.id, preset?.id ?? null, { title: title.trim(), writes }),
    meta: { errorInPlace: true },
    onSuccess: () => {
      void cache.invalidateQueries({ queryKey: ['presets', device.id] });
      if (onSaved !== undefined) {
        showSuccess(t('monitor:preset.saved', { title: title.trim() }));
        onSaved();
      }
    },
  });
  if (!may) return null;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <Group align="flex-end" gap="sm">
        <TextInput
          flex={1}
          label={t(preset === null ? 'monitor:preset.saveAs' : 'monitor:preset.name')}
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
          maxLength={64}
          error={save.error === null ? null : errorText(save.error)}
          description={
            save.data === undefined ? undefined : (
              <span role="status">{t('monitor:preset.saved', { title: save.data.title })}</span>
            )
          }
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          data-testid="preset-title"
        />
        <Button
          type="submit"
          variant={preset === null ? 'default' : 'filled'}
          disabled={!isReady || title.trim() === '' || hindrance !== ''}
          title={hindrance || undefined}
          loading={save.isPending}
          data-testid="preset-save"
        >
          {t('monitor:preset.save')}
        </Button>
      </Group>
    </form>
  );
}
