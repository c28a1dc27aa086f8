import { useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '@/lib/time';
import { useApiForm } from '@/components/form/useApiForm';
import type { ApiForm } from '@/components/form/useApiForm';
import { showError, showSuccess } from '@/components/notices';
import { useConfirm } from '@/components/useConfirm';
import { loadEffect, saveRetention, RETENTION, wrongField } from './api';
import type { RetentionDays, RetentionField, Place, RetentionEffect } from './api';

/** As they stand in the form: a field that is cleared holds a text. */
export type RetentionValues = Record<RetentionField, number | string>;

export interface RetentionFormState {
  form: ApiForm<RetentionValues>;
  /** Let what is above it count again. */
  takeBack: () => void;
  dialog: ReactElement | null;
}

/** Days of a place. What a change would delete is told before it, and asked. */
export function useRetentionForm(place: Place, days: RetentionDays, onDone: () => void): RetentionFormState {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const [ask, dialog] = useConfirm();
  const fault =
    (field: RetentionField) =>
    (_value: unknown, values: RetentionValues): string | null => {
      const wrong = wrongField(values);
      return wrong?.field === field ? t(`base:retention.fault.${wrong.fault}`) : null;
    };
  const isSure = async (next: RetentionDays | null): Promise<boolean> => {
    const effect = await loadEffect(place, next);
    if ((effect.losses ?? []).length === 0) return true;
    return ask({
      title: t('base:retention.deletes'),
      text: <Losses effect={effect} />,
      confirm: t('base:retention.delete'),
      danger: true,
    });
  };
  const apply = async (next: RetentionDays | null): Promise<boolean> => {
    if (!(await isSure(next))) return false;
    await saveRetention(place, next);
    return true;
  };
  const done = (isDone: boolean): void => {
    if (!isDone) return;
    void cache.invalidateQueries({ queryKey: RETENTION });
    showSuccess(t('base:form.done.edit'));
    onDone();
  };
  const form = useApiForm<RetentionValues, boolean>({
    values: { ...days },
    validate: {
      raw_days: fault('raw_days'),
      minute_days: fault('minute_days'),
      quarter_days: fault('quarter_days'),
      hour_days: fault('hour_days'),
      day_days: fault('day_days'),
    },
    save: (values) => apply(values as RetentionDays),
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
              what: t(`base:retention.of.${field as RetentionField}`),
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
