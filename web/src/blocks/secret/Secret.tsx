import { Alert } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { NewDevice } from '@/api/generated/types.gen';
import { CopyText } from '@/components/CopyText';
import { MaskedSecret } from '@/components/MaskedSecret';
import classes from './secret.module.css';

/** What a gateway needs to connect. */
export function Secret({ made }: { made: NewDevice }): ReactElement {
  const { t } = useTranslation();
  return (
    <>
      <Alert color="yellow" mb="sm">
        {t('base:secret.once')}
      </Alert>
      <dl className={classes.facts}>
        <dt>{t('base:secret.gateway')}</dt>
        <dd>
          <CopyText text={made.device.gateway_id} testId="made-gateway" />
        </dd>
        <dt>{t('base:secret.name')}</dt>
        <dd>
          <MaskedSecret secret={made.secret} name={t('base:secret.name')} />
        </dd>
      </dl>
    </>
  );
}

/** Where both are entered on a gateway that runs already. */
export function SecretSteps(): ReactElement {
  const { t } = useTranslation();
  return (
    <ol className={classes.steps}>
      {(['page', 'cloud', 'restart'] as const).map((step) => (
        <li key={step}>{t(`base:secret.step.${step}`)}</li>
      ))}
    </ol>
  );
}
