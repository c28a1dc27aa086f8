import { Alert, Button, Group, Loader, Modal, Stack, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '@/components/notices';
import { useHindrance } from '@/blocks/devices/useHindrance';
import { act } from '../api';
import type { Action, CommandStatus, DeviceDetail } from '../api';
import { signalOf } from '../command';
import { useModems } from '../modems';
import { CommandSteps } from './CommandTimeline';
import { useCommand } from './useCommand';
import type { Sent } from './useCommand';
import { useSendOnce } from './useSendOnce';
import { NotConnected } from './NotConnected';

interface Props {
  action: Action;
  device: DeviceDetail;
  needsConsent: boolean;
  onClose: () => void;
}

/** Asks first where the gateway is disturbed, then follows the command to its end. */
export function ActionDialog({ action, device, needsConsent, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const send = useSendOnce(
    (wanted: Action, requestId) => act(wanted, device.id, requestId),
    () => false,
  );
  const hindrance = useHindrance(needsConsent ? 'DeviceManage' : 'Device/cmd', device, 'monitor:command.notAllowed');
  const started = useRef(false);
  const { press } = send;
  useEffect(() => {
    if (needsConsent || started.current) return;
    started.current = true;
    press(action);
  }, [needsConsent, press, action]);
  const isIdle = !send.isPending && send.data === undefined && send.error === null;
  const isAsking = needsConsent && isIdle;
  return (
    <Modal opened onClose={onClose} title={t(`monitor:action.${action}`)} data-testid="action-dialog">
      <Stack gap="md">
        <Text size="sm">{t(`monitor:action.about.${action}`)}</Text>
        {isIdle ? <NotConnected link={device.link} /> : null}
        {send.isPending ? (
          <Group gap="sm" role="status">
            <Loader size="sm" />
            <Text size="sm">{t('monitor:action.asking')}</Text>
          </Group>
        ) : null}
        {send.error === null ? null : (
          <Alert color="red" role="alert">
            {errorText(send.error)}
          </Alert>
        )}
        {send.data === undefined ? null : <Progress sent={send.data} action={action} deviceId={device.id} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t(isAsking ? 'base:action.cancel' : 'base:action.close')}
          </Button>
          {isAsking ? (
            <Button
              color="red"
              disabled={hindrance !== ''}
              title={hindrance || undefined}
              onClick={() => press(action)}
              data-testid="action-confirm"
            >
              {t(`monitor:action.${action}`)}
            </Button>
          ) : null}
        </Group>
      </Stack>
    </Modal>
  );
}

function Progress({ sent, action, deviceId }: { sent: Sent; action: Action; deviceId: number }): ReactElement {
  const { t } = useTranslation();
  const command = useCommand(sent);
  const none = useModems((modems) => modems.none);
  const isMissing = command?.code === 'not_available' || command?.code === 'no_modem';
  useEffect(() => {
    if (action === 'csq' && isMissing) none(deviceId);
  }, [action, isMissing, none, deviceId]);
  return (
    <section
      aria-label={t('monitor:command.progress')}
      aria-live="polite"
      data-testid="action-state"
      data-state={command?.status ?? 'create'}
    >
      <CommandSteps command={command} />
      {command?.status === 'resp' ? <Result action={action} command={command} /> : null}
      {isMissing ? <Text size="sm">{t(`monitor:action.missing.${action}`)}</Text> : null}
    </section>
  );
}

/** What the gateway answered, in words. */
function Result({ action, command }: { action: Action; command: CommandStatus }): ReactElement {
  const { t } = useTranslation();
  const { level, dbm } = signalOf(command.result_value);
  const message =
    action === 'csq'
      ? t(`monitor:signal.${level}`, { value: String(command.result_value), dbm })
      : t(`monitor:action.done.${action}`, { count: Number(command.result_value ?? 0) });
  return (
    <Text fw={600} data-testid="action-result">
      {message}
    </Text>
  );
}
