import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDrawer } from '@/components/form/FormDrawer';
import type { RetentionDays } from '@/blocks/retention/api';
import { RetentionFields } from '@/blocks/retention/RetentionFields';
import { useRetentionForm } from '@/blocks/retention/useRetentionForm';

/** user: null for the platform. isSet: there is one that can be taken back. */
export interface Setting {
  user: number | null;
  name: string;
  kept: RetentionDays;
  isSet: boolean;
}

/** Days of the platform or of a user's gateways. */
export default function RetentionForm({ setting, onClose }: { setting: Setting; onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const { form, takeBack, dialog } = useRetentionForm({ user: setting.user }, setting.kept, onClose);
  return (
    <>
      <FormDrawer
        title={t('history:retention.editOf', { name: setting.name })}
        form={form}
        onClose={onClose}
        proposed={!setting.isSet}
      >
        <RetentionFields form={form} />
        {setting.isSet ? (
          <Button variant="default" onClick={takeBack} data-testid="retention-back">
            {t(setting.user === null ? 'history:retention.forEver' : 'history:retention.remove')}
          </Button>
        ) : null}
      </FormDrawer>
      {dialog}
    </>
  );
}
