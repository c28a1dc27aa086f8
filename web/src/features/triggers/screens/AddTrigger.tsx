import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { createTrigger } from '../api';
import { TriggerForm } from '../components/TriggerForm';
import { emptyDraft } from '../draft';

/** A new trigger, and after it another one. */
export default function AddTrigger(): ReactElement {
  const { t } = useTranslation();
  const [values, setValues] = useState(() => emptyDraft());
  return (
    <TriggerForm
      key={values.rules[0]?.key}
      title={t('triggers:title.add')}
      values={values}
      save={createTrigger}
      onSaved={() => setValues(emptyDraft())}
    />
  );
}
