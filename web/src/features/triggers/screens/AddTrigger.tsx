import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { createTrigger } from '../api';
import { TriggerForm } from '../components/TriggerForm';
import { emptyDraft } from '../draft';

/** A new trigger. */
export default function AddTrigger(): ReactElement {
  const { t } = useTranslation();
  const [values] = useState(() => emptyDraft());
  return <TriggerForm title={t('triggers:title.add')} values={values} save={createTrigger} />;
}
