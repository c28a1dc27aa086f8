import { Button, Menu, Text } from '@mantine/core';
import {
  IconAntennaBars5,
  IconChevronDown,
  IconCloudUpload,
  IconPlugConnected,
  IconPower,
  IconReload,
  IconRefresh,
  IconTool,
} from '@tabler/icons-react';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { MaintenanceDrawer } from '@/blocks/alarms/Maintenance';
import { useHindrance } from '@/blocks/devices/useHindrance';
import { useMay } from '@/lib/session';
import type { Action, DeviceDetail } from '../api';
import { useModems } from '../modems';
import { ActionDialog } from './ActionDialog';

const ICONS: Record<Action, typeof IconPower> = {
  refresh: IconRefresh,
  forward: IconCloudUpload,
  csq: IconAntennaBars5,
  reload: IconReload,
  reallocate: IconPlugConnected,
  reboot: IconPower,
};
/** These ask and send; the others take the gateway away for a while. */
const GENTLE: readonly Action[] = ['refresh', 'forward', 'csq'];
const DISTURBING: readonly Action[] = ['reload', 'reallocate', 'reboot'];

/** What the gateway does as a whole. */
export function GatewayMenu({ device }: { device: DeviceDetail }): ReactElement {
  const { t } = useTranslation();
  const noCommand = useHindrance('Device/cmd', device, 'monitor:command.notAllowed');
  const noManage = useHindrance('DeviceManage', device, 'monitor:command.notAllowed');
  const noKeeping = useHindrance('Device/save', device);
  const mayAlarms = useMay('Event');
  const [isMaintaining, setMaintaining] = useState(false);
  const [chosen, setChosen] = useState<Action | null>(null);
  const hasNoModem = useModems(({ without }) => without.has(device.id));
  const item = (action: Action, hindrance: string): ReactElement => {
    const Icon = ICONS[action];
    const isMissing = action === 'csq' && hasNoModem;
    return (
      <Menu.Item
        key={action}
        leftSection={<Icon size={16} stroke={1.6} />}
        disabled={hindrance !== '' || isMissing}
        title={hindrance || (isMissing ? t('monitor:action.missing.csq') : undefined)}
        onClick={() => setChosen(action)}
        data-testid={`action-${action}`}
      >
        {t(`monitor:action.${action}`)}
        {action === 'reallocate' ? (
          <Text size="xs" c="dimmed">
            {t('monitor:action.reallocateHint')}
          </Text>
        ) : null}
      </Menu.Item>
    );
  };
  return (
    <>
      <Menu position="bottom-end" withinPortal={false} shadow="md">
        <Menu.Target>
          <Button
            variant="default"
            size="sm"
            ml="auto"
            rightSection={<IconChevronDown size={14} />}
            data-testid="gateway-menu"
          >
            {t('monitor:action.menu')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {GENTLE.map((action) => item(action, noCommand))}
          <Menu.Divider />
          {DISTURBING.map((action) => item(action, noManage))}
          {mayAlarms ? (
            <>
              <Menu.Divider />
              <Menu.Item
                leftSection={<IconTool size={16} stroke={1.6} />}
                disabled={noKeeping !== ''}
                title={noKeeping || undefined}
                onClick={() => setMaintaining(true)}
                data-testid="maintenance-begin"
              >
                {t('base:suppress.kinds.maintenance')}
              </Menu.Item>
            </>
          ) : null}
        </Menu.Dropdown>
      </Menu>
      {isMaintaining ? <MaintenanceDrawer deviceId={device.id} onClose={() => setMaintaining(false)} /> : null}
      {chosen === null ? null : (
        <ActionDialog
          key={chosen}
          action={chosen}
          device={device}
          needsConsent={DISTURBING.includes(chosen)}
          onClose={() => setChosen(null)}
        />
      )}
    </>
  );
}
