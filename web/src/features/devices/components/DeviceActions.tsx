import { ActionIcon, Menu } from '@mantine/core';
import {
  IconCopy,
  IconDots,
  IconDownload,
  IconKey,
  IconPlugConnectedX,
  IconQrcode,
  IconRestore,
  IconTable,
  IconUpload,
  IconUsers,
} from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { datedName, saveBlob } from '@/components/clipboard';
import { exportOf } from '@/blocks/import/endpoints';
import { showSuccess } from '@/components/notices';
import { usePerm } from '@/components/permission';
import { RowButton } from '@/components/resource/RowButton';
import { useConfirm } from '@/components/useConfirm';
import { deviceTitle } from '@/lib/deviceTitle';
import { useScreenLink } from '@/lib/navigation';
import { renewDevices, resetStatus } from '../api';
import type { DeviceRow } from '../api';

export type Act = 'edit' | 'copy' | 'share' | 'qr' | 'renew' | 'import';

/** Edit, and in a menu what else can be done with a gateway. */
export function DeviceActions({ row, onAct }: { row: DeviceRow; onAct: (act: Act) => void }): ReactElement {
  const { t, i18n } = useTranslation();
  const cache = useQueryClient();
  const [manages, saves] = [usePerm('DeviceManage'), usePerm('Device/save')];
  const why = !manages ? t('base:perm.missing') : row.writes ? '' : t('base:why.shared_read_only');
  const points = useScreenLink('/device/gateway/slavedevice', { device_id: row.id });
  const [ask, dialog] = useConfirm();
  const reset = useMutation({
    mutationFn: (status: 'normal' | 'offline') => resetStatus(row.id, status),
    onSuccess: (_, status) => showSuccess(t(`devices:reset.done.${status}`, { title: deviceTitle(row) })),
    onSettled: () => renewDevices(cache),
  });
  const askReset = async (status: 'normal' | 'offline'): Promise<void> => {
    const words = { title: deviceTitle(row) };
    const isSure = await ask({
      title: t(`devices:reset.ask.${status}`, words),
      text: t(`devices:reset.text.${status}`),
      confirm: t(`devices:reset.confirm.${status}`),
      danger: status === 'offline',
    });
    if (isSure) reset.mutate(status);
  };
  const out = useMutation({
    mutationFn: () => exportOf(row.id, i18n.language === 'en' ? 'en' : 'zh'),
    onSuccess: (blob) => saveBlob(datedName(row.gateway_id, 'xlsx'), blob),
  });
  return (
    <>
      <RowButton kind="edit" why={why} onClick={() => onAct('edit')} />
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            loading={reset.isPending || out.isPending}
            aria-label={t('devices:more', { title: deviceTitle(row) })}
            data-testid="device-more"
          >
            <IconDots size={16} stroke={1.6} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {why === '' ? null : <Menu.Label maw={260}>{why}</Menu.Label>}
          {why === '' ? (
            <Menu.Item {...points} component="a" leftSection={<IconTable size={16} />} data-testid="device-points">
              {t('devices:slavesAndPoints')}
            </Menu.Item>
          ) : (
            <Menu.Item leftSection={<IconTable size={16} />} disabled data-testid="device-points">
              {t('devices:slavesAndPoints')}
            </Menu.Item>
          )}
          <Menu.Item
            leftSection={<IconUsers size={16} />}
            disabled={!manages}
            onClick={() => onAct('share')}
            data-testid="device-share"
          >
            {t('devices:share.menu')}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconQrcode size={16} />}
            disabled={why !== ''}
            onClick={() => onAct('qr')}
            data-testid="device-qr"
          >
            {t('devices:qr.menu')}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconCopy size={16} />}
            disabled={why !== '' || !saves}
            onClick={() => onAct('copy')}
            data-testid="device-copy"
          >
            {t('devices:copy')}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconUpload size={16} />}
            disabled={why !== '' || !saves}
            onClick={() => onAct('import')}
            data-testid="device-import"
          >
            {t('devices:single.import')}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconDownload size={16} />}
            disabled={!manages}
            onClick={() => out.mutate()}
            data-testid="device-export"
          >
            {t('devices:single.export')}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item
            leftSection={<IconKey size={16} />}
            disabled={why !== '' || !saves}
            onClick={() => onAct('renew')}
            data-testid="device-renew"
          >
            {t('base:secret.renew')}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconRestore size={16} />}
            disabled={why !== ''}
            onClick={() => void askReset('normal')}
            data-testid="device-normal"
          >
            {t('devices:reset.normal')}
          </Menu.Item>
          {row.link.online ? (
            <Menu.Item
              leftSection={<IconPlugConnectedX size={16} />}
              disabled={why !== ''}
              onClick={() => void askReset('offline')}
              data-testid="device-offline"
            >
              {t('devices:reset.offline')}
            </Menu.Item>
          ) : null}
        </Menu.Dropdown>
      </Menu>
      {dialog}
    </>
  );
}
