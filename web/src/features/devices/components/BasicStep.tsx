import { Collapse, Button } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiForm } from '@/components/form/useApiForm';
import { serialOf } from '../bindCode';
import type { Draft } from '../draft';
import type { WizardDraft } from '../wizard';
import { BasicFields } from './BasicFields';
import { Scanner } from './Scanner';

/** Serial number, typed or scanned from the label, and what the gateway is. onSerial: the number's field was left. */
export function BasicStep({ form, onSerial }: { form: ApiForm<WizardDraft>; onSerial: () => void }): ReactElement {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        variant="subtle"
        size="compact-sm"
        mb="sm"
        onClick={() => setOpen(!open)}
        aria-expanded={open}
        data-testid="wizard-scan"
      >
        {t('devices:scan.serial')}
      </Button>
      <Collapse expanded={open} mb="md">
        {open ? (
          <Scanner
            onText={(text) => {
              form.fields.setFieldValue('gateway_id', serialOf(text));
              setOpen(false);
            }}
          />
        ) : null}
      </Collapse>
      <BasicFields form={form as unknown as ApiForm<Draft>} isNew brief onSerial={onSerial} />
    </>
  );
}
