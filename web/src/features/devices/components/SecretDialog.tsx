import { Alert, Button, Group, Modal } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyText } from '@/components/CopyText';
import { MaskedSecret } from '@/components/MaskedSecret';
import type { NewDevice } from '../api';
import classes from '../devices.module.css';

/** The secret of a new gateway, shown this once; only the button closes it. */
export function SecretDialog({ made, onClose }: { made: NewDevice; onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('devices:secret.title', { title: made.device.device_title })}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
      data-testid="secret-dialog"
    >
      <Secret made={made} />
      <Group justify="flex-end" mt="md">
        <Button onClick={onClose} data-testid="secret-kept">
          {t('devices:secret.kept')}
        </Button>
      </Group>
    </Modal>
  );
}

/** What a gateway needs to connect, and where it is entered. */
export function Secret({ made }: { made: NewDevice }): ReactElement {
  const { t } = useTranslation();
  return (
    <>
      <Alert color="yellow" mb="sm">
        {t('devices:secret.once')}
      </Alert>
      <dl className={classes.facts}>
        <dt>{t('devices:field.gateway_id')}</dt>
        <dd>
          <CopyText text={made.device.gateway_id} testId="made-gateway" />
        </dd>
        <dt>{t('devices:secret.name')}</dt>
        <dd>
          <MaskedSecret secret={made.secret} name={t('devices:secret.name')} />
        </dd>
      </dl>
      <ol className={classes.steps}>
        {(['page', 'cloud', 'restart'] as const).map((step) => (
          <li key={step}>{t(`devices:secret.step.${step}`)}</li>
        ))}
      </ol>
    </>
  );
}
