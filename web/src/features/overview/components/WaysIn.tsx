import { Button, Group } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { PermButton } from '@/components/permission';
import { useGo } from '@/lib/navigation';

/** How a gateway comes to this user: those who may add one, and everybody by its code. */
export function WaysIn(): ReactElement {
  const { t } = useTranslation();
  const go = useGo();
  return (
    <Group gap={8}>
      <Button variant="default" onClick={() => go('/device/bind')} data-testid="overview-bind">
        {t('overview:bind')}
      </Button>
      <PermButton mode="hide" asks="Device/save" onClick={() => go('/device/addDevice')} data-testid="overview-add">
        {t('overview:add')}
      </PermButton>
    </Group>
  );
}
