import { useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '@/lib/time';
import { useApiForm } from '@/components/form/useApiForm';
import type { ApiForm } from '@/components/form/useApiForm';
import { showError, showSuccess } from '@/components/notices';
import { useConfirm } from '@/components/useConfirm';
import { loadEffect, putKept, RETENTION, wrongField } from './api';
import type { KeptDays, KeptField, Place, RetentionEffect } from './api';

/** As they stand in the form: a field that is cleared holds a text. */
export type KeptValues = Record<KeptField, number | string>;

export interface KeptForm {
  form: ApiForm<KeptValues>;
  /** Let what is above it count again. */
  takeBack: () => void;
  dialog: ReactElement | null;
}

/** Days of a place. What a change would delete is told before it, and asked. */
export function useKeptForm(place: Place, kept: KeptDays, onDone: () => void): KeptForm {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const [ask, dialog] = useConfirm();
  const fault =
    (field: KeptField) =>
    (_value: unknown, values: KeptValues): string | null => {
      const wrong = wrongField(values);
      return wrong?.field === field ? t(`base:retention.fault.${wrong.fault}`) : null;
    };
  const isSure = async (next: KeptDays | null): Promise<boolean> => {
    const effect = await loadEffect(place, next);
    if ((effect.losses ?? []).length === 0) return true;
    return ask({
      title: t('base:retention.deletes'),
      text: <Losses effect={effect} />,
      confirm: t('base:retention.delete'),
      danger: true,
    });
  };
  const apply = async (next: KeptDays | null): Promise<boolean> => {
    if (!(await isSure(next))) return false;
    await putKept(place, next);
    return true;
  };
  const done = (isDone: boolean): void => {
    if (!isDone) return;
    void cache.invalidateQueries({ queryKey: RETENTION });
    showSuccess(t('base:form.done.edit'));
    onDone();
  };
  const form = useApiForm<KeptValues, boolean>({
    values: { ...kept },
    validate: {
      raw_days: fault('raw_days'),
      minute_days: fault('minute_days'),
      quarter_days: fault('quarter_days'),
      hour_days: fault('hour_days'),
      day_days: fault('day_days'),
    },
    save: (values) => apply(values as KeptDays),
    onSaved: done,
  });
  return { form, takeBack: () => void apply(null).then(done, showError), dialog };
}

/** What would go, in sentences. */
function Losses({ effect }: { effect: RetentionEffect }): ReactElement {
  const { t } = useTranslation();
  return (
    <>
      <ul style={{ margin: '0 0 8px', paddingLeft: 20 }} data-testid="retention-losses">
        {effect.losses.map(({ field, before_ms, points }) => (
          <li key={field}>
            {t('base:retention.loss', {
              what: t(`base:retention.of.${field as KeptField}`),
              date: formatDateTime(before_ms),
              count: points,
            })}
          </li>
        ))}
      </ul>
      {t('base:retention.never')}
    </>
  );
}
