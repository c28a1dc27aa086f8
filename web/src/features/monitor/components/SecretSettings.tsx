import { Button, Text } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useHindrance } from '@/blocks/devices/useHindrance';
import type { DeviceDetail } from '../api';
import classes from '../monitor.module.css';

const RenewSecret = lazy(() => import('@/blocks/secret/RenewSecret'));

/** A new secret for the gateway, for who may save devices; the cloud refuses who has it by a share. */
export function SecretSettings({ device }: { device: DeviceDetail }): ReactElement | null {
  const { t } = useTranslation();
  const may = useHindrance('Device/save', device) === '';
  const [isOpen, setIsOpen] = useState(false);
  if (!may) return null;
  return (
    <section className={classes.settings} aria-labelledby="secret-title" data-testid="secret-settings">
      <h2 id="secret-title">{t('base:secret.name')}</h2>
      <Text size="sm" c="dimmed">
        {t('base:secret.renewHint')}
      </Text>
      <div>
        <Button variant="default" onClick={() => setIsOpen(true)} data-testid="secret-renew">
          {t('base:secret.renew')}
        </Button>
      </div>
      <Suspense fallback={null}>
        {isOpen ? <RenewSecret device={device} onClose={() => setIsOpen(false)} /> : null}
      </Suspense>
    </section>
  );
}
