import { Button, Modal, SegmentedControl, Select, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDateTime } from '@/lib/time';
import type { Span } from '@/lib/time';
import { JobProgress } from '../jobs/JobProgress';
import { useJob } from '../jobs/useJob';
import { exportHistory } from './api';
import type { HistoryExportBody } from './api';

type Width = NonNullable<HistoryExportBody['width_ms']>;
type Form = NonNullable<HistoryExportBody['form']>;

const WIDTHS: readonly Width[] = [0, 60_000, 900_000, 3_600_000, 86_400_000];
const FORMS: readonly Form[] = ['xlsx', 'csv'];
/** By the cloud. */
const MAX_ROWS: Readonly<Record<Form, number>> = { xlsx: 200_000, csv: 1_000_000 };

interface Props {
  dsids: readonly number[];
  span: Span;
  onClose: () => void;
}

/** What the file shall hold, and how far the job is that makes it. */
export default function ExportDialog({ onClose, ...rest }: Props): ReactElement {
  const { t } = useTranslation();
  return (
    <Modal opened onClose={onClose} title={t('base:history.export')}>
      <Ask {...rest} />
    </Modal>
  );
}

function Ask({ dsids, span }: Omit<Props, 'onClose'>): ReactElement {
  const { t, i18n } = useTranslation();
  const [form, setForm] = useState<Form>('xlsx');
  const [width, setWidth] = useState<Width>(0);
  const ask = useMutation({
    mutationFn: () =>
      exportHistory({
        dsids: [...dsids],
        start_ms: span.start_ms,
        end_ms: span.end_ms,
        form,
        width_ms: width,
        offset_min: -new Date().getTimezoneOffset(),
        language: i18n.language === 'en' ? 'en' : 'zh',
      }),
  });
  const { job } = useJob(ask.data?.id ?? null);
  return (
    <Stack gap={12}>
      <Text size="sm" className="number">
        {formatDateTime(span.start_ms)} – {formatDateTime(span.end_ms)}
      </Text>
      <SegmentedControl
        data={FORMS.map((value) => ({ value, label: t(`base:history.form.${value}`) }))}
        value={form}
        onChange={(next) => setForm(next as Form)}
        aria-label={t('base:history.formLabel')}
      />
      <Select
        label={t('base:history.width')}
        data={WIDTHS.map((value) => ({ value: String(value), label: t(`base:history.widths.${value}`) }))}
        value={String(width)}
        onChange={(next) => setWidth(Number(next ?? 0) as Width)}
        allowDeselect={false}
        data-testid="export-width"
      />
      <Text size="xs" c="dimmed">
        {t('base:history.mostRows', { count: MAX_ROWS[form] })}
      </Text>
      {job === undefined ? null : <JobProgress job={job} />}
      <Button
        loading={ask.isPending || job?.state === 'generating'}
        onClick={() => ask.mutate()}
        data-testid="export-ask"
      >
        {t('base:history.makeFile')}
      </Button>
    </Stack>
  );
}
