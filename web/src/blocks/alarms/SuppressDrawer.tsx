import { SegmentedControl, Text, TextInput, Textarea } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDrawer } from '@/components/form/FormDrawer';
import { useApiForm } from '@/components/form/useApiForm';
import { serverNow } from '@/lib/serverClock';
import { durationFault, DURATIONS, MAX_S, OTHER, secondsOf } from './durations';
import type { Kind } from './durations';

/** As in the API. */
const MAX_REASON = 500;
const DAY_S = 86_400;

interface Props<Saved> {
  title: string;
  /** What can be chosen; the first is proposed. */
  kinds: readonly Kind[];
  save: (kind: Kind, seconds: number, reason: string) => Promise<Saved>;
  onSaved: (saved: Saved) => void;
  onClose: () => void;
}

/** For how long alarms are kept quiet, and why. */
export function SuppressDrawer<Saved>({ title, kinds, save, onSaved, onClose }: Props<Saved>): ReactElement {
  const { t } = useTranslation();
  const [first = 'shelved'] = kinds;
  const form = useApiForm<{ kind: string; duration: string; until: string; reason: string }, Saved>({
    values: { kind: first, duration: DURATIONS[0], until: '', reason: '' },
    validate: {
      until: (until, { duration, kind }) => {
        const fault = durationFault(secondsOf(duration, until, serverNow()), kind as Kind);
        return fault === null ? null : t(`base:suppress.fault.${fault}`, { days: MAX_S[kind as Kind] / DAY_S });
      },
      reason: (reason) => {
        if (reason.trim() === '') return t('base:suppress.fault.reason');
        return reason.length > MAX_REASON ? t('base:suppress.fault.reasonLong', { most: MAX_REASON }) : null;
      },
    },
    save: ({ kind, duration, until, reason }) =>
      save(kind as Kind, secondsOf(duration, until, serverNow()) ?? 0, reason.trim()),
    onSaved,
    names: { duration_s: 'until' },
  });
  const { kind, duration } = form.fields.getValues();
  return (
    <FormDrawer title={title} form={form} onClose={onClose} save={t(`base:suppress.do.${kind}`)}>
      {kinds.length < 2 ? null : (
        <SegmentedControl
          fullWidth
          aria-label={t('base:suppress.kind')}
          data={kinds.map((value) => ({ value, label: t(`base:suppress.kinds.${value}`) }))}
          {...form.fields.getInputProps('kind')}
          data-testid="suppress-kind"
        />
      )}
      <Text size="sm" c="dimmed">
        {t(`base:suppress.text.${kind}`)}
      </Text>
      <SegmentedControl
        fullWidth
        aria-label={t('base:suppress.duration')}
        data={DURATIONS.map((value) => ({ value, label: t(`base:suppress.durations.${value}`) }))}
        {...form.fields.getInputProps('duration')}
        data-testid="suppress-duration"
      />
      {duration === OTHER ? (
        <TextInput
          type="datetime-local"
          label={t('base:suppress.until')}
          required
          {...form.fields.getInputProps('until')}
          data-testid="suppress-until"
        />
      ) : null}
      <Textarea
        label={t('base:suppress.reason')}
        required
        autosize
        minRows={2}
        maxRows={6}
        {...form.fields.getInputProps('reason')}
        data-testid="suppress-reason"
      />
    </FormDrawer>
  );
}
