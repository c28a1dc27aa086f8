import { Alert, Button, Drawer, Group, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { TrendLink } from '@/blocks/history/TrendLink';
import { TrustMark } from '@/blocks/live/TrustMark';
import { useLiveValue } from '@/blocks/live/useLiveValue';
import { useAgeHint } from '@/blocks/live/useWords';
import { errorText } from '@/components/notices';
import { useHindrance } from '@/blocks/devices/useHindrance';
import { explained, toneOf } from '@/lib/quality';
import type { LastValue, PointValue } from '@/lib/quality';
import { sendWrites } from '../api';
import type { CommandRef, DataSource, DeviceDetail } from '../api';
import { isFinal } from '../command';
import type { Entered } from '../command';
import classes from '../monitor.module.css';
import { slaveOnLockedPort, silentOf } from '../presence';
import { CommandTimeline } from './CommandTimeline';
import { useFormat } from './LiveTable';
import { SameAgain } from './SameAgain';
import { useCommand } from './useCommand';
import { usePortLockWords } from './usePortLockWords';
import { useSendOnce } from './useSendOnce';
import { ValueEntry } from './ValueEntry';
import { NotAnswering } from './NotAnswering';
import { NotConnected } from './NotConnected';

interface Props {
  source: DataSource | null;
  device: DeviceDetail;
  initial: LastValue | undefined;
  onClose: () => void;
}

/** Write one point and watch what becomes of it. */
export function CommandDrawer({ source, device, initial, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const phone = useMediaQuery('(max-width: 767px)', false, { getInitialValueInEffect: false });
  return (
    <Drawer
      opened={source !== null}
      onClose={onClose}
      position={phone ? 'bottom' : 'right'}
      size={phone ? '85%' : 400}
      title={t('monitor:command.title')}
      data-testid="command-drawer"
    >
      {source === null ? null : <Write key={source.dsid} source={source} device={device} initial={initial} />}
    </Drawer>
  );
}

function Write({ source, device, initial }: Omit<Props, 'source' | 'onClose'> & { source: DataSource }): ReactElement {
  const { t } = useTranslation();
  const [entered, setEntered] = useState<Entered>(null);
  const hindrance = useHindrance('Device/cmd', device, 'monitor:command.notAllowed');
  const [sent, setSent] = useState<CommandRef>();
  const command = useCommand(sent);
  const send = useSendOnce(
    async (wanted: PointValue, requestId) => {
      const ref = await sendWrites(device, { dsid: source.dsid, value: wanted }, requestId);
      setSent(ref);
      return ref;
    },
    () => sent !== undefined && !(command !== undefined && command.id === sent.id && isFinal(command.status)),
  );
  const ready = entered !== null && 'value' in entered ? entered : null;
  const isSame = ready !== null && send.isSame(ready.value);
  const locked = slaveOnLockedPort(device, source.slave);
  const portLockWords = usePortLockWords();
  return (
    <Stack gap="md">
      <Current source={source} device={device} initial={initial} />
      <NotConnected link={device.link} />
      <NotAnswering slaves={silentOf(device, [source], new Map([[source.dsid, source]]))} />
      {locked === null ? null : (
        <Alert color="yellow" data-testid="command-lent">
          {t('monitor:lent.noWrite', { why: portLockWords(locked) })}
        </Alert>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (ready !== null && locked === null && hindrance === '') send.press(ready.value);
        }}
      >
        <Stack gap="sm">
          <ValueEntry source={source} entered={entered} onChange={setEntered} />
          {send.error === null ? null : (
            <Alert color="red" role="alert" data-testid="command-error">
              {errorText(send.error)}
            </Alert>
          )}
          {isSame && !send.isPending ? (
            <SameAgain isHindered={locked !== null || hindrance !== ''} onAgain={() => send.again(ready.value)} />
          ) : null}
          <Group justify="flex-end">
            <Button
              type="submit"
              disabled={ready === null || isSame || locked !== null || hindrance !== ''}
              title={hindrance || undefined}
              loading={send.isPending}
              data-testid="command-submit"
            >
              {ready === null || ready.text === ''
                ? t('monitor:command.send')
                : t('monitor:command.sendValue', { value: `${ready.text} ${source.unit}`.trim() })}
            </Button>
          </Group>
        </Stack>
      </form>
      {sent === undefined ? null : (
        <CommandTimeline key={sent.id} command={command} source={source} requested={send.variables ?? null} />
      )}
    </Stack>
  );
}

function Current({
  source,
  device,
  initial,
}: Omit<Props, 'source' | 'onClose'> & { source: DataSource }): ReactElement {
  const { t } = useTranslation();
  const hint = useAgeHint(source.record);
  const format = useFormat(source);
  const point = useMemo(() => ({ ...source, min: source.min ?? null, max: source.max ?? null }), [source]);
  const { valueRef, ageRef, trust: liveTrust } = useLiveValue({ point, initial, gateway: device, format });
  const trust = explained(liveTrust, slaveOnLockedPort(device, source.slave) !== null);
  return (
    <div>
      <Text fw={600} size="md">
        {source.ds_title}
      </Text>
      <Text size="xs" c="dimmed">
        {source.slave_title} · <span className={classes.mono}>{source.ds_name}</span>
      </Text>
      <Group gap="md" mt={10} align="baseline">
        <Text size="sm" c="dimmed">
          {t('monitor:command.current')}
        </Text>
        <span className={classes.readBack} data-tone={toneOf(trust)}>
          <TrendLink point={source} deviceId={device.id} within="device">
            <span ref={valueRef} data-testid="command-current" />
          </TrendLink>{' '}
          {source.unit}
        </span>
        <TrustMark state={trust} />
        <span ref={ageRef} className={classes.hint} title={hint} />
      </Group>
    </div>
  );
}
