import '@mantine/dates/styles.css';
import 'dayjs/locale/zh-cn';
import { Button, Group, Stack, Text } from '@mantine/core';
import { DateTimePicker } from '@mantine/dates';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useTimeWords } from './useTimeWords';
import { serverNow } from '@/lib/serverClock';
import { amountOf, formatDateTime, PRESET_SPANS_MS } from '@/lib/time';
import type { Span } from '@/lib/time';

interface Props {
  span: Span;
  onApply: (span: Span) => void;
}

export default function CustomRange({ span, onApply }: Props): ReactElement {
  const { t } = useTranslation();
  const { duration } = useTimeWords();
  const [start, setStart] = useState<string | null>(formatDateTime(span.start_ms));
  const [end, setEnd] = useState<string | null>(formatDateTime(span.end_ms));
  const chosen = { start_ms: parse(start), end_ms: parse(end) };
  const isValid = chosen.start_ms < chosen.end_ms;
  const shared = {
    valueFormat: 'YYYY-MM-DD HH:mm:ss',
    withSeconds: true,
    popoverProps: { withinPortal: false },
    size: 'sm',
  } as const;
  return (
    <Stack gap="sm" flex={1} miw={210}>
      <div role="group" aria-label={t('base:range.last')}>
        <Text size="xs" c="dimmed" mb={4}>
          {t('base:range.last')}
        </Text>
        <Group gap={4}>
          {PRESET_SPANS_MS.map((ms) => {
            const { count, unit } = amountOf(ms);
            return (
              <Button
                key={ms}
                variant="default"
                size="compact-xs"
                onClick={() => onApply(lastSpan(ms))}
                data-testid={`range-last-${count}${unit}`}
              >
                {duration(ms)}
              </Button>
            );
          })}
        </Group>
      </div>
      <DateTimePicker {...shared} label={t('base:range.start')} value={start} onChange={setStart} />
      <DateTimePicker {...shared} label={t('base:range.end')} value={end} onChange={setEnd} />
      {isValid ? null : (
        <Text size="xs" c="red">
          {t('base:range.order')}
        </Text>
      )}
      <Button disabled={!isValid} onClick={() => onApply(chosen)} data-testid="range-apply">
        {t('base:range.apply')}
      </Button>
    </Stack>
  );
}

function lastSpan(ms: number): Span {
  const now = serverNow();
  return { start_ms: now - ms, end_ms: now };
}

/** 'YYYY-MM-DD HH:mm:ss' of the browser's time zone; NaN for none. */
function parse(text: string | null): number {
  return text === null ? NaN : new Date(text.replace(' ', 'T')).getTime();
}
