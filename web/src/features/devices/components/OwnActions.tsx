import { ActionIcon, Menu } from '@mantine/core';
import { IconDots, IconDoorExit, IconQrcode, IconTable, IconUsers } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { usePerm } from '@/components/permission';
import { RowButton } from '@/components/resource/RowButton';
import { useScreenLink } from '@/lib/navigation';
import type { DeviceRow } from '../api';
import { deviceTitle } from '@/lib/deviceTitle';

export type OwnAct = 'edit' | 'share' | 'qr';

interface Props {
  row: DeviceRow;
  onAct: (act: OwnAct) => void;
  onLeave: () => Promise<void>;
}

/** Settings, and in a menu points, sharing, the QR code and leaving; who only reads may leave alone. */
export function OwnActions({ row, onAct, onLeave }: Props): ReactElement {
  const { t } = useTranslation();
  const manages = usePerm('DeviceManage');
  const why = !manages ? t('base:perm.missing') : row.writes ? '' : t('base:why.shared_read_only');
  const isOwner = row.role === 'owner';
  const points = useScreenLink('/device/gateway/slavedevice', { device_id: row.id });
  const leave = useMutation({ mutationFn: onLeave });
  return (
    <>
      <RowButton kind="edit" why={why} onClick={() => onAct('edit')} />
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            loading={leave.isPending}
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
          ) : null}
          {why === '' && isOwner ? (
            <>
              <Menu.Item
                leftSection={<IconUsers size={16} />}
                onClick={() => onAct('share')}
                data-testid="device-share"
              >
                {t('devices:mine.share')}
              </Menu.Item>
              <Menu.Item leftSection={<IconQrcode size={16} />} onClick={() => onAct('qr')} data-testid="device-qr">
                {t('devices:qr.menu')}
              </Menu.Item>
            </>
          ) : null}
          <Menu.Item
            color="red"
            leftSection={<IconDoorExit size={16} />}
            onClick={() => leave.mutate()}
            data-testid="device-leave"
          >
            {t('devices:mine.leaveDo')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
