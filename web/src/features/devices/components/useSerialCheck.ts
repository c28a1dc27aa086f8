import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiForm } from '@/components/form/useApiForm';
import { isTaken } from '../api';
import { GATEWAY_ID } from '../draft';
import type { WizardDraft } from '../wizard';

/** Looks whether a gateway has the serial number already, and says so at its field. Without an answer the making tells. */
export function useSerialCheck(form: ApiForm<WizardDraft>): () => Promise<boolean> {
  const { t } = useTranslation();
  const known = useRef<{ serial: string; taken: boolean } | null>(null);
  return async () => {
    const serial = form.fields.getValues().gateway_id.trim();
    if (!GATEWAY_ID.test(serial)) return true;
    if (known.current?.serial !== serial) {
      const taken = await isTaken(serial).catch(() => null);
      if (taken === null) return true;
      known.current = { serial, taken };
    }
    if (!known.current.taken) return true;
    form.fields.setFieldError('gateway_id', t('devices:fault.taken'));
    return false;
  };
}
