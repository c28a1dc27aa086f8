import { Alert, Button, Group, Switch, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDrawer } from '@/components/form/FormDrawer';
import { useApiForm } from '@/components/form/useApiForm';
import type { ApiForm } from '@/components/form/useApiForm';
import { errorText, showSuccess } from '@/components/notices';
import { refusalText } from '@/components/refusal';
import { addRange, CARDS, previewRange } from '../api';
import type { RangePreview, RangeResult } from '../api';
import { endsOf, NAMES, NO_RANGE, rangeBody } from '../draft';
import type { FieldsDraft, RangeDraft } from '../draft';
import { SharedFields } from './CardFields';

/** Cards of consecutive numbers. What adding them does is shown before. */
export default function RangeDrawer({ onClose }: { onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const [preview, setPreview] = useState<{ of: string; said: RangePreview } | null>(null);
  const needed = (text: string): string | null => (text.trim() === '' ? t('sim-cards:needed') : null);
  const digits = (text: string): string | null =>
    /^[0-9]{1,9}$/.test(text.trim()) ? null : t('sim-cards:range.digits');
  const form = useApiForm<RangeDraft, RangeResult>({
    values: NO_RANGE,
    validate: { prefix: needed, first: digits, last: digits },
    names: NAMES,
    save: (draft) => addRange(rangeBody(draft)),
    onSaved: ({ added, existing }) => {
      void cache.invalidateQueries({ queryKey: CARDS });
      showSuccess(t('sim-cards:range.done', { added, existing }));
      onClose();
    },
  });
  const draft = form.fields.getValues();
  const ends = endsOf(draft);
  const key = ends === null ? '' : `${ends.join(' ')} ${draft.with_check_digit}`;
  const looking = useMutation({
    mutationFn: () => previewRange(rangeBody(draft)),
    meta: { errorInPlace: true },
    onSuccess: (said) => setPreview({ of: key, said }),
  });
  const shown = preview !== null && preview.of === key ? preview.said : null;
  return (
    <FormDrawer
      title={t('sim-cards:range.title')}
      form={form}
      onClose={onClose}
      save={t('sim-cards:range.add')}
      size={560}
    >
      <TextInput
        label={t('sim-cards:range.prefix')}
        description={t('sim-cards:range.prefixText')}
        required
        maxLength={30}
        data-autofocus
        data-testid="range-prefix"
        {...form.fields.getInputProps('prefix')}
      />
      <Group grow align="flex-start">
        <TextInput
          label={t('sim-cards:range.first')}
          required
          inputMode="numeric"
          maxLength={9}
          data-testid="range-first"
          {...form.fields.getInputProps('first')}
        />
        <TextInput
          label={t('sim-cards:range.last')}
          required
          inputMode="numeric"
          maxLength={9}
          data-testid="range-last"
          {...form.fields.getInputProps('last')}
        />
      </Group>
      <Switch
        label={t('sim-cards:range.checkDigit')}
        description={t('sim-cards:range.checkDigitText')}
        {...form.fields.getInputProps('with_check_digit', { type: 'checkbox' })}
      />
      <Group>
        <Button
          variant="default"
          disabled={ends === null}
          loading={looking.isPending}
          onClick={() => looking.mutate()}
          data-testid="range-preview"
        >
          {t('sim-cards:range.preview')}
        </Button>
      </Group>
      {looking.error === null ? null : (
        <Alert color="red" role="alert">
          {refusalText(looking.error) ?? errorText(looking.error)}
        </Alert>
      )}
      {shown === null ? null : <Preview preview={shown} />}
      <SharedFields form={form as unknown as ApiForm<FieldsDraft>} />
    </FormDrawer>
  );
}

function Preview({ preview }: { preview: RangePreview }): ReactElement {
  const { t } = useTranslation();
  const { first, last, count, existing, existing_iccids, suspect } = preview;
  return (
    <Alert color={existing === 0 ? 'blue' : 'yellow'} role="status" data-testid="range-said">
      <Text size="sm" fw={600}>
        {t('sim-cards:range.counts', { count, new: preview.new, existing })}
      </Text>
      <Text size="sm" className="number">
        {first} - {last}
      </Text>
      {existing_iccids.length === 0 ? null : (
        <Text size="sm">{t('sim-cards:range.existing', { cards: existing_iccids.join(', ') })}</Text>
      )}
      {suspect === 0 ? null : <Text size="sm">{t('sim-cards:range.suspect', { count: suspect })}</Text>}
    </Alert>
  );
}
