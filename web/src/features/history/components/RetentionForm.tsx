import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDrawer } from '@/components/form/FormDrawer';
import type { KeptDays } from '@/blocks/retention/api';
import { KeptFields } from '@/blocks/retention/KeptFields';
import { useKeptForm } from '@/blocks/retention/useKeptForm';

/** user: null for the platform. isSet: there is one that can be taken back. */
export interface Setting {
  user: number | null;
  name: string;
  kept: KeptDays;
  isSet: boolean;
}

/** Days of the platform or of a user's gateways. */
export default function RetentionForm({ setting, onClose }: { setting: Setting; onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const { form, takeBack, dialog } = useKeptForm({ user: setting.user }, setting.kept, onClose);
  return (
    <>
      <FormDrawer
        title={t('history:retention.editOf', { name: setting.name })}
        form={form}
        onClose={onClose}
        proposed={!setting.isSet}
      >
        <KeptFields form={form} />
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
